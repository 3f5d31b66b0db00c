package dev.sieve.shared;

/** One life of an engine, from its start to its end. Compared by identity: a run that comes again is another one. */
final class Run {
    /** The identity that the engine reports. */
    final String id;

    Run(String id) {
        this.id = id;
    }

    @Override
    public String toString() {
        return id;
    }
}
