package dev.sieve.polite;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The items of each host, lane by lane in first-in, first-out order: the first ones in memory, the others in a spill
 * file, if there is one.
 *
 * <p>While less than half of the {@linkplain Codec#size size} allowed in memory is there, every item is kept in memory;
 * after that, those within the window of their host; and none at the limit, when each item is read as it is removed.
 * Items that are put back are always kept in memory.
 *
 * @param <T> the items
 */
final class ItemQueues<T> {
    private static final int WINDOW = 16;

    private final @Nullable SpillQueues spill;
    private final @Nullable Codec<T> codec;
    private final long limit;
    private final @Nullable ToIntFunction<T> laneOf;
    private long inMemory;

    /** Creates empty queues. Without a spill file all items are in memory; without lanes, {@code laneOf} is null. */
    ItemQueues(@Nullable SpillQueues spill, @Nullable Codec<T> codec, long limit, @Nullable ToIntFunction<T> laneOf) {
        this.spill = spill;
        this.codec = codec;
        this.limit = limit;
        this.laneOf = laneOf;
    }

    void add(Host owner, T item, boolean isFirst) {
        Host host = laneOf == null ? owner : owner.place(laneOf.applyAsInt(item));
        if (isFirst) {
            link(host, item);
        } else if (spill == null || (host.itemsSpilled == 0 && fitsInMemory(host))) {
            host.lastItem = link(host, item);
        } else {
            try {
                spill.addLast(host, Objects.requireNonNull(codec).encode(item));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private boolean fitsInMemory(Host host) {
        return inMemory < limit && (inMemory < limit / 2 || host.itemsInMemory < WINDOW);
    }

    /** Links an item between the last one and the first one of a host. */
    private Host.Item link(Host host, T value) {
        Host.Item item = new Host.Item(value);
        Host.Item last = host.lastItem;
        if (last == null) {
            host.lastItem = item;
        } else {
            item.next = last.next;
            last.next = item;
        }
        host.itemsInMemory++;
        inMemory += size(value);
        return item;
    }

    /** Removes the first item of a host, which must have one. */
    T removeFirst(Host owner) {
        Host host = owner.firstPlace();
        return host.itemsInMemory > 0 ? unlinkFirst(host) : removeFirstSpilled(host);
    }

    private T unlinkFirst(Host host) {
        Host.Item last = Objects.requireNonNull(host.lastItem);
        Host.Item first = last.next;
        if (first == last) {
            host.lastItem = null;
        } else {
            last.next = first.next;
        }
        host.itemsInMemory--;
        @SuppressWarnings("unchecked") // link took it as a T
        T value = (T) first.value;
        inMemory -= size(value);
        return value;
    }

    private int size(T item) {
        return codec == null ? 1 : codec.size(item);
    }

    /** Reads the first item, and those after it that come with the same block. */
    private T removeFirstSpilled(Host host) {
        SpillQueues spilled = Objects.requireNonNull(spill);
        Codec<T> decoder = Objects.requireNonNull(codec);
        try {
            T item = decoder.decode(spilled.removeFirst(host));
            while (spilled.isAtHand(host) && fitsInMemory(host)) {
                host.lastItem = link(host, decoder.decode(spilled.removeFirst(host)));
            }
            return item;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void clear(Host owner) {
        try {
            while (owner.hasWork()) {
                Host host = owner.firstPlace();
                if (host.itemsInMemory > 0) {
                    unlinkFirst(host);
                } else {
                    Objects.requireNonNull(spill).removeFirst(host);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void close() throws IOException {
        if (spill != null) {
            spill.close();
        }
    }
}
