package dev.sieve.url;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

/** Computes the key of a URL that {@link UrlParser} wrote; {@link UrlNormalizer#key} defines the key. */
final class UrlKey {
    private UrlKey() {}

    static String of(String url) {
        String key = withoutLastDot(url);
        int percent = key.indexOf('%');
        if (percent >= 0) {
            key = unescaped(key.getBytes(ISO_8859_1), percent);
        }
        // A URL has but one path, so a question mark at its end begins an empty query unless there was one before.
        boolean emptyQuery = key.endsWith("?") && key.indexOf('?') == key.length() - 1;
        return emptyQuery ? key.substring(0, key.length() - 1) : key;
    }

    private static String withoutLastDot(String url) {
        int end = UrlParts.hostEnd(url);
        return url.charAt(end - 1) == '.' ? url.substring(0, end - 1) + url.substring(end) : url;
    }

    /** Works in place, since a key is never longer than its URL. */
    private static String unescaped(byte[] ascii, int percent) {
        int size = percent;
        int stray = -3;
        for (int i = percent; i < ascii.length; i++) {
            int octet = UrlSyntax.octet(ascii, i);
            if (octet < 0) {
                stray = ascii[i] == '%' ? size : stray;
                ascii[size++] = ascii[i];
                continue;
            }
            // After a stray % a decoded digit could complete an escape, and the key of the key would differ from the
            // key.
            if (UrlSyntax.isUnreserved(octet) && size - stray > 2) {
                ascii[size++] = (byte) octet;
            } else {
                ascii[size++] = '%';
                ascii[size++] = (byte) Character.toUpperCase((char) ascii[i + 1]);
                ascii[size++] = (byte) Character.toUpperCase((char) ascii[i + 2]);
            }
            i += 2;
        }
        return new String(ascii, 0, size, ISO_8859_1);
    }
}
