package dev.sieve.cli;

import static dev.sieve.report.Numbers.text;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;

import dev.sieve.crawl.CrawlOptions;
import dev.sieve.crawl.CrawlPlace;
import dev.sieve.fetch.Exchange;
import dev.sieve.output.CsvSink;
import dev.sieve.output.JsonlSink;
import dev.sieve.output.LineSink;
import dev.sieve.output.Link;
import dev.sieve.output.LinkGraphSink;
import dev.sieve.output.OutputFile;
import dev.sieve.output.PageSink;
import dev.sieve.output.Removal;
import dev.sieve.output.Skip;
import dev.sieve.output.SkipListSink;
import dev.sieve.output.UnfinishedLines;
import dev.sieve.output.UrlListSink;
import dev.sieve.output.Visit;
import dev.sieve.output.WarcSink;
import dev.sieve.report.LiveServer;
import dev.sieve.report.Numbers;
import dev.sieve.report.ReportPage;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The outputs of a crawl. {@code CREATE_NEW} refuses existing files, {@code TRUNCATE_EXISTING} overwrites them, and
 * {@code APPEND} continues them after it has removed what a crash left unfinished. Pipes and devices are
 * written to whatever the option.
 */
final class Outputs implements PageSink {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.cli");

    private static final Set<Path> STANDARD_OUTPUT = Set.of(Path.of("-"), Path.of("/dev/stdout"));

    private final List<PageSink> sinks = new ArrayList<>();
    private final Map<Path, PageSink> files = new LinkedHashMap<>();
    private final Set<Path> continued = new HashSet<>();
    private final List<Path> created = new ArrayList<>();

    /** What an output contains. */
    enum Format {
        /** The URL of each successful page. */
        TXT("http"),
        /** A record per visit, as JSON Lines. */
        JSONL("{\"url\": \"http"),
        /** A record per visit, as comma-separated values. */
        CSV("http\n\"http\nurl,key,"),
        /** The link graph. */
        TSV("http");

        /** How lines begin: one of these lines. */
        private final String starts;

        Format(String starts) {
            this.starts = starts;
        }

        /**
         * Creates a sink of this format.
         *
         * @param continues whether there are lines before
         */
        LineSink sink(Writer out, boolean continues) {
            return switch (this) {
                case TXT -> new UrlListSink(out);
                case JSONL -> new JsonlSink(out);
                case CSV -> new CsvSink(out, continues);
                case TSV -> new LinkGraphSink(out);
            };
        }

        /** Returns whether a text may be a line of this format without its end. */
        boolean mayBegin(String text) {
            return starts.lines().anyMatch(start -> text.startsWith(start) || start.startsWith(text));
        }

        /** Returns the format of a file by the ending of its name, else the one chosen; null if neither determines it. */
        static @Nullable Format of(Path file, @Nullable Format chosen) {
            String name = file.toString().toLowerCase(Locale.ROOT);
            if (name.endsWith(".json")) {
                return JSONL;
            }
            for (Format format : values()) {
                if (name.endsWith("." + Converters.name(format))) {
                    return format;
                }
            }
            return chosen == null && STANDARD_OUTPUT.contains(file) ? JSONL : chosen;
        }
    }

    private Outputs() {}

    /** Refuses files that {@link #open} could not open, before anything is created. */
    static void check(
            List<Path> files, @Nullable Format chosen, @Nullable Path skipped, StandardOpenOption how, CommandSpec spec)
            throws IOException {
        Set<Path> names = new HashSet<>();
        if (chosen != null && files.stream().noneMatch(file -> isFormat(file, chosen))) {
            throw Checks.invalid(
                    spec,
                    "--format",
                    Converters.name(chosen) + ": no output has this format; the name of " + files.get(0)
                            + " determines another one");
        }
        for (Path file : files) {
            if (WarcSink.isArchive(file)) {
                checkArchive(file, how, spec);
                check("-o", file, how, names, spec);
                continue;
            }
            Format format = Format.of(file, chosen);
            if (format == null) {
                throw Checks.invalid(
                        spec,
                        "-o",
                        file
                                + ": the name must end in .txt, .jsonl, .json, .csv, .tsv, .warc.gz or .warc, unless --format"
                                + " is given");
            }
            check("-o", file, how, names, spec);
            if (how == APPEND && isRegular(file) && new UnfinishedLines(file, format::mayBegin).isForeign()) {
                throw Checks.invalid(
                        spec, "-o", file + ": its last line was not written by this crawl and has no line feed");
            }
        }
        if (skipped != null) {
            check("--skipped", skipped, how, names, spec);
        }
    }

    private static boolean isFormat(Path file, Format chosen) {
        return !WarcSink.isArchive(file) && Format.of(file, chosen) == chosen;
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

    /**
     * Refuses a file for a report that could not be written when the crawl is over.
     *
     * @param option the option that names it
     * @param replaces whether the file may exist
     * @throws IOException when the disk is full or fails
     */
    static void checkReport(String option, Path file, boolean replaces, CommandSpec spec) throws IOException {
        if (STANDARD_OUTPUT.contains(file) || (Files.exists(file) && !Files.isRegularFile(file))) {
            throw Checks.invalid(spec, option, file + " is not a regular file");
        } else if (!file.toString().toLowerCase(Locale.ROOT).matches(".+\\.html?")) {
            throw Checks.invalid(spec, option, file + ": the name must end in .html or .htm");
        } else if (!replaces && Files.exists(file)) {
            throw Checks.invalid(spec, option, file + " exists; use --force to overwrite it");
        }
        try {
            ReportPage.check(file);
        } catch (IOException e) {
            boolean isInFolder = Files.isDirectory(file.toAbsolutePath().resolveSibling(""));
            if (!isInFolder || e instanceof AccessDeniedException || e instanceof NoSuchFileException) {
                throw Checks.invalid(spec, option, file + " cannot be written: " + Checks.message(e));
            }
            throw new IOException("cannot write " + file + ": " + Checks.message(e), e);
        }
    }

    private static void checkArchive(Path file, StandardOpenOption how, CommandSpec spec) throws IOException {
        List<Path> existing = WarcSink.existing(file);
        if (how == CREATE_NEW && !existing.isEmpty() && !existing.equals(List.of(file))) {
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
    static Outputs open(
            List<Path> files, @Nullable Format chosen, @Nullable Path skipped, StandardOpenOption how, boolean forces)
            throws IOException {
        Outputs outputs = new Outputs();
        try {
            for (Path file : files) {
                for (Path existing : WarcSink.isArchive(file) ? WarcSink.existing(file) : List.of(file)) {
                    OutputFile.requireUnused(existing);
                }
            }
            if (skipped != null) {
                OutputFile.requireUnused(skipped);
            }
            // First, so that no line is stored before what it is about is in the archive.
            for (Path file : files) {
                if (WarcSink.isArchive(file)) {
                    outputs.add(file, archive(file, how, forces));
                }
            }
            for (Path file : files) {
                if (!WarcSink.isArchive(file)) {
                    outputs.add(file, Objects.requireNonNull(Format.of(file, chosen)), how, forces);
                }
            }
            if (skipped != null) {
                outputs.add(skipped, new SkipListSink(outputs.writer(skipped, line -> true, how, forces)));
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

    /**
     * Adds a sink, which is closed with the others.
     *
     * @param file the file that it writes, for the summary; null for none
     */
    void add(@Nullable Path file, PageSink sink) {
        add(sink);
        if (file != null) {
            files.put(file, sink);
        }
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
            log(archive, WarcSink.removeUnfinished(archive));
        } catch (IOException e) {
            // It is not written to again.
            LOG.warn("{}; the file is left unchanged", e.getMessage());
        }
    }

    private static void log(Path file, Removal removal) {
        if (removal.bytes() > 0) {
            LOG.warn(
                    "{}: removed {} that a crash had left unfinished{}{}",
                    file,
                    Numbers.count(removal.bytes(), "byte"),
                    removal.text().isEmpty() ? "" : ": " + removal.text(),
                    removal.copy() == null
                            ? ""
                            : text("; a copy of all bytes from %,d on is %s", removal.position(), removal.copy()));
        }
    }

    private void add(Path file, Format format, StandardOpenOption how, boolean forces) throws IOException {
        Writer writer = writer(file, format::mayBegin, how, forces);
        boolean continues = isRegular(file) && Files.size(file) > 0;
        PageSink sink = format.sink(writer, continues);
        if (STANDARD_OUTPUT.contains(file)) {
            add(Terminal.isStdout() ? overProgress(sink, writer) : sink);
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

    /**
     * Opens a file for lines.
     *
     * @param mayBegin whether a text may be the beginning of a line
     */
    private Writer writer(Path file, Predicate<String> mayBegin, StandardOpenOption how, boolean forces)
            throws IOException {
        if (STANDARD_OUTPUT.contains(file)) {
            return OutputFile.standardOutput(forces);
        }
        if (Files.exists(file) && !isRegular(file)) {
            return OutputFile.open(file, APPEND, forces);
        }
        boolean isNew = Files.notExists(file);
        if (!isNew && how == APPEND) {
            log(file, new UnfinishedLines(file, mayBegin).remove());
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
            public boolean takesLinks() {
                return sink.takesLinks();
            }

            @Override
            public void linked(Link link) throws IOException {
                out.write(Terminal.WIPE);
                sink.linked(link);
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
    public boolean takesLinks() {
        return sinks.stream().anyMatch(PageSink::takesLinks);
    }

    @Override
    public void linked(Link link) throws IOException {
        for (PageSink sink : sinks) {
            sink.linked(link);
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
                        "Write .txt (URLs with status 2xx), .jsonl or .csv (a record per URL), .tsv (links: source, target,"
                                + " and new, seen, out of scope, or skipped: RULE), .warc.gz or .warc (an archive of all"
                                + " requests and responses, with the headers that were sent, -H included; a new file per GB:"
                                + " NAME-00001.warc.gz), or - (stdout); repeatable (default: URLs to stdout).")
        private List<Path> outputs = new ArrayList<>();

        @Option(
                names = "--format",
                paramLabel = "NAME",
                description = "Format of stdout and of files with other names: txt, jsonl, csv or tsv (default: jsonl"
                        + " for -o -).")
        private @Nullable Format format;

        @Option(
                names = "--skipped",
                paramLabel = "FILE",
                description = "Write each URL found but not requested: URL, reason, referrer.")
        private @Nullable Path skipped;

        @Option(
                names = "--report",
                paramLabel = "FILE",
                description = "Write a report at the end: one HTML file, for a browser (default: none).")
        private @Nullable Path report;

        @Option(
                names = "--force",
                description = "Overwrite existing output files. A resumed job continues them, and replaces its report.")
        private boolean isForced;

        /**
         * Refuses files that {@link #open} could not open, before anything is created.
         *
         * @param place where the crawl is kept
         * @param resumes whether it continues a crawl, whose files then have to be continued
         */
        void check(CrawlPlace place, boolean resumes) throws IOException {
            checkOutside(place);
            Outputs.check(files(), format(), skipped, how(resumes), spec);
            if (report != null) {
                boolean isEarlier = resumes && Files.isRegularFile(report) && ReportPage.isReport(report);
                checkReport("--report", report, isForced || isEarlier, spec);
                Path name = report.toAbsolutePath().normalize();
                if (Stream.concat(files().stream(), Stream.ofNullable(skipped))
                        .anyMatch(each -> each.toAbsolutePath().normalize().equals(name))) {
                    throw Checks.invalid(spec, "--report", report + " is named twice");
                }
            }
        }

        /** Refuses files in the folder of the job, which only has files of its own. */
        private void checkOutside(CrawlPlace place) {
            all().filter(each -> !STANDARD_OUTPUT.contains(each) && place.contains(each))
                    .findFirst()
                    .ifPresent(inside -> {
                        throw Checks.wrong(
                                spec,
                                inside + " is in the directory of --job " + place + "; write outputs outside of it");
                    });
        }

        /**
         * Opens the files. Without a file for pages, their URLs go to standard output.
         *
         * @param forces whether a flush forces the files to the disk
         */
        Outputs open(boolean resumes, boolean forces) throws IOException {
            return Outputs.open(files(), format(), skipped, how(resumes), forces);
        }

        /** Returns all files that are written, {@code -} for stdout. */
        Stream<Path> all() {
            return Stream.of(files().stream(), Stream.ofNullable(skipped), Stream.ofNullable(report))
                    .flatMap(each -> each);
        }

        /** Returns the names of the files, for the user. */
        String names() {
            return all().map(each -> STANDARD_OUTPUT.contains(each) ? "stdout" : each.toString())
                    .collect(Collectors.joining(", "));
        }

        /** Returns the recording for the report, the live page and the metrics; null if none of them was requested. */
        @Nullable
        Recording recording(@Nullable LiveServer live, @Nullable Path metrics) {
            return Recording.of(report, live, metrics);
        }

        /** Returns whether the crawl has to keep what is sent and received. */
        boolean hasArchive() {
            return outputs.stream().anyMatch(WarcSink::isArchive);
        }

        private List<Path> files() {
            return outputs.isEmpty() ? List.of(Path.of("-")) : outputs;
        }

        private @Nullable Format format() {
            return outputs.isEmpty() && format == null ? Format.TXT : format;
        }

        private StandardOpenOption how(boolean resumes) {
            return resumes ? APPEND : isForced ? TRUNCATE_EXISTING : CREATE_NEW;
        }
    }
}
