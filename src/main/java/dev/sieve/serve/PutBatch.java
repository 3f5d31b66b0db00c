package dev.sieve.serve;

import crawlercommons.urlfrontier.Urlfrontier.AckMessage.Status;
import dev.sieve.SieveFullException;
import dev.sieve.UrlBatch;
import dev.sieve.bloom.Membership;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Stores the URLs that clients send, and decides their statuses. Those that follow one another and are stored with the
 * same description are written together. Guarded by the lock of the crawl.
 */
final class PutBatch {
    private final CrawlLog log;
    private final QueueTable table;
    private final InProcess inProcess;

    private final UrlBatch urls = new UrlBatch();
    private final List<PutItem> items = new ArrayList<>();
    private final List<Queue> queues = new ArrayList<>();
    private boolean isKnown;
    private RecordInfo info = RecordInfo.NONE;

    private final UrlBatch single = new UrlBatch();

    PutBatch(CrawlLog log, QueueTable table, InProcess inProcess) {
        this.log = log;
        this.table = table;
        this.inProcess = inProcess;
    }

    /** Stores items whose status is not decided. */
    void put(List<PutItem> all, Moment now) {
        clear(); // what is left when the disk failed
        Queue queue = null;
        Set<Queue> touched = new HashSet<>();
        for (PutItem item : all) {
            if (item.status == null) {
                queue = queue != null && queue.name.equals(item.queueName) ? queue : table.get(item.queueName);
                put(item, queue, now);
                if (queue != null && (item.isKnown || !queue.exists())) {
                    touched.add(queue);
                }
            }
        }
        flush();
        log.store();
        touched.forEach(reviewed -> table.review(reviewed, now));
    }

    private void put(PutItem item, @Nullable Queue queue, Moment now) {
        if (queue == null) {
            item.status = Status.FAIL; // no memory for its queue
            return;
        }
        Item held = item.isKnown ? inProcess.find(key(item, queue)) : null;
        if (item.isLease()) {
            item.status = inProcess.extend(held, now.at(item.refetch)) ? Status.OK : Status.SKIPPED;
        } else if (item.refetch != 0) {
            flush();
            schedule(item, queue, held);
        } else if (held != null) {
            log.frontier.done(held.lease);
            inProcess.end(held);
            log.replaceOthers(held.key(), log.frontier.nextId());
            queue.active--;
            item.status = Status.OK;
        } else {
            add(item, queue);
        }
    }

    private static String key(PutItem item, Queue queue) {
        return UrlKeys.key(item.url, item.queue, queue.generation);
    }

    /** Adds a URL that is discovered, or completed and not in process. */
    private void add(PutItem item, Queue queue) {
        boolean fits = !items.isEmpty()
                && items.size() < Membership.BATCH
                && isKnown == item.isKnown
                && info.generation() == queue.generation
                && Objects.equals(info.queue(), item.queue)
                && info.metadata().equals(item.metadata);
        if (!fits) {
            flush();
            isKnown = item.isKnown;
            info = info(item, queue);
            urls.clear(0, 0, info.text(), isKnown ? RecordInfo.KNOWN : RecordInfo.DISCOVERED);
        }
        addTo(urls, item, queue);
        items.add(item);
        queues.add(queue);
    }

    private static RecordInfo info(PutItem item, Queue queue) {
        boolean isPlain = item.queue == null && queue.generation == 0 && item.refetch == 0 && item.metadata.isEmpty();
        return isPlain ? RecordInfo.NONE : new RecordInfo(item.queue, queue.generation, item.refetch, item.metadata);
    }

    private static void addTo(UrlBatch batch, PutItem item, Queue queue) {
        if (item.queue == null && queue.generation == 0) {
            batch.add(item.utf8, 0, item.utf8.length);
        } else {
            batch.add(item.url, key(item, queue));
        }
    }

    private void flush() {
        if (items.isEmpty()) {
            return;
        }
        boolean isFull = false;
        try {
            if (isKnown) {
                log.frontier.pushDone(urls);
            } else {
                log.frontier.pushAll(urls);
            }
        } catch (SieveFullException e) {
            isFull = true;
        }
        for (int i = 0; i < items.size(); i++) {
            items.get(i).status = decide(i, isFull);
        }
        clear();
    }

    private Status decide(int i, boolean isFull) {
        PutItem item = items.get(i);
        Queue queue = queues.get(i);
        if (isFull && !log.frontier.mightContain(key(item, queue))) {
            return Status.FAIL;
        }
        if (!isFull && urls.isNew(i)) {
            queue.urls++;
            queue.active += isKnown ? 0 : 1;
            log.added(false);
            log.firstUnread += !isKnown && info.isFirst() ? 1 : 0;
            return Status.OK;
        }
        if (isKnown) {
            log.replace(key(item, queue), log.frontier.nextId());
            return Status.OK;
        }
        return Status.SKIPPED;
    }

    private void clear() {
        items.clear();
        queues.clear();
        urls.clear();
    }

    /** Schedules a URL, whether or not it was seen before, and ends its being in process. */
    private void schedule(PutItem item, Queue queue, @Nullable Item held) {
        if (!inProcess.addDated(held)) {
            item.status = Status.FAIL;
            return;
        }
        long before = log.frontier.nextId();
        String key = key(item, queue);
        boolean isSeen = held != null || log.frontier.mightContain(key);
        single.clear(0, 0, info(item, queue).text(), isSeen ? RecordInfo.AGAIN : RecordInfo.KNOWN);
        addTo(single, item, queue);
        try {
            if (held == null || !log.frontier.pushAgain(held.lease, single)) {
                log.frontier.pushAgain(null, single);
            }
        } catch (SieveFullException e) {
            inProcess.removeDated();
            item.status = Status.FAIL;
            return;
        }
        if (held != null) {
            inProcess.end(held);
            log.replaceOthers(key, before);
        } else {
            queue.active++;
            if (isSeen) {
                log.replace(key, before);
            }
        }
        queue.urls += isSeen ? 0 : 1;
        log.added(isSeen);
        item.status = Status.OK;
    }
}
