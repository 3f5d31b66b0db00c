package dev.sieve.output;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The formats of outputs. */
public final class OutputFormats {
    private static final List<OutputFormat> ALL = List.of(
            LineFormat.TXT,
            LineFormat.JSONL,
            LineFormat.CSV,
            LineFormat.TSV,
            new WarcFormat(),
            new DocumentFormat(
                    "a test case per URL, for CI, written at the end", JunitSink::new, true, List.of("junit.xml")),
            new DocumentFormat(
                    "the pages that search engines may list, written at the end",
                    SitemapSink::new,
                    false,
                    List.of("sitemap.xml", "sitemap.xml.gz")));

    private OutputFormats() {}

    /** Returns the formats in the order in which the help names them. */
    public static List<OutputFormat> all() {
        return ALL;
    }

    /** Returns the format of a file by the ending of its name, else the one chosen; null if neither determines it. */
    public static @Nullable OutputFormat of(Path file, @Nullable LineFormat chosen) {
        String name = file.toString().toLowerCase(Locale.ROOT);
        for (OutputFormat format : ALL) {
            if (format.endings().stream().anyMatch(name::endsWith)) {
                return format;
            }
        }
        return chosen == null && OutputFile.isStandardOutput(file) ? LineFormat.JSONL : chosen;
    }

    public static boolean any(List<Path> files, Predicate<OutputFormat> condition) {
        return files.stream().map(file -> of(file, null)).anyMatch(format -> format != null && condition.test(format));
    }

    /** Returns all endings of names, for a message. */
    public static String endings() {
        return or(ALL.stream().flatMap(format -> format.endings().stream()).toList());
    }

    /** Returns what files with these endings contain, for the help of the command. */
    public static String help() {
        Map<String, List<String>> endings = new LinkedHashMap<>();
        for (OutputFormat format : ALL) {
            endings.computeIfAbsent(format.help(), content -> new ArrayList<>()).addAll(format.endings());
        }
        StringJoiner help = new StringJoiner(", ");
        endings.forEach((content, names) -> help.add(String.join("", or(names), " (", content, ")")));
        return help.toString();
    }

    private static String or(List<String> words) {
        int last = words.size() - 1;
        return last == 0
                ? words.get(0)
                : String.join(" or ", String.join(", ", words.subList(0, last)), words.get(last));
    }
}
