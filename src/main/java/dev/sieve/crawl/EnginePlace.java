package dev.sieve.crawl;

import dev.sieve.FrontierSettings;
import dev.sieve.SieveStats;
import dev.sieve.crawl.CrawlState.Bytes;
import dev.sieve.crawl.CrawlState.Rate;
import dev.sieve.durable.Export;
import dev.sieve.durable.RepairReport;
import dev.sieve.shared.EngineAddress;
import dev.sieve.shared.SharedState;
import dev.sieve.shared.SharedTools;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * An engine, with a crawl that many processes share: see {@link SharedJob}.
 *
 * @param patience how long to wait for the engine when it does not respond
 */
public record EnginePlace(EngineAddress address, Duration patience) implements SavedPlace {
    @Override
    public String kind() {
        return "frontier";
    }

    @Override
    public boolean isShared() {
        return true;
    }

    @Override
    public boolean forces() {
        return true;
    }

    @Override
    public boolean exists() throws IOException {
        return SharedTools.exists(address, patience);
    }

    @Override
    public CrawlJob open(CrawlOptions options, FrontierSettings settings) throws IOException {
        return SharedJob.open(
                address, options, builder -> builder.settings(settings).patience(patience));
    }

    @Override
    public void seeds(Consumer<String> seeds) throws IOException {
        SharedTools.lines(address, "seeds", seeds);
    }

    @Override
    public void export(Export which, Consumer<String> urls) throws IOException {
        if (which != Export.DONE) {
            SharedTools.export(address, Target.Kind::isPage, urls);
        }
    }

    @Override
    public void shares(Consumer<byte[]> shares) throws IOException {
        SharedTools.shares(address, shares);
    }

    @Override
    public boolean mightContain(String key) throws IOException {
        return SharedTools.mightContain(address, key);
    }

    @Override
    public CrawlState inspect() throws IOException {
        SharedState read = SharedTools.inspect(address);
        SieveStats stats = read.stats();
        CrawlState state = new CrawlState(stats, read.seeds(), read.lost(), read.problems());
        state.filter(stats, stats.falsePositiveRate());
        state.value("pending_bytes", read.queueBytes());
        state.value("engine", read.engine());
        state.value("slices", read.slices());
        state.value(
                "workers",
                read.workers().stream()
                        .map(each -> new TreeMap<>(Map.of("name", each.name(), "slices", each.slices())))
                        .toList());
        state.value("warnings", read.warnings());
        state.line("filter", "%s; miss rate now %s", stats, new Rate(stats.falsePositiveRate()));
        state.line(
                "memory",
                "%s for seen URLs%s, %s for pending ones%s",
                new Bytes(stats.memoryBytes()),
                perUrl(stats.memoryBytes(), stats.accepted()),
                new Bytes(read.queueBytes()),
                perUrl(read.queueBytes(), stats.pending()));
        state.line("engine", "%s at %s", read.engine(), address.server());
        int owned = read.workers().stream().mapToInt(SharedState.Worker::slices).sum();
        state.line(
                "workers",
                "%d%s; slices without an owner: %d of %d",
                read.workers().size(),
                read.workers().stream()
                        .map(each -> ", " + each.name() + " with " + each.slices()
                                + (each.slices() == 1 ? " slice" : " slices"))
                        .collect(Collectors.joining()),
                read.slices() - owned,
                read.slices());
        read.warnings().forEach(warning -> state.line("warning", "%s", warning));
        return state;
    }

    private static String perUrl(long bytes, long urls) {
        return bytes == 0 || urls == 0 ? "" : String.format(Locale.ROOT, " (%.1f B per URL)", (double) bytes / urls);
    }

    @Override
    public RepairReport repair() throws IOException {
        return SharedTools.repair(address);
    }

    @Override
    public long delete() throws IOException {
        return SharedTools.delete(address);
    }

    @Override
    public String toString() {
        return address.toString();
    }
}
