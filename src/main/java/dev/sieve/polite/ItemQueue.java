package dev.sieve.polite;

import org.jspecify.annotations.Nullable;

/**
 * A first-in, first-out queue of items that are not scheduled yet. They count toward the items that their {@link
 * HostSchedule} keeps in memory, and the others are in its temporary file. Used and closed with the schedule; throws
 * what its methods throw.
 *
 * @param <T> the items
 */
public final class ItemQueue<T> {
    private final ItemQueues<T> queues;
    /** Has the place of the items in memory and in the file, as the hosts of the schedule have. */
    private final Host place = new Host(0, 0);

    ItemQueue(ItemQueues<T> queues) {
        this.queues = queues;
    }

    /** Adds an item. */
    public void add(T item) {
        queues.add(place, item, false);
    }

    /** Removes and returns the first item; null when there is none. */
    public @Nullable T poll() {
        return place.hasWork() ? queues.removeFirst(place) : null;
    }

    /** Returns the number of items. */
    public int size() {
        return place.items();
    }
}
