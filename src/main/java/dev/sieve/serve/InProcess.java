package dev.sieve.serve;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The URLs of a crawl that were handed to clients, by their keys, until they are completed. One that was handed out too
 * long ago is not in process any more, but stays here, so that it can still be completed. Also counts the records with
 * a date, which take memory until it has come. Guarded by the lock of the crawl.
 */
final class InProcess {
    /** About how much memory the frontier takes for a record that is given back until its date has come. */
    private static final int DATE_BYTES = 120;

    private final MemoryBudget memory;
    private final Map<String, Item> items = new HashMap<>();
    private final NavigableSet<Item> expiries = new TreeSet<>(Item.BY_EXPIRY);
    /** How many records that are not done have a date. */
    private long dated;

    InProcess(MemoryBudget memory) {
        this.memory = memory;
    }

    /** Adds a record with a date that is stored, whatever memory there is. */
    void restoreDated() {
        memory.add(DATE_BYTES);
        dated++;
    }

    /** Adds a record with a date, if there is memory; the item that it replaces is to be {@linkplain #end ended} then. */
    boolean addDated(@Nullable Item old) {
        boolean isFreed = old != null && old.info.refetch() != 0;
        if (isFreed) {
            memory.add(DATE_BYTES);
        } else if (!memory.reserve(DATE_BYTES, MemoryBudget.Use.STORED)) {
            return false;
        }
        dated++;
        return true;
    }

    void removeDated() {
        memory.release(DATE_BYTES);
        dated--;
    }

    /** Returns the item with a key that was handed out; null without any. */
    @Nullable
    Item find(String key) {
        return items.get(key);
    }

    /** Begins or repeats the work on an item; false when there is no memory for it. */
    boolean begin(Item item, long expiryNanos) {
        if (!item.isHandedOut) {
            if (!memory.reserve(item.bytes(), MemoryBudget.Use.IN_PROCESS)) {
                return false;
            }
            items.put(item.key(), item);
            item.isHandedOut = true;
        }
        item.expiryNanos = expiryNanos;
        item.isInProcess = true;
        item.queue.inProcess++;
        expiries.add(item);
        return true;
    }

    /** Changes until when an item is in process; false when it is not. */
    boolean extend(@Nullable Item item, long expiryNanos) {
        if (item == null || !item.isInProcess) {
            return false;
        }
        expiries.remove(item);
        item.expiryNanos = expiryNanos;
        expiries.add(item);
        return true;
    }

    /** Ends the work on all items that were handed out too long ago, and returns them. */
    List<Item> expire(long nowNanos) {
        List<Item> expired = new ArrayList<>();
        while (!expiries.isEmpty() && expiries.first().expiryNanos - nowNanos <= 0) {
            Item item = expiries.first();
            pause(item);
            expired.add(item);
        }
        return expired;
    }

    private void pause(Item item) {
        if (item.isInProcess) {
            expiries.remove(item);
            item.isInProcess = false;
            item.queue.inProcess--;
        }
    }

    void end(Item item) {
        item.isEnded = true;
        if (item.info.refetch() != 0) {
            removeDated();
        }
        if (item.isHandedOut) {
            pause(item);
            items.remove(item.key());
            item.isHandedOut = false;
            memory.release(item.bytes());
        }
    }

    long count(long nowNanos) {
        return expiries.stream().filter(item -> item.expiryNanos - nowNanos > 0).count();
    }

    List<Item> of(Queue queue) {
        return items.values().stream().filter(item -> item.queue == queue).toList();
    }

    /** Gives its memory back. */
    void clear() {
        items.values().forEach(item -> memory.release(item.bytes()));
        memory.release(DATE_BYTES * dated);
        items.clear();
        expiries.clear();
    }
}
