package dev.sieve.shared;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/** Thrown when the engine refuses a command. */
class EngineException extends UncheckedIOException {
    final String reason;

    EngineException(String message, String reason) {
        super(message, new IOException(message));
        this.reason = reason;
    }

    /** Thrown when the engine has no memory for a command; nothing was written. */
    static final class Full extends EngineException {
        Full(String server) {
            super(
                    "the engine " + server + " has no memory left: raise its maxmemory",
                    "it has no memory left: raise its maxmemory");
        }
    }

    /** Thrown when a session has no response, so that the call has to be repeated; {@link Engine} catches it. */
    static final class Away extends RuntimeException {
        /** Whether the engine was silent, so that another attempt would take as long. */
        final boolean silent;
        /** Whether keys are on their way to another node, which takes a moment. */
        final boolean moving;

        Away(String message, boolean silent, @Nullable Throwable cause) {
            this(message, silent, false, cause);
        }

        Away(String message, boolean silent, boolean moving, @Nullable Throwable cause) {
            super(message, cause);
            this.silent = silent;
            this.moving = moving;
        }
    }
}
