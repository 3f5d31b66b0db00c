package dev.sieve.io;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/** One folder of files that are only read. Every method throws an {@link IOException} that names the file. */
public interface DiskView {

    /** A file that is read at any position. */
    interface Source extends Closeable {

        /** Reads up to {@code length} bytes, fewer only at the end of the file; returns how many, 0 at its end. */
        int read(long position, byte[] into, int from, int length) throws IOException;

        /** Returns the present length in bytes; it may grow at any time. */
        long size() throws IOException;

        /** Returns a stream of the bytes from a position on. Closing it does not close the file. */
        default InputStream stream(long start) {
            return new InputStream() {
                private long position = start;

                @Override
                public int read() throws IOException {
                    byte[] one = new byte[1];
                    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
                }

                @Override
                public int read(byte[] bytes, int from, int length) throws IOException {
                    int count = Source.this.read(position, bytes, from, length);
                    position += count;
                    return count == 0 ? -1 : count;
                }
            };
        }
    }

    List<String> names() throws IOException;

    Source read(String name) throws IOException;

    default long size(String name) throws IOException {
        try (Source source = read(name)) {
            return source.size();
        }
    }
}
