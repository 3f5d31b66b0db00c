package dev.sieve.shared;

/** Thrown when the engine has no memory for a command; nothing was written. */
final class EngineFullException extends EngineException {
    EngineFullException(String message) {
        super(message);
    }
}
