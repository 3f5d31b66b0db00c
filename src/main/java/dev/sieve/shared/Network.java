package dev.sieve.shared;

import dev.sieve.shared.EngineAddress.Server;
import java.time.Duration;

/** The way to the nodes of the engine, which a simulation replaces, with the time that passes on it. */
interface Network {
    /** Not a method reference, which would need the library of the links before it is known to be there. */
    Network REAL = (address, node, timeout) -> new Link(address, node, timeout);

    Link link(EngineAddress address, Server node, Duration timeout);

    /** Waits on a monitor, which the caller holds; returns false when the caller has to wait itself. */
    default boolean await(Object monitor, long nanos) throws InterruptedException {
        return false;
    }
}
