package dev.sieve.output;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE_NEW;

import dev.sieve.bloom.Memberships;
import dev.sieve.bloom.Murmur3;
import dev.sieve.io.LineReader;
import dev.sieve.io.LongTable;
import java.io.Closeable;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Writes a document that is complete only at the end of a run, and then replaces an earlier one at once.
 *
 * <p>Until then its entries are lines of a file beside it, {@code NAME.lines}, which survives and continues like any
 * output of lines. Each entry has a name, such as a URL, and replaces an earlier one of the same name. A job keeps the
 * lines, from which a later run continues the document; without a job they are deleted when the document is written.
 */
abstract class DocumentSink implements PageSink {
    private static final int MAX_LINE = 1 << 18;

    /** Of the heap, what the names may take; names beyond that have all their entries. */
    private static final int MEMORY_SHARE = 16;

    final Path file;

    private final Path lines;
    private final Writer out;
    private final boolean isKept;
    private final long seed = Memberships.randomSeed();

    /** The number of the last line of each name, by its hash, when all are written. */
    private final LongTable last =
            new LongTable((int) Math.min(Integer.MAX_VALUE, Runtime.getRuntime().maxMemory() / MEMORY_SHARE));

    /** Opens the lines; refuses a document that was not written by the job that is continued. */
    DocumentSink(Path file, OutputOpening opening) throws IOException {
        this.file = file;
        lines = DocumentFormat.lines(file);
        boolean isForeign = opening.how() == APPEND && Files.notExists(lines);
        if (Files.exists(file) && (isForeign || !Files.isRegularFile(file))) {
            throw new IllegalArgumentException(file + ": this job has not written it; move it away");
        } else if (Files.exists(file) && opening.how() == CREATE_NEW) {
            throw new FileAlreadyExistsException(file.toString());
        }
        out = OutputFile.lines(lines, opening).writer();
        isKept = !opening.ends().equals(FileEnds.NONE);
    }

    private long hash(String name) {
        return Murmur3.hash(name, seed)[0];
    }

    /** Adds an entry by a name without tabs, with a text without line ends; an empty one removes an earlier entry. */
    final void add(String name, String text) throws IOException {
        out.append(name).append('\t').append(text).append('\n');
    }

    /** Writes the document. Not called without an entry; then an earlier document stays. */
    abstract void write() throws IOException;

    @Override
    public final void flush() throws IOException {
        out.flush();
    }

    @Override
    public final void close() throws IOException {
        out.close();
        try (Entries all = new Entries()) {
            while (all.read()) {
                last.put(hash(all.name), all.number);
            }
        }
        try (Entries entries = entries()) {
            if (entries.hasNext()) {
                write();
            }
        }
        if (!isKept) {
            Files.delete(lines);
        }
    }

    /** Starts to read the entries that count, in their order: the last one of each name, unless that is empty. */
    final Entries entries() throws IOException {
        Entries entries = new Entries();
        entries.next();
        return entries;
    }

    /** A cursor of entries. */
    final class Entries implements Closeable {
        private final LineReader in = new LineReader(Files.newInputStream(lines), MAX_LINE);
        private long number;
        private String name = "";
        private String text = "";
        private boolean hasNext;

        private Entries() throws IOException {}

        private boolean read() throws IOException {
            hasNext = in.next();
            if (hasNext) {
                String line = in.text(UTF_8);
                int end = line.indexOf('\t');
                name = line.substring(0, Math.max(0, end));
                text = line.substring(end + 1);
                number++;
            }
            return hasNext;
        }

        /** Returns whether there is an entry, to which {@link #name} and {@link #text} belong. */
        boolean hasNext() {
            return hasNext;
        }

        String name() {
            return name;
        }

        String text() {
            return text;
        }

        void next() throws IOException {
            while (read()) {
                long newest = last.get(hash(name));
                if (!text.isEmpty() && (newest == 0 || newest == number)) {
                    return;
                }
            }
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
