package dev.sieve.polite;

import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A temporary file of blocks of equal size that are allocated and released, the block that was released last first. It
 * takes four bytes of memory per free block. The file is deleted when it is closed or, where the system permits the
 * deletion of open files, however the process ends.
 *
 * <p>Uses a {@link RandomAccessFile}, because an interrupt of a thread that uses a channel closes the channel.
 */
class BlockFile implements Closeable {
    static final int BLOCK = 1024;

    private final Path path;
    private final RandomAccessFile file;
    private int[] free = new int[16];
    private int freeBlocks;
    private int blocks;

    BlockFile(Path directory) throws IOException {
        path = Files.createTempFile(directory, "hosts-", ".spill");
        file = new RandomAccessFile(path.toFile(), "rw");
        path.toFile().delete();
    }

    int allocate() {
        return freeBlocks > 0 ? free[--freeBlocks] : blocks++;
    }

    void release(int block) {
        if (freeBlocks == free.length) {
            free = Arrays.copyOf(free, 2 * freeBlocks);
        }
        free[freeBlocks++] = block;
    }

    int blocksInUse() {
        return blocks - freeBlocks;
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
