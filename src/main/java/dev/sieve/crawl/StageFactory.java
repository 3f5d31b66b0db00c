package dev.sieve.crawl;

import java.io.IOException;
import java.util.List;

/** Creates the stages of a crawl, in the order in which they are called. */
public interface StageFactory {
    /** Returns the stages. The message of an {@link IllegalArgumentException} says why the job cannot have one of them. */
    List<Stage> create(CrawlOptions options, CrawlJob job, Recorder recorder, LinkQueue links, CrawlClock clock)
            throws IOException;
}
