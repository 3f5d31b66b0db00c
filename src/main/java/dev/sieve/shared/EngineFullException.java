package dev.sieve.shared;

/** Thrown when the engine has no memory for a command; nothing was written. */
final class EngineFullException extends EngineException {
    EngineFullException(EngineAddress address) {
        super("the engine " + address.server() + " has no memory left: raise its maxmemory", "out of memory");
    }
}
