package dev.sieve.job;

import dev.sieve.SieveStats;
import dev.sieve.durable.DurableState;
import dev.sieve.shared.SharedTools;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The state of a crawl as its place has read it.
 *
 * @param stats the counters; those of the filter say nothing unless it {@linkplain #hasFill is known}
 * @param problems one sentence each; empty when none were found
 * @param folder the state of a folder; null for that of an engine
 * @param engine the state of an engine; null for that of a folder
 */
public record CrawlState(
        SieveStats stats,
        long seeds,
        long lost,
        List<String> problems,
        @Nullable Folder folder,
        SharedTools.@Nullable State engine) {
    /**
     * The state of a folder.
     *
     * @param bytes of all files
     * @param since when the oldest was last changed: the settings are written once, at the start
     */
    public record Folder(DurableState frontier, long bytes, Instant since) {
        /** Returns the process that uses it; null when none does, 0 when it is unknown. */
        public @Nullable Long owner() {
            return frontier.owner().isPresent() ? frontier.owner().getAsLong() : null;
        }
    }

    /** Returns whether it is known how full the filter is; that of a folder is in a checkpoint. */
    public boolean hasFill() {
        return folder == null || stats.memoryBytes() > 0;
    }

    /** Returns the values by their names, for programs; null for one that is not known. */
    public Map<String, @Nullable Object> values() {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        values.put("accepted", stats.accepted());
        values.put("done", stats.done());
        values.put("pending", stats.pending());
        values.put("lost", lost);
        values.put("capacity", stats.capacity());
        values.put("seeds", seeds);
        values.put("problems", problems);
        values.put("miss_rate", folder == null ? stats.falsePositiveRate() : folder.frontier.falsePositiveRate());
        values.put("filter_size", hasFill() ? stats.estimatedSize() : null);
        values.put("filter_bytes", hasFill() ? stats.memoryBytes() : null);
        values.put("missed", hasFill() ? stats.estimatedMissed() : null);
        if (folder != null) {
            values.put("log_files", folder.frontier.segments());
            values.put("log_bytes", folder.frontier.logBytes());
            values.put("folder_bytes", folder.bytes);
            values.put("since", folder.since.toString());
            values.put("owner", folder.owner());
        }
        if (engine != null) {
            values.put("pending_bytes", engine.queueBytes());
            values.put("engine", engine.engine());
            values.put("slices", engine.slices());
            values.put(
                    "workers",
                    engine.workers().stream()
                            .map(each -> new TreeMap<>(Map.of("name", each.name(), "slices", each.slices())))
                            .toList());
            values.put("warnings", engine.warnings());
        }
        return values;
    }
}
