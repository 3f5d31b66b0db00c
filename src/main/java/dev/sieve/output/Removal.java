package dev.sieve.output;

import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What was removed from a file that a crash left unfinished.
 *
 * @param position where the file was not whole
 * @param bytes how many bytes were removed; 0 when the file was whole
 * @param text how the removed bytes begin; empty for zeros and in a file that is not text
 * @param copy the file with a copy of all bytes from the position on; null when there was nothing whole among them
 */
public record Removal(
        long position, long bytes, String text, @Nullable Path copy) {

    /** Returns what was removed, for a log. */
    public String words() {
        return String.format(
                Locale.ROOT,
                "removed %,d byte%s that a crash had left unfinished%s%s",
                bytes,
                bytes == 1 ? "" : "s",
                text.isEmpty() ? "" : ": " + text,
                copy == null
                        ? ""
                        : String.format(Locale.ROOT, "; a copy of all bytes from %,d on is %s", position, copy));
    }
}
