package dev.sieve.shared;

/** Thrown when the engine refuses a command. */
class EngineException extends RuntimeException {
    EngineException(String message) {
        super(message);
    }
}
