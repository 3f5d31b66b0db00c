package dev.sieve.fetch;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** Finds the addresses of a host. */
@FunctionalInterface
public interface Resolver {
    /**
     * Returns all addresses of a host, the one to try first in front.
     *
     * @throws UnknownHostException when there are none
     */
    List<InetAddress> addresses(String host) throws UnknownHostException;
}
