package dev.sieve.durable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Reads frames from a file one after the other, and trusts nothing in it; the package documentation draws them.
 *
 * <p>A length is compared with what the file holds before memory is taken for it. The payload of the present frame is
 * read by {@link #number}, {@link #longs} and {@link #skip}, which throw where it is not what a writer writes. Not safe
 * for use by many threads.
 */
final class FrameReader implements Closeable {

    /** What {@link #next} has found. */
    enum Found {
        /** A whole and undamaged frame. */
        FRAME,
        /** The end of the file, right after a frame. */
        END,
        /** Bytes that are no frame. */
        DAMAGE
    }

    /** How many bytes are summed up at most, for each byte of a file, in the search for the next undamaged frame. */
    private static final int SEARCH_EFFORT = 16;

    private final String name;
    private final Disk.Source source;
    private final CRC32C crc = new CRC32C();
    private final int enough;
    private byte[] buffer = {};
    /** The file position of the first byte of the buffer, and how many bytes of it are filled. */
    private long bufferAt;

    private int filled;
    /** The present frame, and the position after it; where to go on reading. */
    private long frameAt;

    private long nextAt;
    private String damage;
    /** Index in the buffer of what is read next of the payload, and of its end. */
    private int at;

    private int end;

    FrameReader(String name, Disk.Source source, long position, int bufferBytes) {
        this.name = name;
        this.source = source;
        this.enough = bufferBytes;
        this.nextAt = position;
        this.frameAt = position;
        this.bufferAt = position;
    }

    /** Reads the frame after the present one. After damage it finds the same damage again. */
    Found next() throws IOException {
        frameAt = nextAt;
        at = 0;
        end = 0;
        int available = fill(FrameWriter.HEADER_BYTES);
        if (available == 0) {
            return source.size() < frameAt ? damaged("the file ends before") : Found.END;
        }
        if (available < FrameWriter.HEADER_BYTES) {
            return damaged("the file ends in the head of a frame");
        }
        int length = lengthAt(index(frameAt));
        if (length < 0) {
            return damaged("this is no frame");
        }
        if (length > source.size() - frameAt - FrameWriter.HEADER_BYTES) {
            return damaged("the file ends within a frame of " + length + " bytes");
        }
        if (fill(FrameWriter.HEADER_BYTES + length) < FrameWriter.HEADER_BYTES + length) {
            return damaged("the file ends within a frame of " + length + " bytes");
        }
        int start = index(frameAt);
        if (!isSound(start, length)) {
            return damaged("the checksum of a frame of " + length + " bytes is wrong");
        }
        at = start + FrameWriter.HEADER_BYTES;
        end = at + length;
        nextAt = frameAt + FrameWriter.HEADER_BYTES + length;
        return Found.FRAME;
    }

    private Found damaged(String what) {
        damage = what;
        return Found.DAMAGE;
    }

    /** The length of the payload of the frame whose head is at an index; negative when it is none. */
    private int lengthAt(int index) {
        int head = intAt(index);
        int length = head & 0xffffff;
        return head >>> 24 == FrameWriter.MARK && length > 0 && length <= FrameWriter.MAX_PAYLOAD ? length : -1;
    }

    private int intAt(int index) {
        return (int) FrameWriter.INT.get(buffer, index);
    }

    private boolean isSound(int index, int length) {
        crc.reset();
        crc.update(buffer, index, 4);
        crc.update(buffer, index + FrameWriter.HEADER_BYTES, length);
        return (int) crc.getValue() == intAt(index + 4);
    }

    private int index(long position) {
        return (int) (position - bufferAt);
    }

    /** Has so many bytes from the present frame on in the buffer, or as many as there are; answers how many. */
    private int fill(int wanted) throws IOException {
        if (frameAt < bufferAt || frameAt > bufferAt + filled) {
            bufferAt = frameAt;
            filled = 0;
        }
        int start = index(frameAt);
        if (filled - start < wanted) {
            System.arraycopy(buffer, start, buffer, 0, filled - start);
            filled -= start;
            bufferAt = frameAt;
            long rest = Math.min(enough, source.size() - bufferAt);
            if (Math.max(wanted, rest) > buffer.length) {
                buffer = Arrays.copyOf(buffer, (int) Math.max(wanted, rest));
            }
            filled += source.read(bufferAt + filled, buffer, filled, buffer.length - filled);
            start = 0;
        }
        return Math.min(wanted, filled - start);
    }

    /**
     * After damage: goes to the next undamaged frame behind it, which {@link #next} then reads.
     *
     * @return false when there is none, or none was found with an effort in proportion to the length of the file
     */
    boolean skipDamage() throws IOException {
        long size = source.size();
        long effort = SEARCH_EFFORT * size;
        long damageAt = frameAt;
        for (frameAt++; frameAt < size; frameAt++) {
            if (fill(FrameWriter.HEADER_BYTES + 1) < FrameWriter.HEADER_BYTES + 1) {
                break;
            }
            int length = lengthAt(index(frameAt));
            if (length < 0
                    || length > size - frameAt - FrameWriter.HEADER_BYTES
                    || !FrameKind.isOfLog(buffer[index(frameAt) + FrameWriter.HEADER_BYTES])) {
                continue;
            }
            effort -= length;
            if (effort < 0) {
                break;
            }
            int whole = FrameWriter.HEADER_BYTES + length;
            if (fill(whole) == whole && isSound(index(frameAt), length)) {
                nextAt = frameAt;
                return true;
            }
        }
        frameAt = damageAt;
        nextAt = damageAt;
        return false;
    }

    /** The position of the present frame, or of the damage. */
    long position() {
        return frameAt;
    }

    /** The position after the present frame. */
    long nextPosition() {
        return nextAt;
    }

    /** The present length of the file. */
    long size() throws IOException {
        return source.size();
    }

    /** What is wrong at the {@link #position}. */
    String damage() {
        return damage;
    }

    /** Whether some of the payload is still to be read. */
    boolean hasMore() {
        return at < end;
    }

    /** Reads a number of the payload, which has to be from 0 to {@code max}. */
    long number(String field, long max) throws IOException {
        long value = 0;
        for (int shift = 0; shift < 63; shift += 7) {
            if (at == end) {
                throw broken(field + " is cut off");
            }
            byte digits = buffer[at++];
            value |= (digits & 0x7fL) << shift;
            if (digits >= 0) {
                if (value < 0 || value > max) {
                    throw broken(field + " must be from 0 to " + max + ": " + value);
                }
                return value;
            }
        }
        throw broken(field + " is too long");
    }

    /** Reads so many numbers of 8 bytes each, lowest byte first. */
    long[] longs(String field, int count) throws IOException {
        long[] numbers = new long[count];
        int start = skip(field, count * Long.BYTES);
        ByteBuffer.wrap(buffer, start, count * Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .asLongBuffer()
                .get(numbers);
        return numbers;
    }

    /** Reads the next frame, which has to be there and of such a kind, up to what follows its kind. */
    void require(int kind) throws IOException {
        requireFrame();
        if (kind() != kind) {
            throw broken("this is a frame of another kind");
        }
    }

    /** Reads the next frame, which has to be there. */
    void requireFrame() throws IOException {
        Found found = next();
        if (found != Found.FRAME) {
            throw broken(found == Found.END ? "the file ends too early" : damage);
        }
    }

    /** Reads the kind of the present frame, with which its payload begins. */
    int kind() throws IOException {
        return (int) number("kind", FrameWriter.MAX_KIND);
    }

    /** Goes over so many bytes of the payload and answers where in {@link #buffer} they begin. */
    int skip(String field, int length) throws IOException {
        if (length > end - at) {
            throw broken(field + " is cut off");
        }
        int start = at;
        at += length;
        return start;
    }

    /** Holds the payload of the present frame, until the next one is read. */
    byte[] buffer() {
        return buffer;
    }

    /** For a frame that is undamaged and makes no sense all the same. */
    DamageException broken(String what) {
        return new DamageException(name, frameAt, what);
    }

    @Override
    public void close() throws IOException {
        source.close();
    }
}
