package dev.sieve.durable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;

/** Builds frames, which the package documentation draws, to be written together. Not safe for use by many threads. */
final class FrameWriter {
    /** Length, mark and checksum, which precede the payload. */
    static final int HEADER_BYTES = 8;

    /** The longest payload: enough for a URL, its key and its referrer, each of the maximum length. */
    static final int MAX_PAYLOAD = 1 << 22;

    /** The byte after the length, by which a reader finds the next frame after damage. */
    static final int MARK = 0xf5;

    /** Four bytes of an array, lowest byte first. */
    static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN)
            .withInvokeExactBehavior();

    private final CRC32C crc = new CRC32C();
    private byte[] bytes = new byte[1 << 13];
    private int size;
    private int frame;

    byte[] bytes() {
        return bytes;
    }

    int size() {
        return size;
    }

    void clear() {
        size = 0;
    }

    /** Starts a frame; all that is put until {@link #end} is its payload. */
    void begin(int kind) {
        frame = size;
        reserve(HEADER_BYTES);
        size += HEADER_BYTES;
        putNumber(kind);
    }

    void putFrame(int kind, long... numbers) {
        begin(kind);
        putNumbers(numbers);
        end();
    }

    int payload() {
        return size - frame - HEADER_BYTES;
    }

    /** Ends the frame: fills in its length and its checksum. */
    void end() {
        int payload = payload();
        if (payload > MAX_PAYLOAD) {
            throw new IllegalStateException("a frame holds at most " + MAX_PAYLOAD + " bytes: " + payload);
        }
        INT.set(bytes, frame, MARK << 24 | payload);
        crc.reset();
        crc.update(bytes, frame, 4);
        crc.update(bytes, frame + HEADER_BYTES, payload);
        INT.set(bytes, frame + 4, (int) crc.getValue());
    }

    void putNumbers(long... numbers) {
        for (long number : numbers) {
            putNumber(number);
        }
    }

    /** Puts a number from 0 on in base 128, lowest digits first, each byte but the last with its upper bit set. */
    void putNumber(long number) {
        reserve(10);
        long rest = number;
        while (rest > 0x7f) {
            bytes[size++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[size++] = (byte) rest;
    }

    void put(byte[] source, int from, int to) {
        int length = to - from;
        reserve(length);
        System.arraycopy(source, from, bytes, size, length);
        size += length;
    }

    /** Puts numbers of 8 bytes each, lowest byte first. */
    void putLongs(long... numbers) {
        reserve(Math.multiplyExact(numbers.length, Long.BYTES));
        ByteBuffer.wrap(bytes, size, numbers.length * Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .asLongBuffer()
                .put(numbers);
        size += numbers.length * Long.BYTES;
    }

    private void reserve(int length) {
        if (length > bytes.length - size) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, Math.addExact(size, length)));
        }
    }
}
