package dev.sieve.polite;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;

/**
 * One first-in-first-out queue a host, the first items of it in memory and the rest, if there is one, in a spill file.
 *
 * <p>Items in memory lie in one pool of slots that the queues share, each pointing to the next one of its host. While
 * half of the pool is free any item is kept in memory, after that only those within the window of their host, and none
 * when the pool is full; then each item is read as its turn comes. Items that are put back are always kept in memory.
 *
 * @param <T> the items
 */
final class HostQueues<T> {
    private static final int NONE = -1;
    private static final int WINDOW = 16;

    private final SpillQueues spill;
    private final Codec<T> codec;
    private final int limit;

    private Object[] items = new Object[16];
    private int[] nextSlots = new int[16];
    private int usedSlots;
    private int freeSlot = NONE;

    private int inMemory;
    private int[] inMemoryOf = new int[0];
    private int[] firstSlots = new int[0];
    private int[] lastSlots = new int[0];

    /**
     * @param spill null to keep all items in memory; then codec and limit do not count
     * @param limit how many items are kept in memory
     */
    HostQueues(SpillQueues spill, Codec<T> codec, int limit) {
        this.spill = spill;
        this.codec = codec;
        this.limit = limit;
    }

    /** Makes room for hosts with numbers below the capacity. */
    void grow(int capacity) {
        int old = firstSlots.length;
        inMemoryOf = Arrays.copyOf(inMemoryOf, capacity);
        firstSlots = Arrays.copyOf(firstSlots, capacity);
        lastSlots = Arrays.copyOf(lastSlots, capacity);
        Arrays.fill(firstSlots, old, capacity, NONE);
        Arrays.fill(lastSlots, old, capacity, NONE);
        if (spill != null) {
            spill.grow(capacity);
        }
    }

    void addFirst(int host, T item) {
        int slot = newSlot(item);
        nextSlots[slot] = firstSlots[host];
        firstSlots[host] = slot;
        if (lastSlots[host] == NONE) {
            lastSlots[host] = slot;
        }
        count(host, 1);
    }

    void addLast(int host, T item) {
        if (spill == null || (spill.isEmpty(host) && fitsInMemory(host))) {
            addLastInMemory(host, item);
            return;
        }
        try {
            spill.addLast(host, codec.encode(item));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean fitsInMemory(int host) {
        return inMemory < limit && (inMemory < limit / 2 || inMemoryOf[host] < WINDOW);
    }

    private void addLastInMemory(int host, T item) {
        int slot = newSlot(item);
        nextSlots[slot] = NONE;
        if (lastSlots[host] == NONE) {
            firstSlots[host] = slot;
        } else {
            nextSlots[lastSlots[host]] = slot;
        }
        lastSlots[host] = slot;
        count(host, 1);
    }

    /** Takes out the first item of a host, which must have one. */
    T removeFirst(int host) {
        return firstSlots[host] == NONE ? removeFirstSpilled(host) : removeFirstInMemory(host);
    }

    private T removeFirstInMemory(int host) {
        int slot = firstSlots[host];
        @SuppressWarnings("unchecked") // the slots hold what newSlot took
        T item = (T) items[slot];
        firstSlots[host] = nextSlots[slot];
        if (firstSlots[host] == NONE) {
            lastSlots[host] = NONE;
        }
        items[slot] = null;
        nextSlots[slot] = freeSlot;
        freeSlot = slot;
        count(host, -1);
        return item;
    }

    /** Reads the first item and, as long as they come with it, those that follow. */
    private T removeFirstSpilled(int host) {
        try {
            T item = codec.decode(spill.removeFirst(host));
            while (spill.isAtHand(host) && fitsInMemory(host)) {
                addLastInMemory(host, codec.decode(spill.removeFirst(host)));
            }
            return item;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private int newSlot(T item) {
        int slot = freeSlot;
        if (slot != NONE) {
            freeSlot = nextSlots[slot];
        } else {
            if (usedSlots == items.length) {
                int room = usedSlots + (usedSlots >> 1);
                items = Arrays.copyOf(items, room);
                nextSlots = Arrays.copyOf(nextSlots, room);
            }
            slot = usedSlots++;
        }
        items[slot] = item;
        return slot;
    }

    private void count(int host, int change) {
        inMemory += change;
        inMemoryOf[host] += change;
    }

    void close() throws IOException {
        if (spill != null) {
            spill.close();
        }
    }
}
