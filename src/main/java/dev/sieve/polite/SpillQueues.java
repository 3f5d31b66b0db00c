package dev.sieve.polite;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * One first-in-first-out queue of records a host, in one file.
 *
 * <p>The records of a host are a stream that is cut into blocks, and each block names the one that goes on; so adding and
 * removing cost O(1) work on the disk, whoever else has how much in the file, and a block is used again as soon as it was
 * read. Twenty bytes of memory a host and none a record. Numbers are big endian.
 *
 * <pre>
 * block    0      payload, 1,020 bytes
 *          1020   number of the next block, 4 bytes; written together with the last byte of the payload
 *
 * record   0      length n, 4 bytes
 *          4      CRC32C of the bytes, 4 bytes
 *          8      the bytes, n of them
 * </pre>
 *
 * <p>When adding fails, nothing was added. When removing fails, the file is of no more use.
 */
final class SpillQueues implements Closeable {
    private static final int NONE = -1;
    private static final int PAYLOAD = BlockFile.BLOCK - Integer.BYTES;
    private static final int HEADER = 2 * Integer.BYTES;
    private static final int MAX_RECORD = 1 << 24;

    private final BlockFile file;

    private int[] records = new int[0];
    private int[] firstBlocks = new int[0];
    private int[] lastBlocks = new int[0];
    private short[] firstOffsets = new short[0];
    private short[] lastOffsets = new short[0];

    /** The block that was read last, and how much of it. */
    private final byte[] block = new byte[BlockFile.BLOCK];

    private int blockNumber = NONE;
    private int blockLength;

    private final byte[] piece = new byte[BlockFile.BLOCK];
    private final byte[] header = new byte[HEADER];

    SpillQueues(BlockFile file) {
        this.file = file;
    }

    /** Makes room for hosts with numbers below the capacity. */
    void grow(int capacity) {
        int old = records.length;
        records = Arrays.copyOf(records, capacity);
        firstBlocks = Arrays.copyOf(firstBlocks, capacity);
        lastBlocks = Arrays.copyOf(lastBlocks, capacity);
        firstOffsets = Arrays.copyOf(firstOffsets, capacity);
        lastOffsets = Arrays.copyOf(lastOffsets, capacity);
        Arrays.fill(lastBlocks, old, capacity, NONE);
    }

    boolean isEmpty(int host) {
        return records[host] == 0;
    }

    int blocksInUse() {
        return file.blocksInUse();
    }

    void addLast(int host, byte[] record) throws IOException {
        if (record.length > MAX_RECORD) {
            throw new IllegalArgumentException("item takes more than " + MAX_RECORD + " bytes: " + record.length);
        }
        byte[] frame = ByteBuffer.allocate(HEADER + record.length)
                .putInt(record.length)
                .putInt(checksum(record))
                .put(record)
                .array();
        boolean first = lastBlocks[host] == NONE;
        int offset = first ? 0 : lastOffsets[host];
        int[] blocks = blocksFor(first ? NONE : lastBlocks[host], (offset + frame.length) / PAYLOAD + 1);
        try {
            write(frame, blocks, offset);
        } catch (IOException e) {
            releaseFrom(blocks, first ? 0 : 1);
            throw e;
        }
        if (first) {
            firstBlocks[host] = blocks[0];
            firstOffsets[host] = 0;
        }
        lastBlocks[host] = blocks[blocks.length - 1];
        lastOffsets[host] = (short) ((offset + frame.length) % PAYLOAD);
        records[host]++;
    }

    /** The block to begin with and those that go on. */
    private int[] blocksFor(int last, int count) {
        int[] blocks = new int[count];
        blocks[0] = last == NONE ? file.allocate() : last;
        for (int i = 1; i < count; i++) {
            blocks[i] = file.allocate();
        }
        return blocks;
    }

    private void releaseFrom(int[] blocks, int from) {
        for (int i = from; i < blocks.length; i++) {
            file.release(blocks[i]);
        }
    }

    private void write(byte[] frame, int[] blocks, int firstOffset) throws IOException {
        int offset = firstOffset;
        int done = 0;
        for (int i = 0; done < frame.length; i++) {
            int length = Math.min(frame.length - done, PAYLOAD - offset);
            System.arraycopy(frame, done, piece, 0, length);
            done += length;
            boolean full = offset + length == PAYLOAD;
            if (full) {
                ByteBuffer.wrap(piece).putInt(length, blocks[i + 1]);
            }
            file.write(blocks[i], offset, piece, full ? length + Integer.BYTES : length);
            offset = 0;
        }
    }

    /** Takes out the first record of a host, which must have one. */
    byte[] removeFirst(int host) throws IOException {
        read(host, header);
        ByteBuffer fields = ByteBuffer.wrap(header);
        int length = fields.getInt();
        if (length < 0 || length > MAX_RECORD) {
            throw file.damaged(firstBlocks[host], firstOffsets[host], "a record of length " + length);
        }
        byte[] record = new byte[length];
        read(host, record);
        if (checksum(record) != fields.getInt()) {
            throw file.damaged(firstBlocks[host], firstOffsets[host], "a record that is not what was written, ending");
        }
        records[host]--;
        if (records[host] == 0) {
            releaseRest(host);
        }
        return record;
    }

    /** Whether the next record of a host can be had without the disk. */
    boolean isAtHand(int host) {
        int from = firstOffsets[host];
        boolean headerAtHand = records[host] > 0 && firstBlocks[host] == blockNumber && from + HEADER <= readable();
        return headerAtHand && from + HEADER + (long) ByteBuffer.wrap(block).getInt(from) <= readable();
    }

    private int readable() {
        return Math.min(blockLength, PAYLOAD);
    }

    private void read(int host, byte[] target) throws IOException {
        int done = 0;
        while (done < target.length) {
            int number = firstBlocks[host];
            int offset = firstOffsets[host];
            boolean last = number == lastBlocks[host];
            int length = Math.min(target.length - done, (last ? lastOffsets[host] : PAYLOAD) - offset);
            if (length <= 0) {
                throw file.damaged(number, offset, "a record that is longer than what was written");
            }
            load(number, offset + length, last ? lastOffsets[host] : BlockFile.BLOCK);
            System.arraycopy(block, offset, target, done, length);
            done += length;
            if (offset + length == PAYLOAD) {
                firstBlocks[host] = ByteBuffer.wrap(block).getInt(PAYLOAD);
                firstOffsets[host] = 0;
                release(number);
            } else {
                firstOffsets[host] = (short) (offset + length);
            }
        }
    }

    private void load(int number, int needed, int length) throws IOException {
        if (number == blockNumber && needed <= blockLength && (needed < PAYLOAD || length == blockLength)) {
            return;
        }
        blockNumber = NONE;
        file.read(number, block, length);
        blockNumber = number;
        blockLength = length;
    }

    private void releaseRest(int host) {
        release(firstBlocks[host]);
        lastBlocks[host] = NONE;
        lastOffsets[host] = 0;
    }

    private void release(int number) {
        if (number == blockNumber) {
            blockNumber = NONE;
        }
        file.release(number);
    }

    private static int checksum(byte[] record) {
        CRC32C checksum = new CRC32C();
        checksum.update(record);
        return (int) checksum.getValue();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
