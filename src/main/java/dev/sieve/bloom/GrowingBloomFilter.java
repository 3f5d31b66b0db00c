package dev.sieve.bloom;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/**
 * A Bloom filter that grows: whenever it is full it gets another layer, twice as large and stricter.
 *
 * <p>[P. Almeida, C. Baquero, N. Preguiça and D. Hutchison, "Scalable Bloom filters", Information Processing Letters
 * 101 (2007)]. Layer i, from 0 on, is a {@link SplitBlockFilter} for a rate of p / ((i + 1) (i + 2)). The sum over any
 * number of layers is below p, and so is the rate of the whole.
 *
 * <p>A key is looked up in every layer. A filter that has grown to twenty times its capacity has five layers; one that
 * has not grown needs a little more memory than a filter that cannot grow. The add that finds the newest layer full
 * waits until the memory of the next one has been cleared.
 */
public final class GrowingBloomFilter implements Membership {
    static final int KIND = 3;

    /** No machine has memory for more, since layers double. */
    private static final int MAX_LAYERS = 1000;

    private final long capacity;
    private final double rate;
    private final long seed;

    /** The oldest first. Replaced, never changed, since {@link #absent} and {@link #writeTo} read it without a lock. */
    private volatile SplitBlockFilter[] layers;

    private GrowingBloomFilter(long capacity, double rate, long seed, SplitBlockFilter... layers) {
        this.capacity = capacity;
        this.rate = rate;
        this.seed = seed;
        this.layers = layers;
    }

    /**
     * Makes a filter for a false-positive rate.
     *
     * @param capacity keys that the first layer is made for, at least 1
     * @param falsePositiveRate of all layers together, from {@link BloomSize#MIN_RATE} to {@link BloomSize#MAX_RATE}
     * @param seed {@link Memberships#randomSeed()} when others choose the keys
     * @throws IllegalArgumentException when a value is out of range, or the first layer needs more than 16 GiB
     */
    public static GrowingBloomFilter create(long capacity, double falsePositiveRate, long seed) {
        double firstRate = layerRate(0, BloomSize.checkRate(falsePositiveRate));
        SplitBlockFilter first = SplitBlockFilter.create(capacity, firstRate, seed);
        return new GrowingBloomFilter(capacity, falsePositiveRate, seed, first);
    }

    /** Returns the bits of the first layer, also if they are more than a layer may have. */
    public static long firstBits(long capacity, double falsePositiveRate) {
        return BloomSize.splitBlockBits(capacity, layerRate(0, BloomSize.checkRate(falsePositiveRate)));
    }

    private static double layerRate(int index, double rate) {
        return Math.max(BloomSize.MIN_RATE, rate / ((index + 1.0) * (index + 2.0)));
    }

    @Override
    public boolean add(long h1, long h2) {
        SplitBlockFilter[] all = layers;
        int last = all.length - 1;
        for (int i = 0; i < last; i++) {
            if (all[i].mightContain(h1, h2)) {
                return false;
            }
        }
        SplitBlockFilter newest = all[last];
        if (newest.isFull() && !newest.mightContain(h1, h2)) {
            newest = grow();
        }
        return newest.add(h1, h2);
    }

    private SplitBlockFilter grow() {
        int index = layers.length;
        double nextRate = layerRate(index, rate);
        long most = BloomSize.splitBlockKeys(SplitBlockFilter.MAX_BITS, nextRate);
        SplitBlockFilter[] more = Arrays.copyOf(layers, index + 1);
        more[index] = SplitBlockFilter.create(2 * Math.min(layers[index - 1].capacity, most / 2), nextRate, seed);
        layers = more;
        return more[index];
    }

    @Override
    public boolean mightContain(long h1, long h2) {
        for (SplitBlockFilter layer : layers) {
            if (layer.mightContain(h1, h2)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public long absent(long[] hashes, int count) {
        long absent = -1;
        for (SplitBlockFilter layer : layers) {
            absent &= layer.absent(hashes, count);
        }
        return absent;
    }

    int layers() {
        return layers.length;
    }

    @Override
    public long seed() {
        return seed;
    }

    /** {@inheritDoc} Above it the filter grows. */
    @Override
    public long capacity() {
        return capacity;
    }

    @Override
    public long estimatedSize() {
        return Arrays.stream(layers).mapToLong(Membership::estimatedSize).sum();
    }

    @Override
    public double falsePositiveRate() {
        double noneWrong = 1;
        for (SplitBlockFilter layer : layers) {
            noneWrong *= 1 - layer.falsePositiveRate();
        }
        return 1 - noneWrong;
    }

    @Override
    public long memoryBytes() {
        return Arrays.stream(layers).mapToLong(Membership::memoryBytes).sum();
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        SplitBlockFilter[] all = layers;
        SavedFormWriter form = new SavedFormWriter(out, KIND, seed);
        form.writeLong(capacity);
        form.writeLong(Double.doubleToLongBits(rate));
        form.writeLong(all.length);
        for (SplitBlockFilter layer : all) {
            layer.writeTo(form);
        }
        form.finish();
    }

    static GrowingBloomFilter read(SavedFormReader form) throws IOException {
        long capacity = form.readLong("capacity", 1, Long.MAX_VALUE);
        double rate = form.readRate();
        SplitBlockFilter[] layers = new SplitBlockFilter[(int) form.readLong("layers", 1, MAX_LAYERS)];
        for (int i = 0; i < layers.length; i++) {
            layers[i] = SplitBlockFilter.read(form);
        }
        return new GrowingBloomFilter(capacity, rate, form.seed(), layers);
    }
}
