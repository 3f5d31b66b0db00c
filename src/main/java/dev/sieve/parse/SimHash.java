package dev.sieve.parse;

import java.util.Arrays;

/**
 * A hash of 64 bits of which similar sets of features differ in few bits: Charikar's SimHash, as used for web pages by
 * Manku, Jain and Das Sarma, "Detecting near-duplicates for web crawling", WWW 2007.
 *
 * <p>Each bit is set in more than half of the hashes of the features. A feature that occurs several times counts as often.
 */
public final class SimHash {
    /** Each byte of a lane counts one bit, so the lanes are emptied before one overflows. */
    private static final int MAX_IN_LANES = 255;

    /** By the value of a byte: its bits, the lowest one first, each in a byte of the long. */
    private static final long[] SPREAD = new long[256];

    static {
        for (int value = 0; value < SPREAD.length; value++) {
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                SPREAD[value] |= (value >> bit & 1L) << (bit * Byte.SIZE);
            }
        }
    }

    private final long[] lanes = new long[Long.BYTES];
    private final long[] counts = new long[Long.SIZE];
    private int inLanes;
    private long features;

    /** Creates the hash of no features, which is 0. */
    public SimHash() {}

    /** Adds the hash of a feature, whose bits must be independent. */
    public void add(long hash) {
        for (int i = 0; i < lanes.length; i++) {
            lanes[i] += SPREAD[(int) (hash >>> (i * Byte.SIZE)) & 0xff];
        }
        features++;
        inLanes++;
        if (inLanes == MAX_IN_LANES) {
            emptyLanes();
        }
    }

    private void emptyLanes() {
        for (int bit = 0; bit < Long.SIZE; bit++) {
            counts[bit] += (lanes[bit / Byte.SIZE] >>> (bit % Byte.SIZE * Byte.SIZE)) & 0xff;
        }
        Arrays.fill(lanes, 0);
        inLanes = 0;
    }

    /** Returns the hash of all features added so far. */
    public long value() {
        emptyLanes();
        long value = 0;
        for (int bit = 0; bit < Long.SIZE; bit++) {
            value |= counts[bit] * 2 > features ? 1L << bit : 0;
        }
        return value;
    }
}
