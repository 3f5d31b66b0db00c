package dev.sieve;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.bloom.Membership;
import java.util.Arrays;

/** A growing list of parts of byte arrays; the arrays are others' and are not copied. Not safe for use by many threads. */
public final class Slices {
    private byte[][] arrays = new byte[Membership.BATCH][];
    /** Slice i goes from bounds[2i] to bounds[2i + 1]. */
    private int[] bounds = new int[2 * Membership.BATCH];

    void set(int index, byte[] array, int from, int to) {
        if (index == arrays.length) {
            arrays = Arrays.copyOf(arrays, 2 * index);
            bounds = Arrays.copyOf(bounds, 4 * index);
        }
        // Many slices of one array are the usual case, and a reference costs more to write than to compare.
        if (arrays[index] != array) {
            arrays[index] = array;
        }
        bounds[2 * index] = from;
        bounds[2 * index + 1] = to;
    }

    /** Becomes a list of the first slices of another. */
    void setAll(Slices other, int count) {
        for (int i = 0; i < count; i++) {
            set(i, other.array(i), other.start(i), other.end(i));
        }
    }

    public byte[] array(int index) {
        return arrays[index];
    }

    public int start(int index) {
        return bounds[2 * index];
    }

    public int end(int index) {
        return bounds[2 * index + 1];
    }

    public int length(int index) {
        return end(index) - start(index);
    }

    String text(int index) {
        return new String(array(index), start(index), length(index), UTF_8);
    }
}
