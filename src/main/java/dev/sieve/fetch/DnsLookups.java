package dev.sieve.fetch;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Looks up hosts with a timeout. The system resolver has none, so lookups run on a small pool of their own. */
final class DnsLookups implements AutoCloseable {
    /** Addresses of a family that are used; an answer may contain thousands, and each is tried. */
    static final int MAX_ADDRESSES = 4;

    private final Resolver resolver;
    private final long timeoutNanos;
    private final ThreadPoolExecutor threads;

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
        this.threads = new ThreadPoolExecutor(threads, threads, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
        this.threads.allowCoreThreadTimeOut(true);
        this.threads.setThreadFactory(task -> {
            Thread thread = new Thread(task, "sieve-lookup");
            thread.setDaemon(true);
            return thread;
        });
    }

    List<InetAddress> addresses(String host) throws UnknownHostException {
        Future<List<InetAddress>> lookup = threads.submit(() -> first(resolver.addresses(host)));
        try {
            return lookup.get(timeoutNanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            lookup.cancel(true);
            throw new LookupTimeoutException("name lookup timed out: " + host);
        } catch (InterruptedException e) {
            lookup.cancel(true);
            Thread.currentThread().interrupt();
            throw new LookupTimeoutException("interrupted");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Error error) {
                // An exhausted machine is not an unknown host.
                throw error;
            }
            UnknownHostException unknown = new UnknownHostException(host);
            unknown.initCause(e.getCause());
            throw unknown;
        }
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
    }
}
