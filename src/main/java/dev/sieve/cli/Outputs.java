package dev.sieve.cli;

import dev.sieve.crawl.CrawlOptions;
import dev.sieve.output.AllSinks;
import dev.sieve.output.FileEnds;
import dev.sieve.output.LineFormat;
import dev.sieve.output.LineSink;
import dev.sieve.output.OutputFile;
import dev.sieve.output.OutputFormat;
import dev.sieve.output.OutputFormats;
import dev.sieve.output.OutputOpening;
import dev.sieve.output.PageSink;
import dev.sieve.output.SkipListSink;
import dev.sieve.report.Numbers;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The outputs of a crawl. {@code CREATE_NEW} refuses existing files, {@code TRUNCATE_EXISTING} overwrites them, and
 * {@code APPEND} continues them at their stored ends. Pipes and devices are written to whatever the option.
 */
final class Outputs implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.crawl");

    final AllSinks sinks = new AllSinks();
    private final Map<Path, PageSink> files = new LinkedHashMap<>();
    private final Map<Path, OutputFormat> formats = new LinkedHashMap<>();
    private final Set<Path> continued = new HashSet<>();
    private final List<Path> created = new ArrayList<>();

    private Outputs() {}

    /**
     * Opens files. If one cannot be opened, those that this call created are deleted.
     *
     * @param chosen the format of files whose names do not determine it; may be null if all do
     * @param skipped the file for skipped URLs; null for none
     * @param forces whether a flush forces the files to the disk
     * @param ends the ends of files, which are stored after each flush, and closed with the files
     * @throws IllegalArgumentException when a file cannot be continued; the message names it
     */
    static Outputs open(
            List<Path> files,
            @Nullable LineFormat chosen,
            @Nullable Path skipped,
            StandardOpenOption how,
            boolean forces,
            FileEnds ends)
            throws IOException {
        OutputOpening opening = new OutputOpening(
                how, forces, ends, "sieve/" + CrawlOptions.version(), Terminal.isStdout() ? Terminal.WIPE : "");
        Outputs outputs = new Outputs();
        for (Path file : files) {
            outputs.formats.put(file, Objects.requireNonNull(OutputFormats.of(file, chosen)));
        }
        try {
            // Before any is opened, since to close a file would end the lock on it.
            for (Map.Entry<Path, OutputFormat> each : outputs.formats.entrySet()) {
                for (Path existing : each.getValue().existing(each.getKey())) {
                    OutputFile.requireUnused(existing);
                }
            }
            if (skipped != null) {
                OutputFile.requireUnused(skipped);
            }
            // Exchanges first, so that no line is stored before what it is about.
            for (boolean takesExchanges : new boolean[] {true, false}) {
                for (Map.Entry<Path, OutputFormat> each : outputs.formats.entrySet()) {
                    if (each.getValue().takesExchanges() == takesExchanges) {
                        outputs.add(each.getKey(), () -> each.getValue().open(each.getKey(), opening));
                    }
                }
            }
            if (skipped != null) {
                outputs.add(skipped, () -> LineFormat.open(skipped, opening, (out, more) -> new SkipListSink(out)));
            }
            ends.flush();
            outputs.sinks.add(ends);
            return outputs;
        } catch (IOException e) {
            outputs.abandon(ends);
            throw new IOException("cannot write " + Checks.message(e), e);
        } catch (RuntimeException e) {
            outputs.abandon(ends);
            throw e;
        }
    }

    private void abandon(FileEnds ends) throws IOException {
        sinks.add(ends);
        sinks.close();
        deleteFiles(false);
    }

    /** Adds a sink, which is closed with the others, and the file that it writes, for the summary. */
    void add(@Nullable Path file, PageSink sink) {
        sinks.add(sink);
        if (file != null) {
            files.put(file, sink);
        }
    }

    private interface Opening {
        PageSink open() throws IOException;
    }

    private void add(Path file, Opening opening) throws IOException {
        boolean isStandard = OutputFile.isStandardOutput(file);
        boolean isNew = Files.notExists(file);
        PageSink sink = opening.open();
        add(isStandard ? null : file, sink);
        if (isNew && !isStandard) {
            created.add(file);
        } else if (OutputChecks.isRegular(file) && Files.size(file) > 0) {
            continued.add(file);
        }
    }

    /** Returns the files that were written: each with the lines of this run, and its size. */
    List<String> files() throws IOException {
        List<String> lines = new ArrayList<>();
        for (Map.Entry<Path, PageSink> each : files.entrySet()) {
            OutputFormat format = formats.getOrDefault(each.getKey(), LineFormat.TXT);
            List<Path> parts = format.existing(each.getKey()).stream()
                    .filter(part -> !part.toString().endsWith(OutputFormat.LINES))
                    .toList();
            if (parts.isEmpty()) {
                continue;
            }
            long bytes = 0;
            for (Path part : parts) {
                bytes += Files.size(part);
            }
            String name = parts.get(0) + (parts.size() == 1 ? "" : " to " + parts.get(parts.size() - 1));
            String written = each.getValue() instanceof LineSink sink
                    ? Numbers.count(sink.lines(), continued.contains(each.getKey()) ? "more line" : "line") + ", "
                    : "";
            lines.add(name + "  " + written + Numbers.bytes(bytes));
        }
        return lines;
    }

    /** Deletes files that were created for this crawl and are empty, perhaps also a list of skipped URLs, so that they are not in the way of another try. */
    void deleteFiles(boolean withSkipped) throws IOException {
        for (Path file : created) {
            boolean isSkipped = withSkipped && files.get(file) instanceof LineSink && !formats.containsKey(file);
            if (Files.exists(file) && (isSkipped || Files.size(file) == 0)) {
                Files.delete(file);
            }
        }
    }

    @Override
    public void close() throws IOException {
        sinks.close();
        for (Path file : formats.keySet()) {
            if (Files.notExists(file) && !OutputFile.isStandardOutput(file)) {
                LOG.warn("{} is not written: no page of this crawl belongs in it", file);
            }
        }
    }
}
