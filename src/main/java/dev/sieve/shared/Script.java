package dev.sieve.shared;

import dev.sieve.io.BundledFile;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/** A script that the engine runs as one step. Its file says what it gets and returns. */
enum Script {
    PUSH,
    TAKE,
    DONE,
    CLAIM,
    RENEW,
    RELEASE,
    BEAT,
    LOOK,
    MARK,
    CREATE,
    OPTIONS,
    BUDGET,
    COUNT,
    STORE,
    PAGE,
    SYNC;

    private final String text;
    private final String hash;

    Script() {
        String file = name().toLowerCase(Locale.ROOT) + ".lua";
        text = BundledFile.text(Script.class, file);
        try {
            byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
            hash = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the program, in Lua. */
    byte[] text() {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns the name by which the engine runs it, in hexadecimal digits. */
    byte[] hash() {
        return hash.getBytes(StandardCharsets.US_ASCII);
    }
}
