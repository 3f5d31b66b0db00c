package dev.sieve.polite;

/** Converts items T to bytes for a spill file, and back. */
public interface Codec<T> {
    /** Returns the bytes of an item, in a new array. */
    byte[] encode(T item);

    /** Returns what an item counts in the limit of the items in memory; always the same for an item. Default: 1. */
    default int size(T item) {
        return 1;
    }

    /** Returns the item that {@link #encode} converted to these bytes. */
    T decode(byte[] bytes);
}
