package dev.sieve.io;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;

/** A file that is in the jar of this project. */
public final class BundledFile {
    private BundledFile() {}

    /** Returns the text of the file with a name in the package of a class. */
    public static String text(Class<?> neighbor, String name) {
        try (InputStream in = neighbor.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(in, name).readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
