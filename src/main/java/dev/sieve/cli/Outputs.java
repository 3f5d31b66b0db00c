package dev.sieve.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;

import dev.sieve.crawl.CrawlOptions;
import dev.sieve.fetch.Exchange;
import dev.sieve.output.JsonlSink;
import dev.sieve.output.OutputFile;
import dev.sieve.output.PageSink;
import dev.sieve.output.Skip;
import dev.sieve.output.SkipListSink;
import dev.sieve.output.UrlListSink;
import dev.sieve.output.Visit;
import dev.sieve.output.WarcSink;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/**
 * The outputs of a crawl. {@code CREATE_NEW} refuses existing files, {@code TRUNCATE_EXISTING} overwrites them, and
 * {@code APPEND} continues them after it has removed a last line that a crash left unfinished. Pipes and devices are
 * written to whatever the option.
 */
final class Outputs implements PageSink {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.cli");
    private static final int BLOCK_BYTES = 1 << 13;
    /** Of an unfinished line, in messages. */
    private static final int MAX_SHOWN = 500;

    private static final Set<Path> STANDARD_OUTPUT = Set.of(Path.of("-"), Path.of("/dev/stdout"));

    private final List<PageSink> sinks = new ArrayList<>();
    private final List<Path> created = new ArrayList<>();

    /** What an output of pages contains. */
    enum Format {
        /** The URL of each successful page. */
        URLS("http"),
        /** A record per visit. */
        JSONL("{\"url\": \"http");

        /** How each line begins. */
        private final String start;

        Format(String start) {
            this.start = start;
        }

        PageSink sink(Writer out) {
            return this == URLS ? new UrlListSink(out) : new JsonlSink(out);
        }

        /** Returns whether a text may be a line of this format without its end. */
        boolean mayBegin(String text) {
            return text.startsWith(start) || start.startsWith(text);
        }

        /** Returns the format of a file by the ending of its name, else the one chosen; null if neither determines it. */
        static Format of(Path file, Format chosen) {
            String name = file.toString().toLowerCase(Locale.ROOT);
            if (name.endsWith(".txt")) {
                return URLS;
            } else if (name.endsWith(".jsonl") || name.endsWith(".json")) {
                return JSONL;
            }
            return chosen == null && STANDARD_OUTPUT.contains(file) ? JSONL : chosen;
        }
    }

    /** A format by its name, ignoring case. */
    static final class FormatConverter implements ITypeConverter<Format> {
        @Override
        public Format convert(String text) {
            try {
                return Format.valueOf(text.toUpperCase(Locale.ROOT));
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException("not a format; choose one of urls, jsonl: " + text);
            }
        }
    }

    private Outputs() {}

    /** Refuses files that {@link #open} could not open, before anything is created. */
    static void check(List<Path> files, Format chosen, Path skipped, StandardOpenOption how, CommandSpec spec)
            throws IOException {
        Set<Path> names = new HashSet<>();
        for (Path file : files) {
            if (WarcSink.isArchive(file)) {
                check("-o", file, how, names, spec);
                checkArchive(file, how, spec);
                continue;
            }
            Format format = Format.of(file, chosen);
            if (format == null) {
                throw Checks.invalid(
                        spec,
                        "-o",
                        file
                                + ": the name must end in .txt, .jsonl, .json, .warc.gz or .warc, unless --format is given");
            }
            check("-o", file, how, names, spec);
            if (how == APPEND && isRegular(file) && !format.mayBegin(unfinishedLine(file))) {
                throw Checks.invalid(
                        spec, "-o", file + ": its last line was not written by this crawl and has no line feed");
            }
        }
        if (skipped != null) {
            check("--skipped", skipped, how, names, spec);
        }
    }

    private static void check(String option, Path file, StandardOpenOption how, Set<Path> names, CommandSpec spec) {
        boolean isNew = names.add(
                STANDARD_OUTPUT.contains(file)
                        ? Path.of("-")
                        : file.toAbsolutePath().normalize());
        String problem = Files.isDirectory(file)
                ? "is a directory"
                : how == CREATE_NEW && isRegular(file)
                        ? "exists; use --force to overwrite it"
                        : isNew ? null : "is named twice";
        if (problem != null) {
            throw Checks.invalid(spec, option, file + " " + problem);
        }
    }

    private static void checkArchive(Path file, StandardOpenOption how, CommandSpec spec) throws IOException {
        List<Path> existing = WarcSink.existing(file);
        if (how == CREATE_NEW && !existing.isEmpty()) {
            throw Checks.invalid(
                    spec, "-o", existing.get(0) + " exists; use --force to delete all files of the archive " + file);
        }
    }

    private static boolean isRegular(Path file) {
        return !STANDARD_OUTPUT.contains(file) && Files.isRegularFile(file);
    }

    /**
     * Opens files. If one cannot be opened, those that this call created are deleted.
     *
     * @param chosen the format of files whose names do not determine it; may be null if all do
     * @param skipped the file for skipped URLs; null for none
     * @param forces whether a flush forces the files to the disk
     */
    static Outputs open(List<Path> files, Format chosen, Path skipped, StandardOpenOption how, boolean forces)
            throws IOException {
        Outputs outputs = new Outputs();
        try {
            // First, so that no line is stored before what it is about is in the archive.
            for (Path file : files) {
                if (WarcSink.isArchive(file)) {
                    outputs.add(archive(file, how, forces));
                }
            }
            for (Path file : files) {
                if (!WarcSink.isArchive(file)) {
                    outputs.add(file, Format.of(file, chosen), how, forces);
                }
            }
            if (skipped != null) {
                outputs.add(new SkipListSink(outputs.writer(skipped, how, forces)));
            }
            return outputs;
        } catch (IOException e) {
            outputs.close();
            outputs.deleteEmptyFiles();
            throw new IOException("cannot write " + Checks.message(e), e);
        }
    }

    /** Adds a sink, which is closed with the others. */
    void add(PageSink sink) {
        sinks.add(sink);
    }

    private static WarcSink archive(Path file, StandardOpenOption how, boolean forces) throws IOException {
        List<Path> existing = WarcSink.existing(file);
        if (how == APPEND && !existing.isEmpty()) {
            removeUnfinished(existing.get(existing.size() - 1));
        }
        String software = "sieve/" + CrawlOptions.version();
        return new WarcSink(file, how, forces, software, Runtime.getRuntime().maxMemory() / 32);
    }

    private static void removeUnfinished(Path archive) {
        try {
            long removed = WarcSink.removeUnfinished(archive);
            if (removed > 0) {
                LOG.warn("{}: removed an unfinished last record of {} bytes", archive, removed);
            }
        } catch (IOException e) {
            // It is not written to again.
            LOG.warn("{}; left as it is", e.getMessage());
        }
    }

    private void add(Path file, Format format, StandardOpenOption how, boolean forces) throws IOException {
        Writer writer = writer(file, how, forces);
        PageSink sink = format.sink(writer);
        add(STANDARD_OUTPUT.contains(file) && Terminal.isStdout() ? overProgress(sink, writer) : sink);
    }

    private Writer writer(Path file, StandardOpenOption how, boolean forces) throws IOException {
        if (STANDARD_OUTPUT.contains(file)) {
            return OutputFile.standardOutput(forces);
        }
        if (Files.exists(file) && !isRegular(file)) {
            return OutputFile.open(file, APPEND, forces);
        }
        boolean isNew = Files.notExists(file);
        if (!isNew && how == APPEND) {
            cutUnfinishedLine(file);
        }
        Writer writer = OutputFile.open(file, how, forces);
        if (isNew) {
            created.add(file);
        }
        return writer;
    }

    /** Returns a sink that erases the line of progress on the terminal before each record. */
    private static PageSink overProgress(PageSink sink, Writer out) {
        return new PageSink() {
            @Override
            public void accept(Visit visit) throws IOException {
                out.write(Terminal.WIPE);
                sink.accept(visit);
            }

            @Override
            public void flush() throws IOException {
                sink.flush();
            }

            @Override
            public void close() throws IOException {
                sink.close();
            }
        };
    }

    private static void cutUnfinishedLine(Path path) throws IOException {
        String line = unfinishedLine(path);
        if (!line.isEmpty()) {
            LOG.warn("{}: removed an unfinished last line: {}", path, line.replaceAll("\\p{Cntrl}", " "));
            try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
                file.setLength(endOfLines(file));
            }
        }
    }

    /** Returns the beginning of the last line of a file if it has no line feed, else an empty text. */
    private static String unfinishedLine(Path path) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
            long start = endOfLines(file);
            byte[] line = new byte[(int) Math.min(MAX_SHOWN, file.length() - start)];
            file.seek(start);
            file.readFully(line);
            return new String(line, UTF_8);
        }
    }

    /** Returns the position after the last line feed of a file. */
    private static long endOfLines(RandomAccessFile file) throws IOException {
        byte[] block = new byte[BLOCK_BYTES];
        for (long end = file.length(); end > 0; ) {
            int length = (int) Math.min(end, block.length);
            file.seek(end - length);
            file.readFully(block, 0, length);
            for (; length > 0; length--, end--) {
                if (block[length - 1] == '\n') {
                    return end;
                }
            }
        }
        return 0;
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
    public void accept(Visit visit) throws IOException {
        for (PageSink sink : sinks) {
            sink.accept(visit);
        }
    }

    @Override
    public void exchanged(Exchange exchange) throws IOException {
        for (PageSink sink : sinks) {
            sink.exchanged(exchange);
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
                description =
                        "Write .txt (URLs), .jsonl or .json (records, one per line), .warc.gz or .warc (an archive of"
                                + " all requests and responses, with the headers that were sent, -H included; a new file per GB:"
                                + " NAME-00001.warc.gz), or - (records to stdout); repeatable (default: URLs to stdout).")
        private List<Path> outputs = new ArrayList<>();

        @Option(
                names = "--format",
                paramLabel = "NAME",
                description = "Format of stdout and of files with other names: urls or jsonl.",
                converter = FormatConverter.class)
        private Format format;

        @Option(
                names = "--skipped",
                paramLabel = "FILE",
                description = "Write each URL found but not requested: URL, reason, referrer.")
        private Path skipped;

        @Option(names = "--force", description = "Overwrite existing output files. A resumed job continues them.")
        private boolean isForced;

        /**
         * Refuses files that {@link #open} could not open, before anything is created.
         *
         * @param resumes whether the crawl continues a job, whose files then have to be continued
         */
        void check(boolean resumes) throws IOException {
            Outputs.check(files(), format(), skipped, how(resumes), spec);
        }

        /**
         * Opens the files. Without a file for pages, their URLs go to standard output.
         *
         * @param forces whether a flush forces the files to the disk
         */
        Outputs open(boolean resumes, boolean forces) throws IOException {
            return Outputs.open(files(), format(), skipped, how(resumes), forces);
        }

        /** Returns whether the crawl has to keep what is sent and received. */
        boolean hasArchive() {
            return outputs.stream().anyMatch(WarcSink::isArchive);
        }

        private List<Path> files() {
            return outputs.isEmpty() ? List.of(Path.of("-")) : outputs;
        }

        private Format format() {
            return outputs.isEmpty() && format == null ? Format.URLS : format;
        }

        private StandardOpenOption how(boolean resumes) {
            return resumes ? APPEND : isForced ? TRUNCATE_EXISTING : CREATE_NEW;
        }
    }
}
