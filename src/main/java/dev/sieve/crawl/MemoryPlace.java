package dev.sieve.crawl;

import dev.sieve.Sieve;

/** The memory of this process: nothing is saved. */
public record MemoryPlace() implements CrawlPlace {
    @Override
    public String kind() {
        return "job";
    }

    @Override
    public CrawlJob open(CrawlOptions options, FrontierSettings settings) {
        Sieve.Builder builder = Sieve.builder().onCapacity(settings.listener());
        FrontierSettings.set(settings.capacity(), builder::capacity);
        FrontierSettings.set(settings.filter(), builder::filter);
        FrontierSettings.set(settings.falsePositiveRate(), builder::falsePositiveRate);
        FrontierSettings.set(settings.onFull(), builder::onFull);
        return CrawlJob.inMemory(builder.build());
    }

    @Override
    public String toString() {
        return "none";
    }
}
