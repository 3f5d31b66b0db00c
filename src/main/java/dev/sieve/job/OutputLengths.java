package dev.sieve.job;

import dev.sieve.io.Disk;
import dev.sieve.io.JobFiles;
import dev.sieve.io.LineFile;
import dev.sieve.io.LineTable;
import dev.sieve.output.FileEnd;
import dev.sieve.output.FileEnds;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file that has the length of each output: one line per output and flush, with the length, how many of the last
 * bytes are in its checksum, the checksum, and the URI of the output. The last line of an output counts.
 *
 * <p>This is the last sink of a crawl, so when it is flushed, the outputs have handed their bytes over, and forced them
 * if the job forces. Then the lengths are stored in one write, and forced likewise; after that the URLs are marked as
 * done. So wherever a crash stops this, the bytes after a stored length are records of URLs that are not done: a later
 * run removes them and requests these URLs again. With a length stored before its bytes, a crash could leave a length
 * without them; with URLs done before the length, a later run would remove their records. An output has a length from
 * when it is opened, so nothing is written to a file without one.
 *
 * <p>A file that has a length but not its last bytes is refused: it was changed, or the disk has lost some. A file
 * without a length was not written by this job; it is continued at its end.
 */
public final class OutputLengths implements FileEnds {
    private static final Pattern LINE = Pattern.compile("(\\d{1,18}) (\\d{1,18}) ([0-9a-f]{8}) (file:[!-~]{1,65536})");
    static final LineFile.Kind KIND = new LineFile.Kind(
            "crawl-outputs",
            2,
            "the length of an output",
            "the last records of an output may be removed when the job continues: copy the outputs before",
            LINE.asMatchPredicate());

    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.crawl");

    private static final HexFormat HEX = HexFormat.of();

    private final boolean forces;
    private final LineTable file;
    /** Of every output, by its URI; what is not stored yet is also in {@link #changed}. */
    private final Map<String, FileEnd> ends = new LinkedHashMap<>();

    private final Map<String, FileEnd> changed = new LinkedHashMap<>();
    private final Map<Path, String> uris = new HashMap<>();

    /** Closed with this: nothing if the files are those of a job. */
    private final Closeable closing;

    OutputLengths(JobFiles files, boolean forces) throws IOException {
        this(files, forces, () -> {});
    }

    private OutputLengths(JobFiles files, boolean forces, Closeable closing) throws IOException {
        this.forces = forces;
        this.closing = closing;
        file = new LineTable(files, KIND, (position, line) -> read(line));
    }

    /** Opens lengths on a disk of their own, to which they are forced. */
    public static OutputLengths open(Disk disk, long owner) throws IOException {
        JobFiles files = JobFiles.open(disk, owner, List.of(KIND), true, () -> {});
        return new OutputLengths(files, true, files);
    }

    /** Takes over the lengths of outputs that have none here. */
    void takeOver(OutputLengths earlier) {
        earlier.ends.forEach(ends::putIfAbsent);
    }

    private void read(String line) {
        Matcher fields = LINE.matcher(line);
        fields.matches();
        ends.put(
                fields.group(4),
                new FileEnd(
                        Long.parseLong(fields.group(1)),
                        Long.parseLong(fields.group(2)),
                        HexFormat.fromHexDigits(fields.group(3))));
    }

    private static String line(String uri, FileEnd end) {
        return end.length() + " " + end.tail() + " " + HEX.toHexDigits(end.checksum()) + " " + uri;
    }

    /** Returns the URI of an output: the same, whatever links lead to its folder. */
    private String uri(Path output) throws IOException {
        String uri = uris.get(output);
        if (uri == null) {
            uri = output.toAbsolutePath()
                    .resolveSibling("")
                    .toRealPath()
                    .resolve(output.getFileName())
                    .toUri()
                    .toASCIIString();
            uris.put(output, uri);
        }
        return uri;
    }

    @Override
    public @Nullable FileEnd stored(Path output) throws IOException {
        return ends.get(uri(output));
    }

    @Override
    public void opened(Path output, FileEnd end, long removed) throws IOException {
        FileEnd before = ends.get(uri(output));
        if (removed > 0) {
            LOG.warn("{}: removed {} that a crash had left unfinished", output, bytes(removed));
        } else if (before != null && before.length() > end.length()) {
            LOG.warn(
                    "{}: missing, with {} that this job has written; a new file begins",
                    output,
                    bytes(before.length()));
        }
        flushed(output, end);
    }

    private static String bytes(long number) {
        return String.format(Locale.ROOT, number == 1 ? "%,d byte" : "%,d bytes", number);
    }

    @Override
    public void flushed(Path output, FileEnd end) {
        String uri = Objects.requireNonNull(uris.get(output));
        if (!end.equals(ends.put(uri, end))) {
            changed.put(uri, end);
        }
    }

    @Override
    public void flush() {
        if (!changed.isEmpty()) {
            changed.forEach((uri, end) -> file.add(line(uri, end)));
            file.flush(forces);
            file.trim(this::lines);
            changed.clear();
        }
    }

    private List<String> lines() {
        return ends.entrySet().stream()
                .map(each -> line(each.getKey(), each.getValue()))
                .toList();
    }

    /** Stores the lengths of the outputs that were opened, and forgets all others. */
    void storeOpened() {
        ends.keySet().retainAll(uris.values());
        file.replace(lines());
        changed.clear();
    }

    @Override
    public void close() throws IOException {
        closing.close();
    }

    /** Returns whether the outputs end as stored, so that their ends are known without the lengths. */
    boolean areWhole() throws IOException {
        for (Map.Entry<String, FileEnd> each : ends.entrySet()) {
            Path output = Path.of(URI.create(each.getKey()));
            if (Files.exists(output) && Files.size(output) != each.getValue().length()) {
                return false;
            }
        }
        return true;
    }
}
