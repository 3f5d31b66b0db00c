package dev.sieve.crawl;

import dev.sieve.SieveStats;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The state of a crawl as its place has read it: once as values, for programs, and once as lines, for people. */
public final class CrawlState {
    private final Map<String, @Nullable Object> values = new LinkedHashMap<>();
    private final List<Line> lines = new ArrayList<>();
    private final List<String> problems;

    /**
     * A line for people.
     *
     * @param format as that of {@link String#format}
     * @param values texts and integers; and {@link Bytes}, {@link Rate} and {@link SieveStats}, which are formatted as texts:
     *     the last one as how full its filter is
     */
    public record Line(String name, String format, List<Object> values) {}

    /** A number of bytes. */
    public record Bytes(long count) {}

    /** A false-positive rate. */
    public record Rate(double share) {}

    /** Creates a state with what all places know. */
    CrawlState(SieveStats stats, long seeds, long lost, List<String> problems) {
        this.problems = List.copyOf(problems);
        value("accepted", stats.accepted());
        value("done", stats.done());
        value("pending", stats.pending());
        value("lost", lost);
        value("capacity", stats.capacity());
        value("seeds", seeds);
        value("problems", this.problems);
        line("urls", "%,d accepted = %,d done + %,d pending", stats.accepted(), stats.done(), stats.pending());
        line("seeds", "%,d", seeds);
        if (lost > 0) {
            line("lost", "%,d, found missing by a repair", lost);
        }
    }

    /**
     * Adds the values of the filter.
     *
     * @param stats null when they are not known
     */
    void filter(@Nullable SieveStats stats, double missRate) {
        value("miss_rate", missRate);
        value("filter_size", stats == null ? null : stats.estimatedSize());
        value("filter_bytes", stats == null ? null : stats.memoryBytes());
        value("missed", stats == null ? null : stats.estimatedMissed());
    }

    /** Adds a value: a text, a number, a list or a map of these; null for one that is not known. */
    void value(String name, @Nullable Object value) {
        values.put(name, value);
    }

    /** Adds a line. */
    void line(String name, String format, Object... parts) {
        lines.add(new Line(name, format, List.of(parts)));
    }

    /** Returns the values by their names. */
    public Map<String, @Nullable Object> values() {
        return Collections.unmodifiableMap(values);
    }

    /** Returns the lines for people, without the problems. */
    public List<Line> lines() {
        return Collections.unmodifiableList(lines);
    }

    /** Returns one sentence for each problem; empty when none were found. */
    public List<String> problems() {
        return problems;
    }
}
