package dev.sieve.polite;

import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;

/**
 * A temporary file of blocks of equal size that are allocated and released; the lowest free block is allocated first. It
 * takes one bit of memory per block. The file is deleted when it is closed or, where the system permits the deletion of
 * open files, however the process ends.
 *
 * <p>Uses a {@link RandomAccessFile}, because an interrupt of a thread that uses a channel closes the channel.
 */
class BlockFile implements Closeable {
    static final int BLOCK = 1024;

    private final Path path;
    private final RandomAccessFile file;
    private final BitSet used = new BitSet();
    private int lowestFree;

    BlockFile(Path directory) throws IOException {
        path = Files.createTempFile(directory, "hosts-", ".spill");
        file = new RandomAccessFile(path.toFile(), "rw");
        path.toFile().delete();
    }

    int allocate() {
        int block = used.nextClearBit(lowestFree);
        used.set(block);
        lowestFree = block + 1;
        return block;
    }

    void release(int block) {
        used.clear(block);
        lowestFree = Math.min(lowestFree, block);
    }

    int blocksInUse() {
        return used.cardinality();
    }

    void write(int block, int offset, byte[] source, int length) throws IOException {
        long at = (long) block * BLOCK + offset;
        try {
            file.seek(at);
            file.write(source, 0, length);
        } catch (IOException e) {
            throw new IOException("cannot write " + length + " bytes to " + path + " at offset " + at, e);
        }
    }

    /** Reads the first bytes of a block. */
    void read(int block, byte[] target, int length) throws IOException {
        long at = (long) block * BLOCK;
        try {
            file.seek(at);
            file.readFully(target, 0, length);
        } catch (IOException e) {
            throw new IOException("cannot read " + length + " bytes from " + path + " at offset " + at, e);
        }
    }

    IOException damaged(int block, int offset, String what) {
        return new IOException(what + " in " + path + " at offset " + ((long) block * BLOCK + offset));
    }

    @Override
    public void close() throws IOException {
        file.close();
        Files.deleteIfExists(path);
    }
}
