package dev.sieve.crawl;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sieve.durable.DurableFolder;
import dev.sieve.io.JobFiles;
import dev.sieve.io.LineFile;
import dev.sieve.io.LocalDisk;
import dev.sieve.io.LongTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file of records of a job. That of the report has an object of JSON in ASCII per line. A record of a URL begins with
 * its id in the frontier, followed by {@code +N} if it was recorded N times before. The last records of a URL count:
 * one that a crash has left in the frontier is requested again.
 *
 * <p>A line is buffered when {@link #add} returns. When {@link #flush} returns, it survives the process, and if forced
 * also a power failure. Methods that write throw {@link UncheckedIOException} when the disk fails. Safe for use by many
 * threads.
 */
public final class Journal {
    public static final LineFile.Kind KIND = new LineFile.Kind(
            "crawl-report",
            4,
            "a record of the report",
            "the report may miss pages",
            line -> line.startsWith("{") || isRecord(line));

    private static final Pattern RECORD = Pattern.compile("(\\d{1,18})(?:\\+(\\d{1,9}))? ");

    /** The heap that the URLs with several records, and those that are requested again, may take. */
    private static final int TABLE_BYTES = 8 << 20;

    private final JobFiles files;
    private final LineFile.Kind kind;
    private final LineFile file;
    private final Repeats repeats = new Repeats();
    /** Marks of recorded URLs that this run may request again, by their ids, each increased by one; -1 for those that it has. */
    private final LongTable open = new LongTable(TABLE_BYTES);

    /** How often URLs were recorded before, by their ids, each increased by one. */
    private static final class Repeats {
        private final LongTable counts = new LongTable(TABLE_BYTES);

        void note(String line) {
            Matcher fields = RECORD.matcher(line);
            if (fields.lookingAt() && fields.group(2) != null) {
                counts.put(Long.parseLong(fields.group(1)) + 1, Long.parseLong(fields.group(2)));
            }
        }

        /** Returns whether a line is the last record of its URL, or one of those, or that of nothing. */
        boolean isLast(Matcher fields, boolean isRecord) {
            long repeats = isRecord ? counts.get(Long.parseLong(fields.group(1)) + 1) : 0;
            return repeats == 0 || String.valueOf(repeats).equals(fields.group(2));
        }
    }

    /** Receives a record, and the id of its URL; -1 for one of nothing. */
    interface Records {
        void accept(long id, String record) throws IOException;
    }

    /** Returns the journal of a crawl, which its job closes; the first call opens it. Without a folder it is temporary. */
    public static Journal of(CrawlJob job) throws IOException {
        return job.part(Journal.class, files -> new Journal(files, KIND, job));
    }

    Journal(JobFiles files, LineFile.Kind kind, CrawlJob job) throws IOException {
        this.files = files;
        this.kind = kind;
        file = files.open(kind, (position, line) -> {
            repeats.note(line);
            Matcher fields = RECORD.matcher(line);
            if (fields.lookingAt() && !job.isDone(Long.parseLong(fields.group(1)))) {
                open.put(Long.parseLong(fields.group(1)) + 1, 1);
            }
        });
    }

    static boolean isRecord(String line) {
        return RECORD.matcher(line).lookingAt();
    }

    /** Appends a record. */
    public synchronized void add(byte[] record) {
        file.add(record);
    }

    /** Appends a record of the URL with an id; those of earlier runs do not count any more. */
    public synchronized void add(long id, byte[] record) {
        if (isOpen(id)) {
            open.put(id + 1, -1);
            repeats.counts.put(id + 1, repeats.counts.get(id + 1) + 1);
        }
        long before = repeats.counts.get(id + 1);
        byte[] start = (id + (before == 0 ? " " : "+" + before + " ")).getBytes(US_ASCII);
        byte[] line = Arrays.copyOf(start, start.length + record.length);
        System.arraycopy(record, 0, line, start.length, record.length);
        file.add(line);
    }

    /** Returns whether an earlier run has recorded a URL that is in the frontier, and this one has not. */
    synchronized boolean isOpen(long id) {
        return open.get(id + 1) > 0;
    }

    /** Returns the mark of a URL that {@link #isOpen}; the first one is 1. */
    synchronized long mark(long id) {
        return open.get(id + 1);
    }

    synchronized void mark(long id, long mark) {
        open.put(id + 1, mark);
    }

    /** Hands what was added to the operating system, and forces it to the disk if {@code isForced}. */
    public void flush(boolean isForced) {
        long last;
        synchronized (this) {
            files.flush(file, false);
            last = file.last();
        }
        if (isForced && files.isKept()) {
            file.forceFlushed();
            synchronized (this) {
                file.noteForced(last);
            }
        }
    }

    /** Passes on all records, those of earlier runs first. */
    public void read(LineFile.Receiver receiver) throws IOException {
        read((id, record) -> receiver.accept(record));
    }

    /** Passes on the records of earlier runs of URLs that are still in the frontier, and that this run has not recorded, or all others. */
    public void read(boolean areOpen, LineFile.Receiver receiver) throws IOException {
        read((id, record) -> {
            if (isOpen(id) == areOpen) {
                receiver.accept(record);
            }
        });
    }

    synchronized void read(Records records) throws IOException {
        file.flush();
        read(files, kind, repeats, records, LineFile.REFUSE);
    }

    private static void read(
            JobFiles files, LineFile.Kind kind, Repeats repeats, Records records, LineFile.Receiver problems)
            throws IOException {
        LineFile.Lines lines = (position, line) -> {
            Matcher fields = RECORD.matcher(line);
            boolean isRecord = fields.lookingAt();
            if (repeats.isLast(fields, isRecord)) {
                records.accept(
                        isRecord ? Long.parseLong(fields.group(1)) : -1,
                        isRecord ? line.substring(fields.end()) : line);
            }
        };
        files.read(kind, lines, problems);
    }

    /** Passes on the records in the folder of a crawl, running or not, and describes damaged lines to {@code problems}. */
    public static void read(Path folder, LineFile.Receiver receiver, Consumer<String> problems) throws IOException {
        if (Files.notExists(folder.resolve(KIND.name()))) {
            throw new IOException(folder + ": no run of this job has kept a record for a report");
        }
        JobFiles files = new JobFiles(new LocalDisk(folder), DurableFolder.id(folder), List.of(KIND), problems::accept);
        Repeats repeats = new Repeats();
        files.read(KIND, (position, line) -> repeats.note(line), problem -> {});
        read(files, KIND, repeats, (id, record) -> receiver.accept(record), problems::accept);
    }
}
