package dev.sieve.crawl;

import dev.sieve.fetch.Fetcher;
import dev.sieve.fetch.LocalSource;
import dev.sieve.fetch.Origins;
import dev.sieve.fetch.PageFetcher;
import dev.sieve.parse.LinkExtractor;
import dev.sieve.parse.TextForm;
import dev.sieve.robots.RobotsCache;
import dev.sieve.robots.RobotsRules;
import dev.sieve.scope.Admission;
import dev.sieve.scope.TrapGuard;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Makes the parts of a crawl as its options describe them, and divides its memory among them.
 *
 * @param options those of the crawl; later changes have an effect
 */
public record CrawlParts(CrawlOptions options) {
    /** The heap that the parts of a page and its links to parts may take, in the objects of the parser and as a line. */
    private static final int PART_BYTES = 16 << 20;

    /** Returns the admission of a crawl, without seeds. */
    public Admission admission() {
        return new Admission(options.scope.build(), new TrapGuard(options.trapLimits));
    }

    /** Returns the guard of the traps that the processes of a crawl count together. */
    public TrapGuard sharedTraps(long seed) {
        return TrapGuard.ofHosts(options.trapLimits, seed);
    }

    /** Returns a fetcher, to be closed by the caller. */
    public Fetcher fetcher() {
        int parts = options.stages.stream().mapToInt(Stage.Creation::parts).sum();
        Fetcher.Options requests = new Fetcher.Options(
                options.userAgent(),
                options.headers,
                options.timeout,
                options.bodyLimit,
                options.concurrency * (1 + parts),
                options.resolver,
                options.addresses,
                bodyMemory(),
                options.proxy,
                options.exchanges);
        return new Fetcher(requests, options.signer);
    }

    /** Returns what responds to requests: the {@linkplain CrawlOptions#source source}, those of stages, or else a network. */
    public Origins origins(Fetcher network, List<Stage> stages) {
        Stream<LocalSource> ofStages = stages.stream().map(Stage::source).filter(Objects::nonNull);
        return new Origins(
                network,
                Stream.concat(Stream.ofNullable(options.source), ofStages).toList());
    }

    /** Returns an empty cache of robots.txt. */
    public RobotsCache robots(PageFetcher fetcher, InstantSource dates) {
        int retries = options.retries;
        return new RobotsCache(fetcher, productToken(), Math.max(retries, 1 + retries), dates, robotsMemory());
    }

    long bodyMemory() {
        return options.memory() / 2;
    }

    long robotsMemory() {
        return options.memory() / 16 * 3;
    }

    /** Returns of how many documents the links may be in memory at the same time. */
    int documents() {
        return (int) Math.max(1, Math.min(options.concurrency, options.memory() / 16 * 3 / documentBytes()));
    }

    /** Returns the heap that the links of a document may take, its parts if they are checked, and its text if it is kept. */
    long documentBytes() {
        TextForm text = options.text();
        return (long) LinkExtractor.DOCUMENT_BYTES
                + (options.has(Capability.CHECK_FRAGMENTS) ? PART_BYTES : 0)
                + (text == null ? 0 : text.bytes());
    }

    int leaseMemory() {
        return (int) Math.min(Integer.MAX_VALUE, options.memory() / 16);
    }

    /** Returns how many bytes of heap the origins and sites of sitemaps may take. */
    public long sitemapMemory() {
        return options.memory() / 16;
    }

    String productToken() {
        return RobotsRules.productToken(options.userAgent());
    }

    /** Returns under which names a crawl requests pages, for the log. */
    String names() {
        String token = productToken().isEmpty() ? "any crawler (*)" : productToken();
        return options.userAgent() + (options.obeyRobots ? ", in robots.txt as " + token : ", without robots.txt");
    }
}
