package dev.sieve.shared;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads the replies of the engine. */
final class Replies {
    /** The reply of a script that refuses a call, since the worker does not own the slice. */
    static final Object REFUSED = -1L;

    private Replies() {}

    /** Returns a number, which some replies contain as text. */
    static long number(@Nullable Object reply) {
        return reply instanceof Long number ? number : Long.parseLong(text(reply));
    }

    /** Returns a text; null where the reply is null. */
    static @Nullable String text(@Nullable Object reply) {
        return reply == null ? null : new String((byte[]) reply, UTF_8);
    }

    static List<?> list(Object reply) {
        return (List<?>) reply;
    }

    /** Returns the fields of a hash. */
    static Map<String, String> map(Object reply) {
        Map<String, String> map = new TreeMap<>();
        List<?> list = list(reply);
        for (int i = 0; i < list.size(); i += 2) {
            map.put(text(list.get(i)), text(list.get(i + 1)));
        }
        return map;
    }

    /** Returns whether a reply is {@link #REFUSED}. */
    static boolean isRefused(@Nullable Object reply) {
        return REFUSED.equals(reply);
    }
}
