package dev.sieve.fetch;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Looks up hosts with a timeout. The system resolver has none, so lookups run on small pools of their own: one for
 * hosts whose last lookup succeeded, so that they do not wait for those whose name servers are silent.
 */
final class DnsLookups implements AutoCloseable {
    /** Addresses of a family that are used; an answer may contain thousands, and each is tried. */
    static final int MAX_ADDRESSES = 4;

    private static final int MAX_KNOWN = 4096;

    private final Resolver resolver;
    private final long timeoutNanos;
    private final ThreadPoolExecutor threads;
    private final ThreadPoolExecutor knownThreads;

    /** Some of the hosts whose last lookup succeeded. */
    private final Set<String> known = ConcurrentHashMap.newKeySet();

    /** A lookup took too long or was interrupted. */
    static final class LookupTimeoutException extends UnknownHostException {
        private static final long serialVersionUID = 1;

        LookupTimeoutException(String message) {
            super(message);
        }
    }

    DnsLookups(Resolver resolver, Duration timeout, int threads) {
        this.resolver = resolver;
        timeoutNanos = timeout.toNanos();
        this.threads = pool(threads);
        knownThreads = pool(threads);
    }

    private static ThreadPoolExecutor pool(int threads) {
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(threads, threads, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
        pool.allowCoreThreadTimeOut(true);
        pool.setThreadFactory(task -> {
            Thread thread = new Thread(task, "sieve-lookup");
            thread.setDaemon(true);
            return thread;
        });
        return pool;
    }

    List<InetAddress> addresses(String host) throws UnknownHostException {
        ThreadPoolExecutor pool = known.contains(host) ? knownThreads : threads;
        Future<List<InetAddress>> lookup = pool.submit(() -> first(resolver.addresses(host)));
        try {
            List<InetAddress> found = lookup.get(timeoutNanos, TimeUnit.NANOSECONDS);
            if (known.size() < MAX_KNOWN) {
                known.add(host);
            }
            return found;
        } catch (TimeoutException e) {
            lookup.cancel(true);
            known.remove(host);
            throw new LookupTimeoutException("name lookup timed out: " + host);
        } catch (InterruptedException e) {
            lookup.cancel(true);
            Thread.currentThread().interrupt();
            throw new LookupTimeoutException("interrupted");
        } catch (ExecutionException e) {
            known.remove(host);
            if (e.getCause() instanceof Error error) {
                // An exhausted machine is not an unknown host.
                throw error;
            }
            UnknownHostException unknown = new UnknownHostException(host);
            unknown.initCause(e.getCause());
            throw unknown;
        }
    }

    /** Returns whether the addresses of a host are {@linkplain Resolver#isFixed chosen by the user}. */
    boolean isFixed(String host) {
        return resolver.isFixed(host);
    }

    private static List<InetAddress> first(List<InetAddress> addresses) {
        Map<Integer, Integer> ofLength = new HashMap<>();
        return addresses.stream()
                .filter(each -> ofLength.merge(each.getAddress().length, 1, Integer::sum) <= MAX_ADDRESSES)
                .toList();
    }

    @Override
    public void close() {
        threads.shutdownNow();
        knownThreads.shutdownNow();
    }
}
