package dev.sieve.polite;

import java.util.Arrays;

/**
 * One first-in-first-out queue a host. Items lie in one pool of slots that the queues share, each pointing to the next
 * one of its host.
 *
 * @param <T> the items
 */
final class HostQueues<T> {
    private static final int NONE = -1;

    private Object[] items = new Object[16];
    private int[] nextSlots = new int[16];
    private int used;
    private int freeSlot = NONE;

    private int[] firsts = new int[0];
    private int[] lasts = new int[0];

    /** Makes room for hosts with numbers below the capacity. */
    void grow(int capacity) {
        int old = firsts.length;
        firsts = Arrays.copyOf(firsts, capacity);
        lasts = Arrays.copyOf(lasts, capacity);
        Arrays.fill(firsts, old, capacity, NONE);
        Arrays.fill(lasts, old, capacity, NONE);
    }

    void addFirst(int host, T item) {
        int slot = newSlot(item);
        nextSlots[slot] = firsts[host];
        firsts[host] = slot;
        if (lasts[host] == NONE) {
            lasts[host] = slot;
        }
    }

    void addLast(int host, T item) {
        int slot = newSlot(item);
        nextSlots[slot] = NONE;
        if (lasts[host] == NONE) {
            firsts[host] = slot;
        } else {
            nextSlots[lasts[host]] = slot;
        }
        lasts[host] = slot;
    }

    /** Takes the first item out of the queue of a host, which must not be empty. */
    T removeFirst(int host) {
        int slot = firsts[host];
        @SuppressWarnings("unchecked") // only what addFirst and addLast took is in the slots
        T item = (T) items[slot];
        firsts[host] = nextSlots[slot];
        if (firsts[host] == NONE) {
            lasts[host] = NONE;
        }
        items[slot] = null;
        nextSlots[slot] = freeSlot;
        freeSlot = slot;
        return item;
    }

    private int newSlot(T item) {
        int slot = freeSlot;
        if (slot != NONE) {
            freeSlot = nextSlots[slot];
        } else {
            if (used == items.length) {
                int room = used + (used >> 1);
                items = Arrays.copyOf(items, room);
                nextSlots = Arrays.copyOf(nextSlots, room);
            }
            slot = used++;
        }
        items[slot] = item;
        return slot;
    }
}
