package dev.sieve;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The pending URLs in memory, first in, first out, in byte segments: Strings would take half as much again.
 *
 * <p>A segment is a sequence of records, which begin with a number in base 128, lowest digits first:
 *
 * <pre>
 *   0                                               end of the segment
 *   1  depth  redirects  label  0                   context of the URLs that follow, without a referrer
 *   1  depth  redirects  label  length + 1  bytes   the same, with a referrer
 *   length + 2  bytes                               a URL
 * </pre>
 *
 * The context is written when it changes: once per page, not once per link. Not safe for use by many threads.
 */
final class UrlQueue implements Deduplicator.Store {
    private static final int SEGMENT_BYTES = 1 << 16;
    private static final byte[] NO_SEGMENT = {};
    private static final int END = 0;
    private static final int CONTEXT = 1;
    private static final int FIRST_LENGTH = 2;
    private static final int MAX_NUMBER_BYTES = 5;

    private record Context(
            int depth, int redirects, int label, @Nullable String referrer) {
        boolean is(UrlBatch batch) {
            return depth == batch.depth()
                    && redirects == batch.redirects()
                    && label == batch.label()
                    && Objects.equals(referrer, batch.referrer());
        }
    }

    private static final Context SEED = new Context(0, 0, 0, null);

    private final ArrayDeque<byte[]> segments = new ArrayDeque<>();
    private byte[] tail = NO_SEGMENT;
    private int writeAt;
    private int readAt;
    private Context written = SEED;
    private Context read = SEED;
    private long nextId;
    private long size;

    long size() {
        return size;
    }

    /** Returns how many URLs were ever appended. */
    long accepted() {
        return nextId + size;
    }

    @Override
    public void append(UrlBatch batch, int from, long mask) {
        if (!written.is(batch)) {
            writeContext(new Context(batch.depth(), batch.redirects(), batch.label(), batch.referrer()));
        }
        for (long bits = mask; bits != 0; bits &= bits - 1) {
            int index = from + Long.numberOfTrailingZeros(bits);
            int start = batch.urlFrom(index);
            writeUrl(batch.urlBytes(index), start, batch.urlTo(index) - start);
        }
    }

    private void writeUrl(byte[] bytes, int start, int length) {
        reserve(MAX_NUMBER_BYTES + (long) length);
        writeNumber(Math.addExact(length, FIRST_LENGTH));
        write(bytes, start, length);
        size++;
    }

    private void writeContext(Context context) {
        byte[] referrer = context.referrer == null ? new byte[0] : context.referrer.getBytes(UTF_8);
        reserve(5 * MAX_NUMBER_BYTES + (long) referrer.length);
        writeNumber(CONTEXT);
        writeNumber(context.depth);
        writeNumber(context.redirects);
        writeNumber(context.label);
        writeNumber(context.referrer == null ? 0 : referrer.length + 1);
        write(referrer, 0, referrer.length);
        written = context;
    }

    /** Makes room for a record and the end mark. */
    private void reserve(long length) {
        if (writeAt + length >= tail.length) {
            if (tail != NO_SEGMENT) {
                tail[writeAt] = END;
            }
            tail = new byte[Math.toIntExact(Math.max(SEGMENT_BYTES, length + 1))];
            writeAt = 0;
            segments.addLast(tail);
        }
    }

    private void write(byte[] bytes, int start, int length) {
        System.arraycopy(bytes, start, tail, writeAt, length);
        writeAt += length;
    }

    private void writeNumber(int number) {
        int rest = number;
        while (rest > 0x7f) {
            tail[writeAt++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        tail[writeAt++] = (byte) rest;
    }

    /** Removes the first URL and returns it as a lease whose id counts the URLs; null when the queue is empty. */
    @Nullable
    Lease poll() {
        if (size == 0) {
            return null;
        }
        int number = readNumber();
        while (number < FIRST_LENGTH) {
            if (number == END) {
                segments.removeFirst();
                readAt = 0;
            } else {
                read = readContext();
            }
            number = readNumber();
        }
        String url = readString(number - FIRST_LENGTH);
        if (--size == 0) {
            rewind();
        }
        return new Lease(nextId++, url, read.depth, read.redirects, read.referrer, read.label, 0);
    }

    /** Reuses the segment of an empty queue, unless it is larger than usual. */
    private void rewind() {
        readAt = 0;
        writeAt = 0;
        segments.clear();
        if (tail.length == SEGMENT_BYTES) {
            segments.addLast(tail);
        } else {
            tail = NO_SEGMENT;
        }
        written = read;
    }

    private Context readContext() {
        int depth = readNumber();
        int redirects = readNumber();
        int label = readNumber();
        int length = readNumber();
        return new Context(depth, redirects, label, length == 0 ? null : readString(length - 1));
    }

    private String readString(int length) {
        String text = new String(segments.getFirst(), readAt, length, UTF_8);
        readAt += length;
        return text;
    }

    private int readNumber() {
        byte[] head = segments.getFirst();
        int number = 0;
        for (int shift = 0; ; shift += 7) {
            byte digits = head[readAt++];
            number |= (digits & 0x7f) << shift;
            if (digits >= 0) {
                return number;
            }
        }
    }
}
