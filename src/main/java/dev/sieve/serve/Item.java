package dev.sieve.serve;

import dev.sieve.Lease;
import java.util.Comparator;

/** A record of a crawl that was read from its log and is not done. Guarded by the lock of the crawl. */
final class Item {
    /** The heap that an item takes, without its texts. */
    private static final int BYTES = 250;

    static final Comparator<Item> BY_EXPIRY = (a, b) -> {
        int byTime = Long.signum(a.expiryNanos - b.expiryNanos);
        return byTime != 0 ? byTime : Long.compare(a.lease.id(), b.lease.id());
    };

    final Lease lease;
    final RecordInfo info;
    final Queue queue;

    /** Whether it was handed to a client; it still is one of {@link InProcess} when that was too long ago. */
    boolean isHandedOut;

    boolean isInProcess;

    /** Whether it comes before the other items of its queue. */
    final boolean isFirst;

    long expiryNanos;
    /** Whether its record is done, although it is still queued. */
    boolean isEnded;

    Item(Lease lease, RecordInfo info, Queue queue) {
        this.lease = lease;
        this.info = info;
        this.queue = queue;
        isFirst = info.isFirst();
    }

    String key() {
        return UrlKeys.key(lease.url(), info.queue(), info.generation());
    }

    /** Returns about how much memory it takes. */
    int bytes() {
        int text = lease.referrer() == null ? 0 : lease.referrer().length();
        return BYTES + lease.url().length() + 3 * text;
    }
}
