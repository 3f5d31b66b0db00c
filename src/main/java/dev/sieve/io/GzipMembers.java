package dev.sieve.io;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import java.util.zip.ZipException;

/**
 * The content of the members of a gzip file (RFC 1952), of which there may be any number, also empty ones. Other bytes
 * after a member are ignored. Used by one thread at a time. Closing it closes the file.
 */
public final class GzipMembers extends InputStream {
    private static final int MAGIC = 0x1f8b;
    private static final int HEADER_CHECKSUM = 2;
    private static final int EXTRA = 4;
    private static final int NAME = 8;
    private static final int COMMENT = 16;
    private static final int RESERVED = 0xe0;

    private final InputStream file;
    private final boolean isJoined;
    private final Inflater inflater = new Inflater(true);
    private final CRC32 checksum = new CRC32();
    private final byte[] buffer;
    private int next;
    private int end;
    /** How much of the file is before the end of the buffer. */
    private long read;

    private long start;
    private boolean isInMember;

    /**
     * Opens a file before its first member.
     *
     * @param isJoined whether reading continues with the next member after the end of one, as if {@link #next} was
     *     called
     * @param bufferBytes how much of the file is read at a time
     */
    public GzipMembers(InputStream file, boolean isJoined, int bufferBytes) {
        this.file = file;
        this.isJoined = isJoined;
        buffer = new byte[bufferBytes];
    }

    /**
     * Begins the next member, and skips what was not read of the present one; returns false at the end of the file, or
     * before other bytes, which are ignored.
     *
     * @throws ZipException when the present member is damaged, or the next one uses what the format does not define
     */
    public boolean next() throws IOException {
        while (isInMember) {
            skip(Long.MAX_VALUE);
        }
        start = position();
        int first = unsigned();
        int second = first < 0 ? -1 : unsigned();
        if (second < 0 || ((first << 8) | second) != MAGIC) {
            return false;
        }
        int method = needed();
        int flags = needed();
        if (method != 8 || (flags & RESERVED) != 0) {
            throw new ZipException("unknown form of gzip");
        }
        skipBytes(6);
        skipBytes((flags & EXTRA) == 0 ? 0 : needed() | (needed() << 8));
        skipText((flags & NAME) != 0);
        skipText((flags & COMMENT) != 0);
        skipBytes((flags & HEADER_CHECKSUM) == 0 ? 0 : 2);
        inflater.reset();
        checksum.reset();
        isInMember = true;
        return true;
    }

    /** Returns where in the file the present member begins. */
    public long start() {
        return start;
    }

    private long position() {
        return read - (end - next);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int from, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        do {
            int count = isInMember ? inflate(target, from, length) : -1;
            if (count > 0) {
                return count;
            }
        } while (isJoined && joins());
        return -1;
    }

    /** Begins the next member; what is none ends the content, unless it is the first one. */
    private boolean joins() throws IOException {
        boolean isFirst = position() == 0;
        try {
            return next();
        } catch (EOFException | ZipException e) {
            if (isFirst) {
                throw e;
            }
            return false;
        }
    }

    /** Returns how many bytes of the member were written; -1 at its end. */
    private int inflate(byte[] target, int from, int length) throws IOException {
        try {
            while (true) {
                if (inflater.needsInput()) {
                    if (next == end && !fill()) {
                        throw new EOFException("the member of gzip ends early");
                    }
                    inflater.setInput(buffer, next, end - next);
                }
                int count = inflater.inflate(target, from, length);
                next = end - inflater.getRemaining();
                if (count > 0) {
                    checksum.update(target, from, count);
                    return count;
                } else if (inflater.finished()) {
                    isInMember = false;
                    endMember();
                    return -1;
                } else if (inflater.needsDictionary()) {
                    throw new ZipException("a dictionary is needed");
                }
            }
        } catch (DataFormatException e) {
            throw new ZipException(String.valueOf(e.getMessage()));
        }
    }

    private void endMember() throws IOException {
        long sum = number();
        if (sum != checksum.getValue() || number() != (inflater.getBytesWritten() & 0xffff_ffffL)) {
            throw new ZipException("wrong checksum");
        }
    }

    private long number() throws IOException {
        return needed() | (needed() << 8) | (needed() << 16) | ((long) needed() << 24);
    }

    private void skipText(boolean exists) throws IOException {
        int present = exists ? -1 : 0;
        while (present != 0) {
            present = needed();
        }
    }

    private void skipBytes(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            needed();
        }
    }

    private int needed() throws IOException {
        int value = unsigned();
        if (value < 0) {
            throw new EOFException("the file of gzip ends early");
        }
        return value;
    }

    private int unsigned() throws IOException {
        return next < end || fill() ? buffer[next++] & 0xff : -1;
    }

    private boolean fill() throws IOException {
        int count = file.read(buffer, 0, buffer.length);
        next = 0;
        end = Math.max(0, count);
        read += end;
        return count > 0;
    }

    @Override
    public void close() throws IOException {
        inflater.end();
        file.close();
    }
}
