package dev.sieve.shared;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The URLs of one batch that go to the engine in one round trip. Used by one thread at a time. */
final class PushPart {
    /** What the frames of the batch have in common. */
    final byte[] head;

    private final Map<Integer, Urls> ofSlice = new LinkedHashMap<>();
    private int size;
    private int bytes;

    PushPart(byte[] head) {
        this.head = head;
    }

    /**
     * A URL.
     *
     * @param index in the batch
     * @param length of its text
     */
    record Url(int index, long h1, long h2, long bucket, int length) {
        int fingerprint() {
            return (int) h2;
        }

        /** Returns the bucket and the fingerprint. */
        long place() {
            return (bucket << 32) | (h2 & 0xffffffffL);
        }
    }

    /** The URLs of one slice, and the response to them. */
    static final class Urls {
        final List<Url> all = new ArrayList<>();
        /** The texts, one after the other. */
        final ByteArrayOutputStream texts = new ByteArrayOutputStream();

        final BitSet isNew = new BitSet(0);
        /** How many URLs the slice has accepted, when one of these is new. */
        long acceptedInSlice;

        /** Why the engine has refused them. */
        @Nullable
        RuntimeException failure;
    }

    /** Returns how many URLs it has. */
    int size() {
        return size;
    }

    /** Returns how many bytes it has. */
    int bytes() {
        return bytes;
    }

    /** Returns whether further URLs go into another round trip. */
    boolean isFull() {
        return size == PushTrips.MAX_URLS || bytes >= PushTrips.ENOUGH_BYTES;
    }

    /** Returns the slices of the URLs. */
    Map<Integer, Urls> ofSlice() {
        return ofSlice;
    }

    /** Returns the URLs of a slice. */
    Urls ofSlice(int slice) {
        Urls urls = ofSlice.get(slice);
        if (urls == null) {
            urls = new Urls();
            ofSlice.put(slice, urls);
            bytes += head.length;
        }
        return urls;
    }

    /** Adds a URL, whose text was appended to those of its slice. */
    void add(Urls urls, Url url) {
        urls.all.add(url);
        size++;
        bytes += url.length;
    }
}
