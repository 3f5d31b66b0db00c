package dev.sieve.serve;

import dev.sieve.Lease;
import dev.sieve.bloom.Memberships;
import dev.sieve.bloom.Murmur3;
import dev.sieve.durable.DurableSieve;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The records of a crawl, in a frontier on disk, and which of them do not count any more. Guarded by the lock of the crawl.
 *
 * <p>A record that is queued cannot be found by its URL. So when a URL that is not in process is completed or scheduled
 * again, its key is remembered, and a record with a lower id is done as soon as it is read.
 */
final class CrawlLog {
    /** How many such keys are remembered. A URL that is forgotten is handed out once more. */
    private static final int MAX_REPLACED = 100_000;

    final DurableSieve frontier;
    private final QueueTable table;
    private final long seed = Memberships.randomSeed();

    /** The lowest id that counts, by the hash of a key: earlier records of that URL are ignored. */
    private final Map<Long, Long> replaced = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Long> eldest) {
            return size() > MAX_REPLACED;
        }
    };

    /** The id of the next record. */
    private long nextId;
    /** How many records replace an earlier one. */
    private long again;

    private final RecordInfo.Reader infos = new RecordInfo.Reader();

    CrawlLog(DurableSieve frontier, QueueTable table) {
        this.frontier = frontier;
        this.table = table;
    }

    /**
     * Counts the URLs of all queues, and returns the queues of which a later generation was found: their settings were
     * lost by a power cut, unlike the log.
     */
    Set<Queue> count(InProcess inProcess) {
        Set<Queue> corrected = new HashSet<>();
        frontier.forEach((record, isDone) -> {
            RecordInfo info = infos.of(record);
            Queue queue = table.restore(info.queueOf(record.url()));
            if (info.generation() > queue.generation) {
                queue.delete(info.generation());
                corrected.add(queue);
            }
            if (info.generation() == queue.generation) {
                queue.urls += record.label() == RecordInfo.AGAIN ? 0 : 1;
                queue.active += isDone ? 0 : 1;
            }
            if (!isDone && info.refetch() != 0) {
                inProcess.restoreDated();
            }
            again += record.label() == RecordInfo.AGAIN ? 1 : 0;
            nextId = record.id() + 1;
        });
        nextId = Math.max(nextId, frontier.stats().accepted());
        return corrected;
    }

    Item item(Lease record) {
        RecordInfo info = infos.of(record);
        return new Item(record, info, table.restore(info.queueOf(record.url())));
    }

    /** Notes that a record was written. */
    void added(boolean replacesOther) {
        nextId++;
        again += replacesOther ? 1 : 0;
    }

    /** Notes that all records of a URL that exist now do not count any more. */
    void replace(String key) {
        Long hash = hash(key);
        replaced.remove(hash); // so that it is the last one to be forgotten
        replaced.put(hash, nextId);
    }

    /** Notes the same of a URL that is in process, which has other records only if there are any that replace others. */
    void replaceOthers(String key) {
        if (again > 0) {
            replace(key);
        }
    }

    /** Whether a record does not count any more. */
    boolean isReplaced(long id, String key) {
        Long next = replaced.isEmpty() ? null : replaced.get(hash(key));
        return next != null && id < next;
    }

    /** Whether an item is not to be handed out. */
    boolean isOutdated(Item item) {
        return item.isEnded
                || item.info.generation() != item.queue.generation
                || isReplaced(item.lease.id(), item.key());
    }

    private long hash(String key) {
        return Murmur3.hash(key, seed)[0];
    }

    /** Returns a listing of the URLs as of now. */
    UrlListing listing(UrlListing.States states) {
        return new UrlListing(frontier, again, nextId, states);
    }
}
