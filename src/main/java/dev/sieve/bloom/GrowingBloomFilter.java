package dev.sieve.bloom;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/**
 * A Bloom filter without an end: whenever it is full it gets a further layer, twice as large and stricter.
 *
 * <p>[P. Almeida, C. Baquero, N. Preguiça and D. Hutchison, "Scalable Bloom filters", Information Processing Letters 101
 * (2007)]. Layer i, from 0 on, is a {@link SplitBlockFilter} for a rate of p / ((i + 1) (i + 2)). The sum of these over
 * all layers, however many there are, is below p, and so is the rate of the whole.
 *
 * <p>A key costs a look into each layer. A filter that has grown to twenty times its capacity has five layers; one that
 * was made large enough has one, and takes a little more memory than a filter that cannot grow. The add that finds the
 * newest layer full waits until the memory of the next one has been cleared.
 */
public final class GrowingBloomFilter implements Membership {
    static final int KIND = 3;

    /** Each layer but the largest is twice the one before it: no machine holds more. */
    private static final int MAX_LAYERS = 1000;

    private final long capacity;
    private final double rate;
    private final long seed;

    /** The oldest first. Never changed, only replaced, as {@link #absent} and {@link #writeTo} may read it meanwhile. */
    private volatile SplitBlockFilter[] layers;

    private GrowingBloomFilter(long capacity, double rate, long seed, SplitBlockFilter... layers) {
        this.capacity = capacity;
        this.rate = rate;
        this.seed = seed;
        this.layers = layers;
    }

    /** A filter as by {@link #create(long, double, long)} with the seed 0. */
    public static GrowingBloomFilter create(long expectedInsertions, double falsePositiveRate) {
        return create(expectedInsertions, falsePositiveRate, 0);
    }

    /**
     * A filter that stays below a rate whatever is added to it.
     *
     * @param expectedInsertions distinct keys that the first layer holds, at least 1
     * @param falsePositiveRate of all layers together, from {@link BloomSize#MIN_RATE} to {@link BloomSize#MAX_RATE}
     * @param seed {@link Memberships#randomSeed()} when others choose the keys and must not know which bits they set
     * @throws IllegalArgumentException when a value is out of its range, or the first layer would take more than 16 GiB
     */
    public static GrowingBloomFilter create(long expectedInsertions, double falsePositiveRate, long seed) {
        SplitBlockFilter first = layer(0, expectedInsertions, BloomSize.checkRate(falsePositiveRate), seed);
        return new GrowingBloomFilter(expectedInsertions, falsePositiveRate, seed, first);
    }

    private static SplitBlockFilter layer(int index, long keys, double rate, long seed) {
        return SplitBlockFilter.create(keys, layerRate(index, rate), seed);
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
        SplitBlockFilter[] all = layers;
        int index = all.length;
        long most = BloomSize.splitBlockKeys(SplitBlockFilter.MAX_BITS, layerRate(index, rate));
        SplitBlockFilter next = layer(index, 2 * Math.min(all[index - 1].capacity(), most / 2), rate, seed);
        SplitBlockFilter[] more = Arrays.copyOf(all, index + 1);
        more[index] = next;
        layers = more;
        return next;
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

    /** How many layers there are; 1 until the first is full. */
    public int layers() {
        return layers.length;
    }

    @Override
    public long seed() {
        return seed;
    }

    /** {@inheritDoc} Beyond it the filter grows. */
    @Override
    public long capacity() {
        return capacity;
    }

    @Override
    public long estimatedSize() {
        long size = 0;
        for (SplitBlockFilter layer : layers) {
            size += layer.estimatedSize();
        }
        return size;
    }

    @Override
    public double falsePositiveRate() {
        double allSayNo = 1;
        for (SplitBlockFilter layer : layers) {
            allSayNo *= 1 - layer.falsePositiveRate();
        }
        return 1 - allSayNo;
    }

    @Override
    public long memoryBytes() {
        long bytes = 0;
        for (SplitBlockFilter layer : layers) {
            bytes += layer.memoryBytes();
        }
        return bytes;
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
        double rate = form.readRate("rate");
        SplitBlockFilter[] layers = new SplitBlockFilter[(int) form.readLong("layers", 1, MAX_LAYERS)];
        for (int i = 0; i < layers.length; i++) {
            layers[i] = SplitBlockFilter.read(form);
        }
        return new GrowingBloomFilter(capacity, rate, form.seed(), layers);
    }
}
