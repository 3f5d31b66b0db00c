package dev.sieve.job;

import dev.sieve.FrontierSettings;
import dev.sieve.crawl.CrawlJob;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.durable.Export;
import dev.sieve.durable.RepairReport;
import dev.sieve.shared.EngineAddress;
import dev.sieve.shared.SharedTools;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Consumer;

/** An engine with a crawl that many processes share, see {@link SharedJob}; patience is for one that does not respond. */
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
            SharedTools.export(address, CrawlJob::isPage, urls);
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
        SharedTools.State read = SharedTools.inspect(address);
        return new CrawlState(read.stats(), read.seeds(), read.lost(), read.problems(), null, read);
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
