package dev.sieve.polite;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * One first-in, first-out queue of records per host, in one file.
 *
 * <p>The records of a host are a stream that is split into blocks, and each block holds the number of the next one. So
 * adding and removing take O(1) disk accesses, however much other hosts have in the file, and a block can be used again as
 * soon as it was read. Takes 16 bytes of memory per host, in {@link Host}, and none per record. Numbers are big endian.
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
 * <p>If adding fails, nothing was added. If removing fails, the file must not be used any more.
 */
final class SpillQueues implements Closeable {
    private static final int NONE = Host.NONE;
    private static final int PAYLOAD = BlockFile.BLOCK - Integer.BYTES;
    private static final int HEADER = 2 * Integer.BYTES;
    private static final int MAX_RECORD = 1 << 24;

    final BlockFile file;

    // The block that was read last, and how many bytes of it were read.
    private final byte[] block = new byte[BlockFile.BLOCK];
    private int blockNumber = NONE;
    private int blockLength;

    private final byte[] piece = new byte[BlockFile.BLOCK];
    private final byte[] header = new byte[HEADER];

    SpillQueues(BlockFile file) {
        this.file = file;
    }

    void addLast(Host host, byte[] record) throws IOException {
        if (record.length > MAX_RECORD) {
            throw new IllegalArgumentException("item takes more than " + MAX_RECORD + " bytes: " + record.length);
        }
        byte[] frame = ByteBuffer.allocate(HEADER + record.length)
                .putInt(record.length)
                .putInt(checksum(record))
                .put(record)
                .array();
        boolean isFirst = host.lastBlock == NONE;
        int offset = isFirst ? 0 : host.lastOffset;
        int[] blocks = new int[(offset + frame.length) / PAYLOAD + 1];
        for (int i = 0; i < blocks.length; i++) {
            blocks[i] = i == 0 && !isFirst ? host.lastBlock : file.allocate();
        }
        try {
            write(frame, blocks, offset);
        } catch (IOException e) {
            for (int i = isFirst ? 0 : 1; i < blocks.length; i++) {
                file.release(blocks[i]);
            }
            throw e;
        }
        if (isFirst) {
            host.firstBlock = blocks[0];
            host.firstOffset = 0;
        }
        host.lastBlock = blocks[blocks.length - 1];
        host.lastOffset = (short) ((offset + frame.length) % PAYLOAD);
        host.itemsSpilled++;
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

    /** Removes the first record of a host, which must have one. */
    byte[] removeFirst(Host host) throws IOException {
        read(host, header);
        ByteBuffer fields = ByteBuffer.wrap(header);
        int length = fields.getInt();
        if (length < 0 || length > MAX_RECORD) {
            throw file.damaged(host.firstBlock, host.firstOffset, "a record of length " + length);
        }
        byte[] record = new byte[length];
        read(host, record);
        if (checksum(record) != fields.getInt()) {
            throw file.damaged(host.firstBlock, host.firstOffset, "a record that is not what was written, ending");
        }
        host.itemsSpilled--;
        if (host.itemsSpilled == 0) {
            release(host.firstBlock);
            host.lastBlock = NONE;
            host.lastOffset = 0;
        }
        return record;
    }

    /** Whether the next record of a host can be read without a disk access. */
    boolean isAtHand(Host host) {
        int from = host.firstOffset;
        boolean headerAtHand = host.itemsSpilled > 0 && host.firstBlock == blockNumber && from + HEADER <= readable();
        return headerAtHand && from + HEADER + (long) ByteBuffer.wrap(block).getInt(from) <= readable();
    }

    private int readable() {
        return Math.min(blockLength, PAYLOAD);
    }

    private void read(Host host, byte[] target) throws IOException {
        int done = 0;
        while (done < target.length) {
            int number = host.firstBlock;
            int offset = host.firstOffset;
            boolean last = number == host.lastBlock;
            int length = Math.min(target.length - done, (last ? host.lastOffset : PAYLOAD) - offset);
            if (length <= 0) {
                throw file.damaged(number, offset, "a record that is longer than what was written");
            }
            load(number, offset + length, last ? host.lastOffset : BlockFile.BLOCK);
            System.arraycopy(block, offset, target, done, length);
            done += length;
            if (offset + length == PAYLOAD) {
                host.firstBlock = ByteBuffer.wrap(block).getInt(PAYLOAD);
                host.firstOffset = 0;
                release(number);
            } else {
                host.firstOffset = (short) (offset + length);
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
