package dev.sieve.shared;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The URLs of one batch that go to the engine in one round trip, and the response to them. Used by one thread at a time. */
final class PushPart {
    /** The maximum number of URLs per round trip; Lua limits the values that {@code unpack} returns. */
    static final int MAX_URLS = 2048;

    /** The bytes of a round trip of several parts, at most; a single part may exceed it by one URL. */
    private static final int ENOUGH_BYTES = 1 << 18;

    /** What the frames of the batch have in common. */
    final byte[] head;

    final Map<Integer, Urls> ofSlice = new LinkedHashMap<>();
    private int size;
    private int bytes;

    PushPart(byte[] head) {
        this.head = head;
    }

    /** A URL: its index in the batch, its hash, its bucket, and the length of its text. */
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
        final ByteArrayOutputStream texts = new ByteArrayOutputStream();

        /** The indexes in the batch of those that are new. */
        final BitSet isNew = new BitSet(0);
        /** How many URLs the slice has accepted, when one of these is new. */
        long acceptedInSlice;

        /** Why the engine has refused them. */
        @Nullable
        RuntimeException failure;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** Returns whether further URLs go into another round trip. */
    boolean isFull() {
        return size == MAX_URLS || bytes >= ENOUGH_BYTES;
    }

    /** Returns whether this fits into a round trip with other parts. */
    boolean fitsWith(List<PushPart> others) {
        int urls = others.stream().mapToInt(part -> part.size).sum();
        int sum = others.stream().mapToInt(part -> part.bytes).sum();
        return others.isEmpty() || (urls + size <= MAX_URLS && sum + bytes <= ENOUGH_BYTES);
    }

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
