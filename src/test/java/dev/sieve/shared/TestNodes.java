package dev.sieve.shared;

/** A real engine for a test: one server, or a cluster. */
public interface TestNodes extends AutoCloseable {
    /** Returns the address of a crawl on it. */
    EngineAddress address(String name);

    /** Returns the node that stores a key now. */
    TestEngine nodeOf(String key);

    /** Returns how the keys of a slice begin. */
    String slice(String crawl, int index);

    @Override
    void close();
}
