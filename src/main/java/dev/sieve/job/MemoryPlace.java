package dev.sieve.job;

import dev.sieve.FrontierSettings;
import dev.sieve.Sieve;
import dev.sieve.crawl.CrawlJob;
import dev.sieve.crawl.CrawlOptions;

/** The memory of this process: nothing is saved. */
public record MemoryPlace() implements CrawlPlace {
    @Override
    public String kind() {
        return "job";
    }

    @Override
    public CrawlJob open(CrawlOptions options, FrontierSettings settings) {
        return CrawlJob.inMemory(Sieve.builder().settings(settings).build());
    }

    @Override
    public String toString() {
        return "none";
    }
}
