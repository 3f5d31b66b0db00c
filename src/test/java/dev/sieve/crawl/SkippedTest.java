package dev.sieve.crawl;

import static dev.sieve.crawl.Counter.REFUSED;
import static dev.sieve.crawl.Counter.SKIPPED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.Sieve;
import dev.sieve.output.PageSink;
import dev.sieve.output.Skip;
import dev.sieve.output.SkipListSink;
import dev.sieve.output.Visit;
import dev.sieve.parse.LinkExtractor;
import dev.sieve.scope.Scope;
import dev.sieve.scope.SkipReason;
import dev.sieve.stage.AllStages;
import java.io.IOException;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nothing is skipped silently. */
@Timeout(1200)
class SkippedTest {
    @AutoClose
    private final Site site = new Site();

    private final List<Skip> skips = new ArrayList<>();
    private final Sieve sieve = Sieve.builder().capacity(50_000).seed(1).build();

    private static CrawlOptions fast() {
        return new CrawlOptions().delay(Duration.ZERO).perHost(8).concurrency(8);
    }

    private CrawlReport crawl(CrawlOptions options, PageSink sink) throws IOException {
        try (Crawler crawler = new Crawler(options, sieve, AllStages::of)) {
            crawler.open(site.url("/"));
            crawler.seed(site.url("/"));
            return crawler.run(sink);
        }
    }

    private static PageSink collecting(List<Skip> skips) {
        return new PageSink() {
            @Override
            public void accept(Visit visit) {}

            @Override
            public void skipped(Skip skip) {
                skips.add(skip);
            }
        };
    }

    @Test
    void sinksReceiveEachSkipThatTheReportCounts() throws IOException {
        site.page(
                        "/",
                        "mailto:x@y",
                        "http://a..b/",
                        "http://10.0.0.1/",
                        "ftp://x/",
                        "/private",
                        "/a.pdf",
                        "/deep",
                        "/r")
                .page("/deep", "/shy", "/deeper", "/")
                .page("/deeper", "/deepest")
                .html("/shy", "<meta name=robots content=nofollow><a href=/never>x</a><a href=/ever>x</a>")
                .redirect("/r", "/x/x/x/x/x")
                .robots("User-agent: *\nDisallow: /private\n");
        CrawlOptions options = fast().scope(Scope.Kind.ANY).exclude("\\.pdf$").maxDepth(2);

        CrawlReport report = crawl(options, collecting(skips));

        Map<String, Long> counted = new TreeMap<>(report.by(SKIPPED));
        counted.putAll(report.by(REFUSED));
        assertThat(skips.stream()
                        .collect(Collectors.groupingBy(skip -> skip.reason().rule(), Collectors.counting())))
                .isEqualTo(counted)
                .containsOnlyKeys(
                        "not http or https",
                        "no valid host",
                        "address not public",
                        "robots.txt",
                        "excluded",
                        "nofollow",
                        "too deep",
                        "trap repeated-segments");
        assertThat(skips)
                .contains(
                        new Skip("mailto:x@y", new SkipReason("not http or https", ""), site.url("/")),
                        new Skip(site.url("/private"), new SkipReason("robots.txt", "forbids it"), site.url("/")),
                        new Skip(site.url("/a.pdf"), new SkipReason("excluded", "exclude \\.pdf$"), site.url("/")),
                        new Skip(site.url("/ever"), new SkipReason("nofollow", ""), site.url("/shy")),
                        new Skip(
                                site.url("/deepest"),
                                new SkipReason("too deep", "depth at most 2"),
                                site.url("/deeper")));
    }

    @Test
    void eachReferenceBeyondTheLimitOfAPageIsToldOf() throws IOException {
        site.page(
                "/",
                IntStream.range(0, LinkExtractor.MAX_LINKS + 7)
                        .mapToObj(i -> "http://x.test/" + i)
                        .toArray(String[]::new));

        CrawlReport report = crawl(fast(), collecting(skips));

        assertThat(report.by(SKIPPED))
                .containsExactly(Map.entry("beyond the limit of a page", 7L), Map.entry("out of scope", (long)
                        LinkExtractor.MAX_LINKS));
        assertThat(skips).extracting(Skip::url).doesNotHaveDuplicates().hasSize(LinkExtractor.MAX_LINKS + 7);
    }

    @Test
    void whatWasSeenBeforeIsNoSkip() throws IOException {
        site.page("/", "/a", "/b").page("/a", "/", "/b").page("/b", "/", "/a");

        crawl(fast(), collecting(skips));

        assertThat(skips).isEmpty();
    }

    @Test
    void aSinkThatFailsOnASkipEndsTheCrawl() {
        site.page("/", "mailto:x@y");

        assertThatThrownBy(() -> crawl(fast(), new PageSink() {
                    @Override
                    public void accept(Visit visit) {}

                    @Override
                    public void skipped(Skip skip) throws IOException {
                        throw new IOException("disk full");
                    }
                }))
                .isInstanceOf(IOException.class)
                .hasMessage("disk full");
        assertThat(sieve.stats().done()).isZero();
    }

    @Test
    void eachSkipIsOneLineWhateverItsTextIs() throws IOException {
        StringWriter out = new StringWriter();
        try (SkipListSink sink = new SkipListSink(out)) {
            sink.skipped(new Skip("a\tb\nc\\\u001b[31m\u202e", new SkipReason("not http or https", ""), null));
            sink.skipped(new Skip("http://h/", new SkipReason("excluded", "exclude \\d"), "http://h/\u2028"));
        }

        assertThat(out.toString().lines())
                .containsExactly(
                        "a\\u0009b\\u000ac\\\\\\u001b[31m\\u202e\tnot http or https\t",
                        "http://h/\texcluded: exclude \\\\d\thttp://h/\\u2028");
    }
}
