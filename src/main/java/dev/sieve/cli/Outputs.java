package dev.sieve.cli;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.sieve.output.JsonlSink;
import dev.sieve.output.OutputFile;
import dev.sieve.output.PageSink;
import dev.sieve.output.Skip;
import dev.sieve.output.SkipListSink;
import dev.sieve.output.UrlListSink;
import dev.sieve.output.Visit;
import java.io.IOException;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The output files of a crawl, each in the format that its name ends with. {@code CREATE_NEW} refuses existing files,
 * {@code TRUNCATE_EXISTING} overwrites them, and {@code APPEND} continues them after it has removed a last line that a
 * crash left unfinished.
 */
final class Outputs implements PageSink {
    private final List<PageSink> sinks = new ArrayList<>();

    private Outputs() {}

    /** Refuses files that {@link #open} could not open, before anything is created. */
    static void check(List<Path> files, Path skipped, StandardOpenOption how, CommandSpec spec) {
        for (Path file : files) {
            if (!file.toString().endsWith(".txt") && !file.toString().endsWith(".jsonl")) {
                throw Checks.invalid(spec, "-o", file + ": the name must end in .txt or .jsonl");
            }
            check("-o", file, how, Collections.frequency(files, file) > 1, spec);
        }
        if (skipped != null) {
            check("--skipped", skipped, how, files.contains(skipped), spec);
        }
    }

    private static void check(String option, Path file, StandardOpenOption how, boolean isTwice, CommandSpec spec) {
        String problem = Files.isDirectory(file)
                ? "is a directory"
                : how == CREATE_NEW && Files.exists(file)
                        ? "exists; use --force to overwrite it"
                        : isTwice ? "is named twice" : null;
        if (problem != null) {
            throw Checks.invalid(spec, option, file + " " + problem);
        }
    }

    /**
     * Opens files. If one cannot be opened, those that this call created are deleted.
     *
     * @param skipped the file for skipped URLs; null for none
     * @param forces whether a flush forces the files to the disk
     */
    static Outputs open(List<Path> files, Path skipped, StandardOpenOption how, boolean forces) throws IOException {
        Outputs outputs = new Outputs();
        List<Path> created = new ArrayList<>();
        try {
            for (Path file : files) {
                Writer writer = writer(file, how, forces, created);
                outputs.add(file.toString().endsWith(".jsonl") ? new JsonlSink(writer) : new UrlListSink(writer));
            }
            if (skipped != null) {
                outputs.add(new SkipListSink(writer(skipped, how, forces, created)));
            }
            return outputs;
        } catch (IOException e) {
            outputs.close();
            for (Path file : created) {
                Files.deleteIfExists(file);
            }
            throw new IOException("cannot write " + e.getMessage(), e);
        }
    }

    private static Writer writer(Path file, StandardOpenOption how, boolean forces, List<Path> created)
            throws IOException {
        if (Files.notExists(file)) {
            created.add(file);
        } else if (how == APPEND) {
            cutUnfinishedLine(file);
        }
        return OutputFile.open(file, how, forces);
    }

    private static void cutUnfinishedLine(Path path) throws IOException {
        try (FileChannel file = FileChannel.open(path, READ, WRITE)) {
            ByteBuffer last = ByteBuffer.allocate(1);
            long end = file.size();
            while (end > 0 && (file.read(last.clear(), end - 1) != 1 || last.get(0) != '\n')) {
                end--;
            }
            file.truncate(end);
        }
    }

    void add(PageSink sink) {
        sinks.add(sink);
    }

    @Override
    public void accept(Visit visit) throws IOException {
        for (PageSink sink : sinks) {
            sink.accept(visit);
        }
    }

    @Override
    public void skipped(Skip skip) throws IOException {
        for (PageSink sink : sinks) {
            sink.skipped(skip);
        }
    }

    @Override
    public void flush() throws IOException {
        for (PageSink sink : sinks) {
            sink.flush();
        }
    }

    @Override
    public void close() throws IOException {
        IOException failure = null;
        for (PageSink sink : sinks) {
            try {
                sink.close();
            } catch (IOException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** The options that select what a crawl writes, and where. */
    static final class Options {
        @Spec(Spec.Target.MIXEE)
        private CommandSpec spec;

        @Option(
                names = {"-o", "--output"},
                paramLabel = "FILE",
                description = "Write .txt (URLs) or .jsonl (records); repeatable (default: URLs to stdout).")
        private List<Path> outputs = new ArrayList<>();

        @Option(
                names = "--skipped",
                paramLabel = "FILE",
                description = "Write each URL found but not requested: URL, reason, referrer.")
        private Path skipped;

        @Option(names = "--force", description = "Overwrite existing output files.")
        private boolean isForced;

        /** Refuses files that {@link #open} could not open, before anything is created. */
        void check(boolean isJob) {
            Outputs.check(outputs, skipped, how(isJob), spec);
        }

        /**
         * Opens the files. Without a file for pages, their URLs go to standard output.
         *
         * @param forces whether a flush forces the files to the disk
         */
        Outputs open(boolean isJob, boolean forces) throws IOException {
            Outputs files = Outputs.open(outputs, skipped, how(isJob), forces);
            if (outputs.isEmpty()) {
                files.add(stdout());
            }
            return files;
        }

        private StandardOpenOption how(boolean isJob) {
            return isForced ? TRUNCATE_EXISTING : isJob ? APPEND : CREATE_NEW;
        }

        /** Prints URLs; on a terminal, each replaces the progress line. */
        private static PageSink stdout() {
            String start = Terminal.isStdout() ? Terminal.WIPE : "";
            return visit -> {
                if (visit.isSuccess()) {
                    System.out.print(start + visit.url() + "\n");
                    System.out.flush();
                    if (System.out.checkError()) {
                        throw new IOException("standard output is closed");
                    }
                }
            };
        }
    }
}
