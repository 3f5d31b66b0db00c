package dev.sieve.fetch;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** Looks up the addresses of a host. */
@FunctionalInterface
public interface Resolver {
    /** Returns all addresses of a host, at least one, the preferred one first. */
    List<InetAddress> addresses(String host) throws UnknownHostException;

    /** Returns whether the user has chosen the addresses of a host, so that they need not be public. Default: no. */
    default boolean isFixed(String host) {
        return false;
    }
}
