package dev.sieve.shared;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads the replies of the engine. */
final class Replies {
    /** The reply of a script that refuses a call, since the worker does not own the slice. */
    static final Object REFUSED = -1L;

    private Replies() {}

    /** Returns a number, which some replies contain as text. */
    static long number(Object reply) {
        return reply instanceof Long number ? number : Long.parseLong(text(reply));
    }

    /** Returns a number that any program may have stored; 0 for anything but up to 18 digits. */
    static long count(@Nullable Object reply) {
        if (reply instanceof Long number) {
            return number;
        }
        String text = reply instanceof byte[] bytes ? text(bytes) : String.valueOf(reply);
        return text.matches("[0-9]{1,18}") ? Long.parseLong(text) : 0;
    }

    /** Returns the epoch milliseconds of a response to TIME. */
    static long millis(Object time) {
        return count(list(time).get(0)) * 1000 + count(list(time).get(1)) / 1000;
    }

    static String text(Object reply) {
        return new String((byte[]) reply, UTF_8);
    }

    static @Nullable String textOrNull(@Nullable Object reply) {
        return reply == null ? null : text(reply);
    }

    static List<?> list(Object reply) {
        return (List<?>) reply;
    }

    /** Returns the fields of a hash, or other pairs. */
    static <K, V> Map<K, V> map(Object reply, Function<Object, K> key, Function<Object, V> value) {
        Map<K, V> map = new TreeMap<>();
        List<?> list = list(reply);
        for (int i = 0; i < list.size(); i += 2) {
            map.put(key.apply(list.get(i)), value.apply(list.get(i + 1)));
        }
        return map;
    }

    static Map<String, String> map(Object reply) {
        return map(reply, Replies::text, Replies::text);
    }

    /** Returns what the engine reports about itself: the fields of INFO. */
    static Map<String, String> info(Object reply) {
        return text(reply)
                .lines()
                .filter(line -> line.indexOf(':') > 0)
                .collect(Collectors.toMap(
                        line -> line.substring(0, line.indexOf(':')),
                        line -> line.substring(line.indexOf(':') + 1),
                        (first, last) -> last));
    }

    static boolean isRefused(@Nullable Object reply) {
        return REFUSED.equals(reply);
    }
}
