package dev.sieve.shared;

/** Thrown when the engine has no memory for a command; nothing was written. */
final class EngineFullException extends EngineException {
    EngineFullException(String server) {
        super(
                "the engine " + server + " has no memory left: raise its maxmemory",
                "it has no memory left: raise its maxmemory");
    }
}
