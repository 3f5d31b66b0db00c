package dev.sieve.cli;

import dev.sieve.crawl.CrawlOptions;
import dev.sieve.output.AllSinks;
import dev.sieve.output.FileEnds;
import dev.sieve.output.LineFormat;
import dev.sieve.output.LineSink;
import dev.sieve.output.Link;
import dev.sieve.output.OutputFile;
import dev.sieve.output.PageSink;
import dev.sieve.output.SkipListSink;
import dev.sieve.output.Visit;
import dev.sieve.output.WarcSink;
import dev.sieve.report.Numbers;
import java.io.Closeable;
import java.io.IOException;
import java.io.Writer;
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

/**
 * The outputs of a crawl. {@code CREATE_NEW} refuses existing files, {@code TRUNCATE_EXISTING} overwrites them, and
 * {@code APPEND} continues them at their stored ends. Pipes and devices are written to whatever the option.
 */
final class Outputs implements Closeable {
    private final AllSinks sinks = new AllSinks();
    private final Map<Path, PageSink> files = new LinkedHashMap<>();
    private final Set<Path> continued = new HashSet<>();
    private final List<Path> created = new ArrayList<>();

    private final StandardOpenOption how;
    private final boolean forces;
    private final FileEnds ends;

    private Outputs(StandardOpenOption how, boolean forces, FileEnds ends) {
        this.how = how;
        this.forces = forces;
        this.ends = ends;
    }

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
        Outputs outputs = new Outputs(how, forces, ends);
        try {
            // First, so that no line is stored before what it is about is in the archive.
            for (Path file : files) {
                if (WarcSink.isArchive(file)) {
                    outputs.add(file, outputs.archive(file));
                }
            }
            for (Path file : files) {
                if (!WarcSink.isArchive(file)) {
                    outputs.add(file, Objects.requireNonNull(LineFormat.of(file, chosen)));
                }
            }
            if (skipped != null) {
                outputs.add(skipped, new SkipListSink(outputs.writer(skipped)));
            }
            outputs.sinks.add(ends);
            ends.flush();
            return outputs;
        } catch (IOException e) {
            outputs.abandon();
            throw new IOException("cannot write " + Checks.message(e), e);
        } catch (RuntimeException e) {
            outputs.abandon();
            throw e;
        }
    }

    private void abandon() throws IOException {
        sinks.add(ends);
        close();
        deleteEmptyFiles();
    }

    /** Returns the sinks of all outputs. */
    AllSinks sinks() {
        return sinks;
    }

    /**
     * Adds a sink, which is closed with the others.
     *
     * @param file the file that it writes, for the summary; null for none
     */
    void add(@Nullable Path file, PageSink sink) {
        sinks.add(sink);
        if (file != null) {
            files.put(file, sink);
        }
    }

    private WarcSink archive(Path file) throws IOException {
        String software = "sieve/" + CrawlOptions.version();
        return new WarcSink(
                file, how, forces, ends, software, Runtime.getRuntime().maxMemory() / 32);
    }

    private void add(Path file, LineFormat format) throws IOException {
        Writer writer = writer(file);
        boolean continues = OutputChecks.isRegular(file) && Files.size(file) > 0;
        PageSink sink = format.sink(writer, continues);
        if (OutputFile.isStandardOutput(file)) {
            if (Terminal.isStdout()) {
                sinks.add(wiping(writer, sink.takesLinks()));
            }
            sinks.add(sink);
        } else {
            add(file, sink);
        }
        if (continues) {
            continued.add(file);
        }
    }

    /** Returns the files that were written: each with the lines of this run, and its size. */
    List<String> files() throws IOException {
        List<String> lines = new ArrayList<>();
        for (Map.Entry<Path, PageSink> each : files.entrySet()) {
            boolean isArchive = each.getValue() instanceof WarcSink;
            List<Path> parts = isArchive ? WarcSink.existing(each.getKey()) : List.of(each.getKey());
            parts = parts.stream().filter(Files::isRegularFile).toList();
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

    /** Opens a file for lines. */
    private Writer writer(Path file) throws IOException {
        if (OutputFile.isStandardOutput(file)) {
            return OutputFile.standardOutput(forces);
        }
        boolean isNew = Files.notExists(file);
        Writer writer = OutputFile.openLines(file, how, forces, ends);
        if (isNew) {
            created.add(file);
        }
        return writer;
    }

    /** Returns a sink that erases the line of progress on the terminal before a record that another one writes there. */
    private static PageSink wiping(Writer out, boolean takesLinks) {
        return new PageSink() {
            @Override
            public void accept(Visit visit) throws IOException {
                out.write(Terminal.WIPE);
            }

            @Override
            public boolean takesLinks() {
                return takesLinks;
            }

            @Override
            public void linked(Link link) throws IOException {
                if (takesLinks) {
                    out.write(Terminal.WIPE);
                }
            }
        };
    }

    /** Deletes files that were created for this crawl and are empty, so that they are not in the way of another try. */
    void deleteEmptyFiles() throws IOException {
        for (Path file : created) {
            if (Files.exists(file) && Files.size(file) == 0) {
                Files.delete(file);
            }
        }
    }

    @Override
    public void close() throws IOException {
        sinks.close();
    }
}
