package dev.sieve.crawl;

import dev.sieve.fetch.FetchResult;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** What a crawl makes of redirects. */
public final class Redirects {
    private final LinkQueue links;

    private Redirects(LinkQueue links) {
        this.links = links;
    }

    /** The redirects of a crawl of a job that has these stages. */
    public static Redirects of(CrawlOptions options, CrawlJob job, Crawler.StageFactory factory) throws IOException {
        List<Stage> stages = new ArrayList<>();
        Recorder recorder = new Recorder(job.frontier(), stages);
        LinkQueue links = new LinkQueue(options, recorder, stages, job, () -> {});
        stages.addAll(factory.create(options, job, recorder, links, CrawlClock.SYSTEM));
        return new Redirects(links);
    }

    /** Queues the target of a redirect; returns the redirect, or a failure if it closes a ring. */
    public FetchResult follow(Target source, FetchResult.Redirect redirect) {
        return links.target(source, redirect);
    }
}
