package dev.sieve.shared;

import org.jspecify.annotations.Nullable;

/** Thrown when a session has no response, so that the call has to be repeated; {@link Engine} catches it. */
final class EngineAwayException extends RuntimeException {
    /** Whether the engine was silent, so that another attempt would take as long. */
    final boolean silent;

    EngineAwayException(String message, boolean silent, @Nullable Throwable cause) {
        super(message, cause);
        this.silent = silent;
    }
}
