package dev.sieve.report;

import dev.sieve.crawl.Journal;
import dev.sieve.output.Change;
import dev.sieve.output.VisitField;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Compares what two crawls have recorded. A URL is known by its key; of several records of the same URL in one file,
 * the last one counts.
 *
 * <p>Takes about 150 bytes of memory per URL; each file is read twice. Not safe for use by many threads.
 */
public final class CrawlDiff {
    private static final Pattern DIGEST = Pattern.compile("[0-9a-f]{16}");

    private final @Nullable Path before;
    private final Path now;
    private final Consumer<String> problems;
    private final Map<Long, Known> known = new HashMap<>();
    private final Aggregate aggregate = new Aggregate(true);

    private static final class Known {
        /** What the earlier crawl has recorded; null for nothing. */
        private @Nullable Result result;
        /** How many records of the later crawl are still to be read; below 0 when there was none. */
        private int records = -1;
    }

    /** Receives differences, or records. */
    public interface Receiver<T> {
        void accept(T one) throws IOException;
    }

    private enum Kind {
        PAGE,
        MOVED,
        GONE,
        FAILED
    }

    /**
     * What a visit has found.
     *
     * @param status as {@link Entry#lastingStatus}
     * @param content a digest of the body, or of the target of the redirect; 0 when it is not known
     * @param text a digest of the visible text; 0 when it is not known
     */
    private record Result(Kind kind, int status, long content, long text) {
        static Result of(Entry entry) {
            int status = entry.lastingStatus();
            String redirectTo = entry.redirectTo();
            if (redirectTo != null) {
                return new Result(Kind.MOVED, status, Entry.hash(redirectTo), 0);
            } else if (!entry.verdict().isBroken() && !entry.verdict().isOfOther()) {
                long body = digest(entry, VisitField.DIGEST);
                return new Result(Kind.PAGE, status, body, digest(entry, VisitField.TEXT_DIGEST));
            }
            boolean isGone = status == HttpURLConnection.HTTP_NOT_FOUND || status == HttpURLConnection.HTTP_GONE;
            return new Result(isGone ? Kind.GONE : Kind.FAILED, status, 0, 0);
        }

        private static long digest(Entry entry, VisitField field) {
            String digits = entry.text(field);
            return digits == null || !DIGEST.matcher(digits).matches() ? 0 : HexFormat.fromHexDigitsToLong(digits);
        }

        /** Returns what has become of it when a later visit has found something. */
        Change to(Result later) {
            boolean isSame = kind == later.kind && (content == later.content || content == 0 || later.content == 0);
            return switch (later.kind) {
                case FAILED -> isSame && status == later.status ? Change.UNCHANGED : Change.FAILED;
                case GONE -> isSame ? Change.UNCHANGED : Change.GONE;
                case MOVED -> isSame ? Change.UNCHANGED : Change.MOVED;
                case PAGE -> isSame ? Change.UNCHANGED : kind == Kind.PAGE ? Change.CHANGED : Change.BACK;
            };
        }
    }

    /**
     * Creates a comparison.
     *
     * @param before the records of the earlier crawl ({@link dev.sieve.output.JsonlSink}); null when those of the later
     *     one say themselves what has changed since an earlier round
     * @param now the records of the later crawl, or the folder of a job that ran with a report
     * @param problems receives a description of each line that cannot be read, up to a limit for each file
     */
    public CrawlDiff(@Nullable Path before, Path now, Consumer<String> problems) {
        this.before = before;
        this.now = now;
        this.problems = problems;
    }

    /**
     * Passes on the differences: those in the records of the later crawl in their order, then what only the earlier one
     * has visited. To be called once.
     *
     * @return the record of the later crawl, from which a report is made
     * @throws IOException when a file cannot be read, is of another kind, or says nothing of changes
     */
    public CrawlRecord run(Receiver<Difference> receiver) throws IOException {
        if (before != null) {
            read(before, entry -> known(entry).result = Result.of(entry), problems);
        }
        boolean[] saysChanges = {before != null};
        read(
                now,
                entry -> {
                    Known url = known(entry);
                    url.records = Math.max(0, url.records) + 1;
                    saysChanges[0] |= entry.change() != null;
                },
                problems);
        if (!saysChanges[0]) {
            throw new IOException(now + " has no record of a round, so it takes two files to compare");
        }
        read(now, entry -> compare(entry, receiver), problem -> {});
        if (before != null) {
            read(before, entry -> missing(entry, receiver), problem -> {});
        }
        return new CrawlRecord(aggregate);
    }

    private Known known(Entry entry) {
        return known.computeIfAbsent(Entry.hash(entry.key()), hash -> new Known());
    }

    private static void read(Path file, Receiver<Entry> entries, Consumer<String> problems) throws IOException {
        if (Files.isDirectory(file)) {
            Journal.read(
                    file,
                    json -> {
                        Entry entry = JournalFormat.entry(json);
                        if (entry != null) {
                            entries.accept(entry);
                        }
                    },
                    problems);
        } else if (!Files.isRegularFile(file)) {
            throw new IOException(
                    file + (Files.exists(file) ? " is not a regular file" : ": no such file or directory"));
        } else if (InputLines.read(file, line -> entries.accept(Entry.of(line)), problems) == 0) {
            throw new IOException(file + " has no records");
        }
    }

    private void compare(Entry entry, Receiver<Difference> receiver) throws IOException {
        Known url = known(entry);
        if (--url.records > 0) {
            return;
        }
        Entry compared = before == null ? entry : compared(entry, url.result);
        aggregate.add(compared);
        Change change = compared.change();
        if (change != null && change != Change.UNCHANGED) {
            receiver.accept(Difference.of(compared, change));
        }
    }

    private static Entry compared(Entry entry, @Nullable Result earlier) {
        if (earlier == null) {
            return entry.since(-1, Change.NEW, false);
        }
        Result later = Result.of(entry);
        Change change = earlier.to(later);
        boolean hasSameText = change == Change.CHANGED && later.text != 0 && later.text == earlier.text;
        return entry.since(earlier.status, change, hasSameText);
    }

    private void missing(Entry entry, Receiver<Difference> receiver) throws IOException {
        Known url = known(entry);
        if (url.records < 0) {
            // Only once, if there are several records of it.
            url.records = 0;
            aggregate.changes.addMissing(entry);
            receiver.accept(Difference.missing(entry));
        }
    }
}
