package dev.sieve.shared;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
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
    CREATE;

    /** The program, in Lua. */
    final byte[] text;

    /** The name by which the engine runs it, in hexadecimal digits. */
    final byte[] hash;

    Script() {
        String file = name().toLowerCase(Locale.ROOT) + ".lua";
        try (InputStream resource = Script.class.getResourceAsStream(file)) {
            text = resource.readAllBytes();
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(text);
            hash = HexFormat.of().formatHex(digest).getBytes(StandardCharsets.US_ASCII);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
