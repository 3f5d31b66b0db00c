package dev.sieve.output;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;
import org.netpreserve.jwarc.ParsingException;
import org.netpreserve.jwarc.WarcCompression;
import org.netpreserve.jwarc.WarcDigest;
import org.netpreserve.jwarc.WarcReader;
import org.netpreserve.jwarc.WarcRecord;
import org.netpreserve.jwarc.WarcRequest;

/**
 * The whole records at the beginning of a file of an archive. A request belongs to the response that follows it, and is not
 * whole without it.
 *
 * @param end the position after the last one
 * @param problem why the record there is not whole; null when the file ends before the record or its exchange does
 */
record WholeRecords(long end, @Nullable String problem) {
    /** Bytes by which a reader recognises the format. */
    private static final int MIN_BYTES = 4;

    /** The two line ends after a record. */
    private static final int END_BYTES = 4;

    /**
     * Reads a file.
     *
     * @param size how many bytes of it
     * @throws IOException when the disk fails, with the name of the file
     */
    static WholeRecords of(Path file, long size) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            return size < MIN_BYTES ? new WholeRecords(0, null) : new Scan(channel, size).run();
        } catch (IOException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    /** The bytes of a file before a position. */
    private record Beginning(FileChannel file, long end) implements ReadableByteChannel {
        @Override
        public int read(ByteBuffer into) throws IOException {
            long left = end - file.position();
            if (left <= 0) {
                return -1;
            }
            int read = file.read(into.slice().limit((int) Math.min(into.remaining(), left)));
            into.position(into.position() + Math.max(0, read));
            return read;
        }

        @Override
        public boolean isOpen() {
            return file.isOpen();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    /** Reads the records one after the other. */
    private static final class Scan {
        private final FileChannel channel;
        private final WarcReader reader;
        private final long size;
        private boolean hasNoEnd;
        private @Nullable String problem;
        private @Nullable WarcRecord last;
        private boolean lastAwaitsResponse;
        private long lastStart;
        private long end;

        Scan(FileChannel channel, long size) throws IOException {
            this.channel = channel;
            this.size = size;
            reader = new WarcReader(new Beginning(channel, size));
            reader.onWarning(warning -> hasNoEnd = true);
        }

        WholeRecords run() throws IOException {
            try (reader) {
                boolean hasNext = true;
                while (hasNext) {
                    hasNext = advance();
                }
            } catch (RuntimeException e) {
                // The reader parses some fields when they are used.
                problem = String.valueOf(e.getMessage());
            }
            return new WholeRecords(end, problem);
        }

        /** Reads a record, after which it is known whether the one before it is whole; returns false at the end. */
        private boolean advance() throws IOException {
            WarcRecord next = next();
            long position = reader.position();
            if (hasNoEnd) {
                // The position is after the record.
                problem = position > size - END_BYTES ? null : "a record without its end";
                return false;
            }
            if (last != null && position > lastStart) {
                if (!isIntact(last, position)) {
                    problem = "a record that does not match its checksum";
                    return false;
                }
                end = lastAwaitsResponse ? end : position;
            }
            // Other programs write the request after the response.
            lastAwaitsResponse = next instanceof WarcRequest request
                    && (last == null || !request.concurrentTo().contains(last.id()));
            last = next;
            lastStart = position;
            return next != null;
        }

        /** Returns the next record; null when there is none that begins well. */
        private @Nullable WarcRecord next() throws IOException {
            try {
                return reader.next().orElse(null);
            } catch (EOFException e) {
                return null;
            } catch (ParsingException | ZipException | RuntimeException e) {
                // For fields that it cannot parse, the reader throws unchecked exceptions.
                problem = String.valueOf(e.getMessage());
                return null;
            }
        }

        /** Whether a record that was read is what was written. Only those that may have a hole are checked. */
        private boolean isIntact(WarcRecord record, long recordEnd) throws IOException {
            if (size - lastStart > FileEnd.MAX_BYTES) {
                return true;
            }
            byte[] bytes = new byte[(int) (recordEnd - lastStart)];
            channel.read(ByteBuffer.wrap(bytes), lastStart);
            return reader.compression() == WarcCompression.NONE ? matchesDigest(record, bytes) : matchesChecksum(bytes);
        }

        private static boolean matchesDigest(WarcRecord record, byte[] bytes) throws IOException {
            WarcDigest stored = record.blockDigest().orElse(null);
            if (stored == null) {
                return true;
            }
            try {
                MessageDigest digest = stored.getDigester();
                int length = (int) record.body().size();
                digest.update(bytes, bytes.length - END_BYTES - length, length);
                return stored.equals(new WarcDigest(digest));
            } catch (NoSuchAlgorithmException e) {
                // Of another program.
                return true;
            }
        }

        /** Whether a gzip member matches its checksum, which the reader ignores. */
        private static boolean matchesChecksum(byte[] bytes) throws IOException {
            try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
                in.transferTo(OutputStream.nullOutputStream());
                return true;
            } catch (EOFException | ZipException e) {
                return false;
            }
        }
    }
}
