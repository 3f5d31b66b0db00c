package dev.sieve.output;

import java.io.Writer;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What the lines of an output contain. */
public enum LineFormat {
    /** The URL of each successful page. */
    TXT,
    /** A record per visit, as JSON Lines. */
    JSONL,
    /** A record per visit, as comma-separated values. */
    CSV,
    /** The link graph. */
    TSV;

    /**
     * Creates a sink of this format.
     *
     * @param continues whether there are lines before
     */
    public LineSink sink(Writer out, boolean continues) {
        return switch (this) {
            case TXT -> new UrlListSink(out);
            case JSONL -> new JsonlSink(out);
            case CSV -> new CsvSink(out, continues);
            case TSV -> new LinkGraphSink(out);
        };
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the format of a file by the ending of its name, else the one chosen; null if neither determines it. */
    public static @Nullable LineFormat of(Path file, @Nullable LineFormat chosen) {
        String name = file.toString().toLowerCase(Locale.ROOT);
        if (name.endsWith(".json")) {
            return JSONL;
        }
        for (LineFormat format : values()) {
            if (name.endsWith("." + format)) {
                return format;
            }
        }
        return chosen == null && OutputFile.isStandardOutput(file) ? JSONL : chosen;
    }
}
