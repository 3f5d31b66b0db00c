package dev.sieve.serve;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLDecoder;
import java.net.URLEncoder;
import org.jspecify.annotations.Nullable;

/** The name of a crawl as part of the name of its folder. */
final class FolderName {
    private static final int MAX_LENGTH = 200;

    private FolderName() {}

    /** Whether a text can be the name of a crawl. */
    static boolean isPossible(String id) {
        return id.length() <= MAX_LENGTH && of(id).length() <= MAX_LENGTH;
    }

    /** Letters, digits, hyphens and underscores as they are, all other bytes as %XX. */
    static String of(String id) {
        String form = URLEncoder.encode(id, UTF_8);
        return form.replace("+", "%20").replace(".", "%2E").replace("*", "%2A");
    }

    /** Returns the text of which {@link #of} makes a name; null when there is none. */
    static @Nullable String unescaped(String name) {
        try {
            String id = URLDecoder.decode(name, UTF_8);
            return of(id).equals(name) ? id : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
