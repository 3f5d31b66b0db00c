package embedder;

import dev.sieve.Deduplicator;
import dev.sieve.FilterKind;
import dev.sieve.Frontier;
import dev.sieve.Lease;
import dev.sieve.OnFull;
import dev.sieve.SieveStats;
import dev.sieve.UrlBatch;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Supplier;

/** A frontier of an embedder: a {@link Deduplicator} and collections of the JDK, with public types only. */
final class DequeFrontier implements Frontier {
    /** A lease and the time at which it expires or comes out again. */
    private record Timed(Lease lease, long nanos) {
        boolean isDue(long nowNanos) {
            return nanos - nowNanos <= 0;
        }
    }

    private static final Comparator<Timed> BY_TIME = (a, b) -> Long.signum(a.nanos - b.nanos);

    private final Deduplicator deduplicator;
    private final long leaseTimeoutNanos;
    private final ArrayDeque<Lease> queue = new ArrayDeque<>();
    private final Map<Long, Timed> held = new LinkedHashMap<>();
    private final PriorityQueue<Timed> delayed = new PriorityQueue<>(BY_TIME);
    private long accepted;
    private long done;

    DequeFrontier(long capacity, long leaseTimeoutNanos) {
        deduplicator = new Deduplicator(FilterKind.EXACT.create(capacity, 1e-4, 1), capacity, OnFull.WARN, event -> {});
        this.leaseTimeoutNanos = leaseTimeoutNanos;
    }

    @Override
    public boolean push(String url) {
        return deduplicator.push(url.getBytes(StandardCharsets.UTF_8), this::append);
    }

    @Override
    public int pushAll(UrlBatch batch) {
        return deduplicator.pushAll(batch, this::append);
    }

    private void append(UrlBatch batch, int from, long mask) {
        for (long bits = mask; bits != 0; bits &= bits - 1) {
            String url = batch.url(from + Long.numberOfTrailingZeros(bits));
            queue.add(new Lease(accepted++, url, batch.depth(), batch.redirects(), batch.referrer(), batch.label(), 0));
        }
    }

    @Override
    public Lease take(long nowNanos) {
        return locked(() -> {
            expire(nowNanos);
            Lease next = !delayed.isEmpty() && delayed.peek().isDue(nowNanos)
                    ? delayed.remove().lease()
                    : queue.poll();
            if (next != null) {
                held.put(next.id(), new Timed(next, nowNanos + leaseTimeoutNanos));
            }
            return next;
        });
    }

    private void expire(long nowNanos) {
        while (leaseTimeoutNanos > 0 && !held.isEmpty()) {
            Timed first = held.values().iterator().next();
            if (!first.isDue(nowNanos)) {
                return;
            }
            giveBack(first.lease(), first.nanos());
        }
    }

    private boolean giveBack(Lease lease, long readyNanos) {
        if (!release(lease)) {
            return false;
        }
        Lease again = new Lease(
                lease.id(),
                lease.url(),
                lease.depth(),
                lease.redirects(),
                lease.referrer(),
                lease.label(),
                lease.attempt() + 1);
        delayed.add(new Timed(again, readyNanos));
        return true;
    }

    private boolean release(Lease lease) {
        Timed present = held.get(lease.id());
        return present != null && present.lease().equals(lease) && held.remove(lease.id()) != null;
    }

    @Override
    public long waitNanos(long nowNanos) {
        return locked(() -> {
            expire(nowNanos);
            if (!queue.isEmpty()) {
                return 0L;
            }
            long wait = delayed.isEmpty()
                    ? Long.MAX_VALUE
                    : Math.max(0, delayed.peek().nanos() - nowNanos);
            return leaseTimeoutNanos == 0 || held.isEmpty()
                    ? wait
                    : Math.min(wait, held.values().iterator().next().nanos() - nowNanos);
        });
    }

    @Override
    public boolean done(Lease lease) {
        return locked(() -> {
            boolean isReleased = release(lease);
            done += isReleased ? 1 : 0;
            return isReleased;
        });
    }

    @Override
    public boolean retry(Lease lease, long readyNanos) {
        return locked(() -> giveBack(lease, readyNanos));
    }

    @Override
    public long pending() {
        return locked(() -> (long) queue.size() + delayed.size());
    }

    @Override
    public long inFlight() {
        return locked(() -> (long) held.size());
    }

    @Override
    public SieveStats stats() {
        return locked(() -> deduplicator.stats(accepted, pending(), held.size(), done));
    }

    @Override
    public void close() {}

    private <T> T locked(Supplier<T> call) {
        deduplicator.lock().lock();
        try {
            return call.get();
        } finally {
            deduplicator.lock().unlock();
        }
    }
}
