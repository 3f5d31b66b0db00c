package dev.sieve.shared;

import org.jspecify.annotations.Nullable;

/** Thrown when a session has no response, so that the call has to be repeated; {@link Engine} catches it. */
final class EngineAwayException extends RuntimeException {
    /** Whether the engine was silent, so that another attempt would take as long. */
    final boolean silent;
    /** Whether keys are on their way to another node, which takes a moment. */
    final boolean moving;

    EngineAwayException(String message, boolean silent, @Nullable Throwable cause) {
        this(message, silent, false, cause);
    }

    EngineAwayException(String message, boolean silent, boolean moving, @Nullable Throwable cause) {
        super(message, cause);
        this.silent = silent;
        this.moving = moving;
    }
}
