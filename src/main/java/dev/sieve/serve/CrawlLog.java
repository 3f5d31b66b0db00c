package dev.sieve.serve;

import dev.sieve.Lease;
import dev.sieve.bloom.Murmur3;
import dev.sieve.durable.DurableSieve;
import dev.sieve.io.JobFiles;
import dev.sieve.io.LineFile;
import dev.sieve.io.LineTable;
import dev.sieve.serve.ServedFiles.Deletion;
import dev.sieve.serve.ServedFiles.Replaced;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The records of a crawl, in a frontier on disk, and which of them do not count any more. Guarded by the lock of the
 * crawl.
 *
 * <p>A record that is queued cannot be found by its URL. So when a URL that is not in process is completed or scheduled
 * again, its key is stored, and a record with a lower id is done as soon as it is read.
 */
final class CrawlLog {
    /** How many such keys are stored. A URL that is forgotten is handed out once more. */
    private static final int MAX_REPLACED = 100_000;

    /** Of queues that are deleted. */
    private static final int NO_GENERATION = -1;

    final DurableSieve frontier;
    private final QueueTable table;
    /** Of the hashes of names and keys. */
    private final long seed;

    /** By the hash of a key: earlier records of that URL are ignored. */
    private final Map<Long, Replaced> replaced = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Replaced> eldest) {
            return size() > MAX_REPLACED;
        }
    };

    private final LineTable replacedLines;
    private boolean isStored = true;

    /** How many records replace an earlier one. */
    private long again;

    /** How many records that were not read yet come before the others of their queues. */
    long firstUnread;

    private final RecordInfo.Reader infos = new RecordInfo.Reader();

    private final LineTable deletions;
    /** The next deletion that was read and not applied yet; null at the end of the file. */
    private @Nullable Deletion next;

    CrawlLog(DurableSieve frontier, QueueTable table, JobFiles files) throws IOException {
        this.frontier = frontier;
        this.table = table;
        seed = files.owner();
        deletions = new LineTable(files, ServedFiles.DELETIONS, (position, line) -> {});
        deletions.trim(line -> Deletion.key(line, seed));
        replacedLines = new LineTable(files, ServedFiles.REPLACED, (position, line) -> {
            Replaced each = Replaced.of(line);
            // A power cut may have kept the line, and lost the record for which it was written.
            if (each.end() <= frontier.nextId()) {
                replaced.put(each.hash(), each);
            }
        });
    }

    /** Removes the queues that were deleted before a record was written. */
    private void applyDeletions(long id, LineFile.Cursor lines, Set<Queue> corrected) {
        while (next != null && next.before() <= id) {
            table.deleted(next.queue(), next.generation());
            Queue queue = table.find(next.queue());
            if (queue != null && queue.generation < next.generation()) {
                table.remove(queue);
                corrected.remove(queue);
            }
            readDeletion(lines);
        }
    }

    private void readDeletion(LineFile.Cursor lines) {
        try {
            String line = lines.next();
            next = line == null ? null : Deletion.of(line);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Stores that all records of a queue with lower generations do not count any more. */
    void delete(String queue, int generation) {
        deletions.add(new Deletion(generation, frontier.nextId(), queue).line());
        deletions.store();
        deletions.trim(line -> Deletion.key(line, seed));
        table.deleted(queue, generation);
    }

    /**
     * Counts the URLs of all queues, and returns the queues of which a later generation was found: that they were
     * deleted was lost by a power cut, unlike the log. Not those that were deleted once more after that.
     */
    Set<Queue> count(InProcess inProcess) {
        Set<Queue> corrected = new HashSet<>();
        Set<Long> needed = new HashSet<>();
        LineFile.Cursor lines = deletions.lines();
        readDeletion(lines);
        frontier.forEach((record, isDone) -> {
            applyDeletions(record.id(), lines, corrected);
            RecordInfo info = infos.of(record);
            Queue queue = table.restore(info.queueOf(record.url()), info.generation());
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
            firstUnread += !isDone && info.isFirst() && info.refetch() == 0 ? 1 : 0;
            String key = UrlKeys.key(record.url(), info.queue(), info.generation());
            if (!isDone && isReplaced(record.id(), key)) {
                needed.add(hash(key));
            }
        });
        applyDeletions(Long.MAX_VALUE, lines, corrected);
        replaced.keySet().retainAll(needed);
        return corrected;
    }

    Item item(Lease record) {
        RecordInfo info = infos.of(record);
        String name = info.queueOf(record.url());
        Queue queue = table.find(name);
        return new Item(record, info, queue == null ? new Queue(name, 0, NO_GENERATION) : queue);
    }

    void added(boolean replacesOther) {
        again += replacesOther ? 1 : 0;
    }

    /** Notes that all records of a URL with ids lower than one do not count any more; {@link #store} follows. */
    void replace(String key, long before) {
        Replaced next = new Replaced(before, frontier.nextId(), hash(key));
        replaced.remove(next.hash()); // so that it is the last one to be forgotten
        replaced.put(next.hash(), next);
        replacedLines.add(next.line());
        isStored = false;
    }

    /** Stores what was noted, so that a kill does not bring it back. */
    void store() {
        if (!isStored) {
            replacedLines.store();
            replacedLines.trim(
                    () -> replaced.values().stream().map(Replaced::line).toList());
            isStored = true;
        }
    }

    /** Notes the same of a URL that is in process, which has other records only if there are any that replace others. */
    void replaceOthers(String key, long before) {
        if (again > 0) {
            replace(key, before);
        }
    }

    /** Whether a record does not count any more. */
    boolean isReplaced(long id, String key) {
        Replaced next = replaced.isEmpty() ? null : replaced.get(hash(key));
        return next != null && id < next.before();
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
        return new UrlListing(frontier, again, frontier.nextId(), states);
    }
}
