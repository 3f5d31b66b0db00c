package dev.sieve.cli;

import dev.sieve.output.JsonlSink;
import dev.sieve.output.PageSink;
import dev.sieve.output.Skip;
import dev.sieve.output.SkipListSink;
import dev.sieve.output.UrlListSink;
import dev.sieve.output.Visit;
import java.io.IOException;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;

/** The files that a crawl writes, each in the format that its name ends in. */
final class Outputs implements PageSink {
    /** What becomes of a file that is there already. */
    enum Mode {
        /** It stays as it is, and is complained of. */
        CREATE(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
        /** It is written over. */
        REPLACE(StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE),
        /** It goes on where it ends, less a last line that a crash has left unfinished. */
        APPEND(StandardOpenOption.CREATE, StandardOpenOption.APPEND);

        @SuppressWarnings("ImmutableEnumChecker") // Set.of is
        private final Set<StandardOpenOption> options;

        Mode(StandardOpenOption... options) {
            this.options = Set.of(options);
        }
    }

    private final List<PageSink> sinks = new ArrayList<>();

    private Outputs() {}

    /** Refuses, before anything is created, what {@link #open} could not do. */
    static void check(List<Path> files, Path skipped, Mode mode, CommandSpec spec) {
        for (Path file : files) {
            String name = file.toString();
            boolean isTwice = files.indexOf(file) != files.lastIndexOf(file);
            refuse(
                    "-o",
                    file,
                    isKnown(name) ? problem(file, mode, isTwice) : "the name must end in .txt or .jsonl",
                    spec);
        }
        if (skipped != null) {
            refuse("--skipped", skipped, problem(skipped, mode, files.contains(skipped)), spec);
        }
    }

    private static boolean isKnown(String name) {
        return name.endsWith(".txt") || name.endsWith(".jsonl");
    }

    private static String problem(Path file, Mode mode, boolean isTwice) {
        if (Files.isDirectory(file)) {
            return "is a directory";
        }
        if (Files.exists(file) && mode == Mode.CREATE) {
            return "exists; use --force to overwrite it";
        }
        return isTwice ? "is named twice" : null;
    }

    private static void refuse(String option, Path file, String problem, CommandSpec spec) {
        if (problem != null) {
            throw Checks.invalid(spec, option, file + ": " + problem);
        }
    }

    /**
     * Opens files; when one cannot be opened, none is left behind that was not there before.
     *
     * @param skipped the file for what is not asked for; null for none
     */
    static Outputs open(List<Path> files, Path skipped, Mode mode) throws IOException {
        Outputs outputs = new Outputs();
        List<Path> created = new ArrayList<>();
        boolean flushes = mode == Mode.APPEND;
        try {
            for (Path file : files) {
                Writer writer = writer(file, mode, created);
                outputs.sinks.add(
                        file.toString().endsWith(".jsonl")
                                ? new JsonlSink(writer, flushes)
                                : new UrlListSink(writer, flushes));
            }
            if (skipped != null) {
                outputs.sinks.add(new SkipListSink(writer(skipped, mode, created), flushes));
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

    private static Writer writer(Path file, Mode mode, List<Path> created) throws IOException {
        if (Files.notExists(file)) {
            created.add(file);
        } else if (mode == Mode.APPEND) {
            cutUnfinishedLine(file);
        }
        return Files.newBufferedWriter(file, StandardCharsets.UTF_8, mode.options.toArray(OpenOption[]::new));
    }

    private static void cutUnfinishedLine(Path path) throws IOException {
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer last = ByteBuffer.allocate(1);
            long end = file.size();
            while (end > 0 && (file.read(last.clear(), end - 1) != 1 || last.get(0) != '\n')) {
                end--;
            }
            file.truncate(end);
        }
    }

    /** Sends visits to one more sink. */
    Outputs and(PageSink sink) {
        sinks.add(sink);
        return this;
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
}
