package dev.sieve.output;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Thrown when standard output is a pipe whose reader has ended, as in {@code sieve ... | head}. */
public final class BrokenPipeException extends IOException {
    private static final long serialVersionUID = 1;

    BrokenPipeException(@Nullable String message, IOException cause) {
        super(message, cause);
    }
}
