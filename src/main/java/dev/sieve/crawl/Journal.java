package dev.sieve.crawl;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.NullMarked;

/**
 * The file from which the report of a crawl is made: one object of JSON per line, in ASCII. A line is buffered when {@link
 * #add} returns. When {@link #flush} returns, it survives the process, and if forced also a power failure.
 *
 * <p>The last field of each line, {@code crc}, is the CRC-32C of the bytes before it, so that a damaged line is recognised;
 * lines of a temporary file have none.
 *
 * <p>Methods that write throw {@link UncheckedIOException} when the disk fails. Safe for use by many threads.
 */
@NullMarked
public final class Journal implements Closeable {
    static final LineFile.Kind KIND =
            new LineFile.Kind("crawl-report", null, "a record of the report", Journal::isRecord);

    private static final String CHECKSUM = ",\"crc\":\"";
    private static final String END = "\"}";
    private static final int CHECKSUM_LENGTH = CHECKSUM.length() + 8 + END.length();
    private static final int BUFFER_BYTES = 1 << 16;

    private final Path folder;
    private final LineFile.Kind kind;
    private final LineFile file;
    private final boolean isTemporary;
    private final ByteArrayOutputStream buffer = new ByteArrayOutputStream(BUFFER_BYTES);

    private Journal(Path folder, LineFile.Kind kind, boolean isTemporary) throws IOException {
        this.folder = folder;
        this.kind = kind;
        this.isTemporary = isTemporary;
        if (isTemporary || Files.notExists(folder.resolve(kind.name()))) {
            LineFile.rewrite(folder, kind, line -> false, problem -> {});
        }
        file = new LineFile(folder, kind, LineFile.read(folder, kind, line -> {}, LineFile.REFUSE));
    }

    /** Opens the journal of a folder, or creates it; refuses a damaged one. */
    static Journal open(Path folder) throws IOException {
        return new Journal(folder, KIND, false);
    }

    /** Creates a journal in a temporary file, which is deleted when it is closed. */
    static Journal temporary(Path folder) throws IOException {
        String name = Files.createTempFile(folder, "crawl-report", ".tmp")
                .getFileName()
                .toString();
        return new Journal(folder, new LineFile.Kind(name, null, "a record of the report", line -> true), true);
    }

    /** Returns whether it is only for this run. */
    public boolean isTemporary() {
        return isTemporary;
    }

    /**
     * Appends a record.
     *
     * @param json an object of JSON in ASCII, in one line, that is not empty, with its braces
     */
    public synchronized void add(byte[] json) {
        if (isTemporary) {
            buffer.writeBytes(json);
        } else {
            int end = json.length - 1;
            buffer.write(json, 0, end);
            buffer.writeBytes((CHECKSUM + checksum(json, end) + END).getBytes(ISO_8859_1));
        }
        buffer.write('\n');
        if (buffer.size() >= BUFFER_BYTES) {
            write();
        }
    }

    private void write() {
        file.add(buffer.toByteArray());
        buffer.reset();
    }

    /** Hands what was added to the operating system, and forces it to the disk if {@code isForced}. */
    public synchronized void flush(boolean isForced) {
        // No other process, nor a later run, reads a temporary file.
        if (!isTemporary) {
            write();
            if (isForced) {
                file.force();
            }
        }
    }

    /** Receives records. */
    public interface Receiver {
        /** Receives a record as it was added, perhaps with the checksum as one more field. */
        void accept(String json) throws IOException;
    }

    /** Passes on all records, those of earlier runs first. */
    public synchronized void read(Receiver receiver) throws IOException {
        write();
        LineFile.read(folder, kind, receiver::accept, LineFile.REFUSE);
    }

    /**
     * Passes on the records in the folder of a crawl, which may be running.
     *
     * @param problems receives a description of each line that is damaged
     * @throws IOException when there are none
     */
    public static void read(Path folder, Receiver receiver, Consumer<String> problems) throws IOException {
        if (!KIND.exists(folder)) {
            throw new IOException(folder + ": no run of this job was started with --report");
        }
        LineFile.read(folder, KIND, receiver::accept, problems::accept);
    }

    private static boolean isRecord(String text) {
        int end = text.length() - CHECKSUM_LENGTH;
        if (end <= 0 || text.charAt(0) != '{') {
            return false;
        }
        return text.startsWith(CHECKSUM + checksum(text.getBytes(ISO_8859_1), end) + END, end);
    }

    private static String checksum(byte[] bytes, int end) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, end);
        return HexFormat.of().toHexDigits((int) crc.getValue());
    }

    @Override
    public synchronized void close() throws IOException {
        try (file) {
            flush(false);
        } finally {
            if (isTemporary) {
                Files.deleteIfExists(folder.resolve(kind.name()));
            }
        }
    }
}
