package dev.sieve.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What stands on the command line: names of what is to be run, and {@code name=value} for what is not as usual. */
final class Choices {
    private final List<String> names = new ArrayList<>();
    private final Map<String, String> values = new LinkedHashMap<>();

    Choices(String line) {
        for (String word : line.trim().split("\\s+", -1)) {
            int equals = word.indexOf('=');
            if (equals < 0) {
                names.add(word);
            } else {
                values.put(word.substring(0, equals), word.substring(equals + 1));
            }
        }
    }

    boolean has(String name) {
        return names.contains(name) || names.contains("all");
    }

    List<String> names() {
        return names;
    }

    String text(String name, String usual) {
        return values.getOrDefault(name, usual);
    }

    List<String> list(String name, String usual) {
        return List.of(text(name, usual).split(",", -1));
    }

    double number(String name, double usual) {
        String value = values.get(name);
        return value == null ? usual : Double.parseDouble(value);
    }

    int count(String name, int usual) {
        return (int) number(name, usual);
    }
}
