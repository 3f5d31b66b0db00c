package dev.sieve.io;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.util.Arrays;

/**
 * Reads lines that end with a line feed as bytes, each up to a maximum length. Memory grows with the longest line, up
 * to that maximum. Not safe for use by many threads.
 */
public final class LineReader implements Closeable {
    private static final int BLOCK_BYTES = 1 << 16;

    private final InputStream in;
    private final int maxLength;
    private final byte[] block = new byte[BLOCK_BYTES];
    private int position;
    private int end;
    private byte[] line = new byte[1024];
    private int length;
    private boolean isCut;
    private boolean isTerminated;

    /** Creates a reader that closes its input; of a longer line than the maximum, only so many bytes are kept. */
    public LineReader(InputStream in, int maxLength) {
        this.in = in;
        this.maxLength = maxLength;
    }

    /** Reads the next line, which may be one without a line feed at the end of the input; returns false after that. */
    public boolean next() throws IOException {
        length = 0;
        isCut = false;
        isTerminated = false;
        boolean isRead = false;
        while (!isTerminated) {
            if (position == end) {
                end = in.read(block);
                position = 0;
                if (end <= 0) {
                    end = 0;
                    return isRead;
                }
            }
            isRead = true;
            int stop = position;
            while (stop < end && block[stop] != '\n') {
                stop++;
            }
            keep(stop);
            isTerminated = stop < end;
            position = isTerminated ? stop + 1 : stop;
        }
        return true;
    }

    private void keep(int stop) {
        int kept = Math.min(stop - position, maxLength - length);
        isCut |= kept < stop - position;
        if (length + kept > line.length) {
            line = Arrays.copyOf(line, (int) Math.min(maxLength, 2L * (length + kept)));
        }
        System.arraycopy(block, position, line, length, kept);
        length += kept;
    }

    /** Returns an array that begins with the bytes of the line, without its line feed; valid until the next call. */
    public byte[] bytes() {
        return line;
    }

    /** Returns the number of bytes of the line that were kept. */
    public int length() {
        return length;
    }

    public String text(Charset charset) {
        return new String(line, 0, length, charset);
    }

    /** Returns whether the line was longer than the maximum. */
    public boolean isCut() {
        return isCut;
    }

    /** Returns whether the line ended with a line feed. */
    public boolean isTerminated() {
        return isTerminated;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
