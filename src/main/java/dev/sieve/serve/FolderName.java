package dev.sieve.serve;

import static java.nio.charset.StandardCharsets.UTF_8;

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
        StringBuilder name = new StringBuilder();
        for (byte b : id.getBytes(UTF_8)) {
            char c = (char) (b & 0xff);
            boolean isPlain = (c < 128 && Character.isLetterOrDigit(c)) || c == '-' || c == '_';
            name.append(isPlain ? String.valueOf(c) : String.format("%%%02X", (int) c));
        }
        return name.toString();
    }

    /** Returns the text of which {@link #of} makes a name; null when there is none. */
    static @Nullable String unescaped(String name) {
        try {
            String id = decoded(name);
            return of(id).equals(name) ? id : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static String decoded(String name) {
        byte[] bytes = new byte[name.length()];
        int length = 0;
        for (int i = 0; i < name.length(); i++) {
            if (name.charAt(i) == '%' && i + 2 < name.length()) {
                bytes[length++] = (byte) Integer.parseInt(name.substring(i + 1, i + 3), 16);
                i += 2;
            } else {
                bytes[length++] = (byte) name.charAt(i);
            }
        }
        return new String(bytes, 0, length, UTF_8);
    }
}
