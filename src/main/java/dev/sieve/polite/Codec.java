package dev.sieve.polite;

/**
 * Converts items to bytes for a spill file, and back.
 *
 * @param <T> the items
 */
public interface Codec<T> {
    /** Returns the bytes of an item, in a new array. */
    byte[] encode(T item);

    /** Returns the item that {@link #encode} converted to these bytes. */
    T decode(byte[] bytes);
}
