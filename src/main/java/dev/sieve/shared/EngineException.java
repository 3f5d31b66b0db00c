package dev.sieve.shared;

import java.io.IOException;
import java.io.UncheckedIOException;

/** Thrown when the engine refuses a command. */
class EngineException extends UncheckedIOException {
    EngineException(String message) {
        super(new IOException("the engine refuses a command: " + message));
    }
}
