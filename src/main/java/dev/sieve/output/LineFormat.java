package dev.sieve.output;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** The formats of outputs that consist of lines, and can be written to standard output. */
public enum LineFormat implements OutputFormat {
    /** The URL of each successful page. */
    TXT("URLs with status 2xx", (out, continues) -> new UrlListSink(out), ".txt"),
    /** A record per visit, as JSON Lines. */
    JSONL("a record per URL", (out, continues) -> new JsonlSink(out), ".jsonl", ".json"),
    /** A record per visit, as comma-separated values. */
    CSV("a record per URL", CsvSink::new, ".csv"),
    /** The link graph. */
    TSV(
            "links: source, target, and new, seen, out of scope, or skipped: RULE",
            (out, continues) -> new LinkGraphSink(out),
            ".tsv");

    private final String help;

    @SuppressWarnings("ImmutableEnumChecker") // has no state
    private final Lines lines;

    @SuppressWarnings("ImmutableEnumChecker") // is not changed
    private final List<String> endings;

    public interface Lines {
        /** Creates a sink; if it continues, there are lines before. */
        LineSink sink(Writer out, boolean continues);
    }

    LineFormat(String help, Lines lines, String... endings) {
        this.help = help;
        this.lines = lines;
        this.endings = List.of(endings);
    }

    @Override
    public List<String> endings() {
        return endings;
    }

    @Override
    public String help() {
        return help;
    }

    @Override
    public boolean hasRecords() {
        return this == JSONL || this == CSV;
    }

    /** Creates a sink of this format; if it continues, there are lines before. */
    public LineSink sink(Writer out, boolean continues) {
        return lines.sink(out, continues);
    }

    @Override
    public LineSink open(Path file, OutputOpening opening) throws IOException {
        return open(file, opening, lines);
    }

    /** Opens an output, or standard output, for lines. */
    public static LineSink open(Path file, OutputOpening opening, Lines lines) throws IOException {
        if (OutputFile.isStandardOutput(file)) {
            return lines.sink(OutputFile.standardOutput(opening.forces()), false)
                    .before(opening.beforeLine());
        }
        OutputFile out = OutputFile.lines(file, opening);
        return lines.sink(out.writer(), out.length() > 0);
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
