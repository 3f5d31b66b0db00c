package dev.sieve.shared;

import java.io.IOException;
import java.io.UncheckedIOException;

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
}
