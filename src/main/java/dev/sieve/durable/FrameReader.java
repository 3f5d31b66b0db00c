package dev.sieve.durable;

import dev.sieve.io.DiskView;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads the frames of a file one after the other and trusts none of its bytes; the package documentation draws them.
 *
 * <p>A length is compared with the size of the file before memory is allocated for it. The methods that read the
 * payload of the present frame throw {@link DamageException} where it is not valid. Not safe for use by many threads.
 */
final class FrameReader implements Closeable {

    /** The search for the next undamaged frame computes checksums of at most this many times the size of the file. */
    private static final int SEARCH_EFFORT = 16;

    private final String name;
    private final DiskView.Source source;
    private final CRC32C crc = new CRC32C();
    private final int bufferBytes;
    private byte[] buffer = {};
    private long bufferAt; // file position of the first byte of the buffer
    private int filled; // bytes of the buffer
    private long frameAt; // file position of the present frame
    private long nextAt; // file position after it
    private int at; // index in the buffer of the next unread byte of the payload
    private int end; // index of the end of the payload
    private int kind;
    private @Nullable DamageException damage;

    FrameReader(String name, DiskView.Source source, long position, int bufferBytes) {
        this.name = name;
        this.source = source;
        this.bufferBytes = bufferBytes;
        nextAt = position;
        frameAt = position;
        bufferAt = position;
    }

    /** Reads the next frame; returns false at the end of the file, and where a frame is cut off or damaged, see {@link #damage}. */
    boolean next() throws IOException {
        frameAt = nextAt;
        at = 0;
        end = 0;
        damage = null;
        int available = fill(FrameWriter.HEADER_BYTES);
        if (available == 0) {
            return source.size() < frameAt && damaged("the file ends before");
        }
        if (available < FrameWriter.HEADER_BYTES) {
            return damaged("the file ends in the header of a frame");
        }
        int length = lengthAt(index());
        if (length < 0) {
            return damaged("not a frame");
        }
        int whole = FrameWriter.HEADER_BYTES + length;
        if (whole > source.size() - frameAt || fill(whole) < whole) {
            return damaged("the file ends within a frame of " + length + " bytes");
        }
        int start = index();
        if (!isSound(start, length)) {
            return damaged("wrong checksum of a frame of " + length + " bytes");
        }
        at = start + FrameWriter.HEADER_BYTES;
        end = start + whole;
        nextAt = frameAt + whole;
        kind = buffer[at++] & 0xff;
        return true;
    }

    private boolean damaged(String what) {
        damage = broken(what);
        return false;
    }

    /** Returns the length of the payload of the frame at an index; negative when it does not start with a header. */
    private int lengthAt(int index) {
        int head = (int) FrameWriter.INT.get(buffer, index);
        int length = head & 0xffffff;
        return head >>> 24 == FrameWriter.MARK && length > 0 && length <= FrameWriter.MAX_PAYLOAD ? length : -1;
    }

    private boolean isSound(int index, int length) {
        crc.reset();
        crc.update(buffer, index, 4);
        crc.update(buffer, index + FrameWriter.HEADER_BYTES, length);
        return (int) crc.getValue() == (int) FrameWriter.INT.get(buffer, index + 4);
    }

    /** Fills the buffer from the present frame on; returns how many of the wanted bytes it holds, fewer at the end. */
    private int fill(int wanted) throws IOException {
        if (frameAt < bufferAt || frameAt > bufferAt + filled) {
            bufferAt = frameAt;
            filled = 0;
        }
        int start = index();
        if (filled - start < wanted) {
            System.arraycopy(buffer, start, buffer, 0, filled - start);
            filled -= start;
            bufferAt = frameAt;
            long needed = Math.max(wanted, Math.min(bufferBytes, source.size() - bufferAt));
            if (needed > buffer.length) {
                buffer = Arrays.copyOf(buffer, (int) needed);
            }
            filled += source.read(bufferAt + filled, buffer, filled, buffer.length - filled);
            start = 0;
        }
        return Math.min(wanted, filled - start);
    }

    /**
     * Moves from damage to the next undamaged frame, which {@link #next} then reads; false when none was found with an
     * effort in proportion to the size of the file.
     */
    boolean skipDamage() throws IOException {
        long size = source.size();
        long effort = SEARCH_EFFORT * size;
        long damageAt = frameAt;
        for (frameAt++; frameAt < size; frameAt++) {
            if (fill(FrameWriter.HEADER_BYTES + 1) < FrameWriter.HEADER_BYTES + 1) {
                break;
            }
            int length = lengthAt(index());
            int whole = FrameWriter.HEADER_BYTES + length;
            if (length < 0
                    || whole > size - frameAt
                    || !FrameKind.isOfLog(buffer[index() + FrameWriter.HEADER_BYTES])) {
                continue;
            }
            effort -= length;
            if (effort < 0) {
                break;
            }
            if (fill(whole) == whole && isSound(index(), length)) {
                nextAt = frameAt;
                return true;
            }
        }
        frameAt = damageAt;
        nextAt = damageAt;
        return false;
    }

    private int index() {
        return (int) (frameAt - bufferAt);
    }

    /** Returns the file position of the present frame, or of the damage. */
    long position() {
        return frameAt;
    }

    long nextPosition() {
        return nextAt;
    }

    long size() throws IOException {
        return source.size();
    }

    int kind() {
        return kind;
    }

    boolean hasMore() {
        return at < end;
    }

    /** Reads a number of the payload and checks that it is from 0 to {@code max}. */
    long number(String field, long max) throws IOException {
        long value = 0;
        for (int shift = 0; shift < 63; shift += 7) {
            if (at == end) {
                throw broken(field + " is cut off");
            }
            byte digits = buffer[at++];
            value |= (digits & 0x7fL) << shift;
            if (digits >= 0) {
                if (value > max) {
                    throw broken(field + " must be from 0 to " + max + ": " + value);
                }
                return value;
            }
        }
        throw broken(field + " is too long");
    }

    int integer(String field) throws IOException {
        return (int) number(field, Integer.MAX_VALUE);
    }

    /** Reads numbers of 8 bytes each, lowest byte first. */
    long[] longs(String field, int count) throws IOException {
        long[] numbers = new long[count];
        int start = skip(field, count * Long.BYTES);
        ByteBuffer.wrap(buffer, start, count * Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .asLongBuffer()
                .get(numbers);
        return numbers;
    }

    /** Skips bytes of the payload and returns where in {@link #buffer} they begin. */
    int skip(String field, int length) throws IOException {
        if (length > end - at) {
            throw broken(field + " is cut off");
        }
        at += length;
        return at - length;
    }

    /** Returns the buffer, which holds the payload of the present frame until the next one is read. */
    byte[] buffer() {
        return buffer;
    }

    /** Reads the next frame, which must exist and be of a kind. */
    void require(int required) throws IOException {
        requireFrame();
        if (kind != required) {
            throw broken("a frame of kind " + kind + " instead of " + required);
        }
    }

    /** Reads the next frame, which must exist. */
    void requireFrame() throws IOException {
        if (!next()) {
            throw damage == null ? broken("the file ends too early") : damage;
        }
    }

    /** Returns the damage that {@link #next} found; null when it read a frame or reached the end of the file. */
    @Nullable
    DamageException damage() {
        return damage;
    }

    /** Returns the exception for a frame that is undamaged but not valid. */
    DamageException broken(@Nullable String what) {
        return new DamageException(name, frameAt, what);
    }

    @Override
    public void close() throws IOException {
        source.close();
    }
}
