package dev.sieve.polite;

/**
 * How items are turned into bytes for a spill file, and back.
 *
 * @param <T> the items
 */
public interface Codec<T> {
    /** The bytes of an item, in an array that is not used again. */
    byte[] encode(T item);

    /** The item that {@link #encode} made these bytes of. */
    T decode(byte[] bytes);
}
