package dev.sieve.demo;

/**
 * Pseudorandom numbers that are the same on every JDK: the SplitMix64 generator of Steele, Lea and Flood, "Fast
 * splittable pseudorandom number generators", OOPSLA 2014. Not safe for use by many threads.
 */
final class Dice {
    private static final long GAMMA = 0x9e3779b97f4a7c15L;

    private long state;

    Dice(long seed) {
        state = seed;
    }

    /** Returns a number from 0 to bound - 1. */
    int roll(int bound) {
        state += GAMMA;
        return below(bound, mix(state));
    }

    /** Returns true with probability 1 / times. */
    boolean oneIn(int times) {
        return roll(times) == 0;
    }

    String pick(String... words) {
        return words[roll(words.length)];
    }

    /** Returns a hash of two numbers and a seed. */
    static long hash(long seed, long a, long b) {
        return mix(mix(mix(seed + GAMMA) + a * GAMMA) + b * GAMMA);
    }

    /** Maps a hash to a number from 0 to bound - 1. */
    static int below(int bound, long hash) {
        return (int) (((hash >>> 33) * bound) >>> 31);
    }

    private static long mix(long value) {
        long z = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
