package dev.sieve.cli;

import dev.sieve.output.JsonlSink;
import dev.sieve.output.PageSink;
import dev.sieve.output.UrlListSink;
import dev.sieve.output.Visit;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The files that a crawl writes, each in the format that its name ends in. */
final class Outputs implements PageSink {
    private final List<PageSink> sinks = new ArrayList<>();

    private Outputs() {}

    /** Refuses, before anything is created, what {@link #open} could not do. */
    static void check(List<Path> files, boolean replaces, CommandSpec spec) {
        for (Path file : files) {
            String name = file.toString();
            String problem = !name.endsWith(".txt") && !name.endsWith(".jsonl")
                    ? "the name must end in .txt or .jsonl"
                    : Files.isDirectory(file)
                            ? "a directory"
                            : Files.exists(file) && !replaces
                                    ? "it exists; --force writes over it"
                                    : files.indexOf(file) != files.lastIndexOf(file) ? "named twice" : null;
            if (problem != null) {
                throw new ParameterException(
                        spec.commandLine(), "Invalid value for option '-o': " + file + ": " + problem);
            }
        }
    }

    /**
     * Opens files; when one cannot be opened, none is left behind that was not there before.
     *
     * @param replaces whether a file that exists may be written over
     */
    static Outputs open(List<Path> files, boolean replaces) throws IOException {
        OpenOption[] options = replaces
                ? new OpenOption[] {
                    StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE
                }
                : new OpenOption[] {StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE};
        Outputs outputs = new Outputs();
        List<Path> created = new ArrayList<>();
        try {
            for (Path file : files) {
                boolean isNew = Files.notExists(file);
                Writer writer = Files.newBufferedWriter(file, StandardCharsets.UTF_8, options);
                if (isNew) {
                    created.add(file);
                }
                outputs.sinks.add(file.toString().endsWith(".jsonl") ? new JsonlSink(writer) : new UrlListSink(writer));
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

    /** Sends visits to one more sink. */
    Outputs and(PageSink sink) {
        sinks.add(sink);
        return this;
    }

    boolean isEmpty() {
        return sinks.isEmpty();
    }

    @Override
    public void accept(Visit visit) throws IOException {
        for (PageSink sink : sinks) {
            sink.accept(visit);
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
