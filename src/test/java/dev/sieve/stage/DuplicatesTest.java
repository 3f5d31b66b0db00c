package dev.sieve.stage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Sieve;
import dev.sieve.crawl.Capability;
import dev.sieve.crawl.CrawlJob;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.crawl.Crawler;
import dev.sieve.crawl.JobLines;
import dev.sieve.crawl.Site;
import dev.sieve.io.JobFiles;
import dev.sieve.job.CrawlDirectory;
import dev.sieve.output.Likeness;
import dev.sieve.output.PageSink;
import dev.sieve.output.Skip;
import dev.sieve.output.Visit;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class DuplicatesTest {
    @AutoClose
    private final Site site = new Site();

    @TempDir
    private Path folder;

    private final Map<String, Visit> visits = new HashMap<>();
    private final List<Skip> skips = new ArrayList<>();

    private boolean sketches = true;

    private final PageSink sink = new PageSink() {
        @Override
        public void accept(Visit visit) {
            visits.put(visit.url(), visit);
        }

        @Override
        public void skipped(Skip skip) {
            skips.add(skip);
        }

        @Override
        public boolean comparesPages() {
            return true;
        }

        @Override
        public boolean comparesSketches() {
            return sketches;
        }
    };

    private static CrawlOptions options() {
        return new CrawlOptions().delay(Duration.ZERO).concurrency(1);
    }

    private void crawl(CrawlOptions options, String... seeds) throws IOException {
        Sieve sieve = Sieve.builder().capacity(1000).seed(1).build();
        try (Crawler crawler = new Crawler(options, sieve, AllStages::of)) {
            run(crawler, seeds);
        }
    }

    private void run(Crawler crawler, String... seeds) throws IOException {
        for (String seed : seeds) {
            crawler.open(site.url(seed));
            crawler.seed(site.url(seed));
        }
        crawler.run(sink);
    }

    private Likeness likeness(String path) {
        return Objects.requireNonNull(
                Objects.requireNonNull(visits.get(site.url(path))).likeness());
    }

    @Test
    void pageWithTheTextOfAnEarlierOneNamesIt() throws IOException {
        site.html("/", "<a href=a>x</a><a href=b> y</a><a href=c> z</a><a href=empty></a><a href=gone></a>")
                .html("/a", "<title>1</title><p>The  text</p>")
                .html("/b", "<title>2</title>The <b>te</b>xt<br>")
                .html("/c", "The other text")
                .html("/empty", "<img src=x>");

        crawl(options(), "/");

        assertThat(likeness("/").duplicateOf()).isNull();
        assertThat(likeness("/a").duplicateOf()).isNull();
        assertThat(likeness("/b").duplicateOf()).isEqualTo(site.url("/a"));
        assertThat(likeness("/b").sketch()).isEqualTo(likeness("/a").sketch()).hasSize(171);
        assertThat(likeness("/c").duplicateOf()).isNull();
        assertThat(likeness("/empty").sketch()).isNull();
        assertThat(visits.get(site.url("/gone")).likeness()).isNull();
    }

    @Test
    void textIsSketchedOnlyForASinkThatUsesIt() throws IOException {
        sketches = false;
        site.html("/", "The text");

        crawl(options(), "/");

        assertThat(likeness("/").textDigest()).isNotZero();
        assertThat(likeness("/").sketch()).isNull();
    }

    @Test
    void pageNamesItsDescriptionAndCanonicalUrl() throws IOException {
        site.html(
                        "/",
                        "<base href=/d/><meta name=Description content=' What \n it is'><link rel='x canonical' href=b#f>"
                                + "<link rel=canonical href=no><a href=/own>x</a>")
                .html("/own", "<link rel=canonical href=./own#top>text");

        crawl(options(), "/");

        assertThat(likeness("/").description()).isEqualTo("What it is");
        assertThat(likeness("/").canonical()).isEqualTo(site.url("/d/b"));
        assertThat(likeness("/own").canonical()).isNull();
    }

    @Test
    void laterRunOfAJobNamesThePageOfAnEarlierOne() throws IOException {
        site.html("/a", "The text").html("/b", "The text").html("/c", "The text");
        for (String seed : List.of("/a", "/b", "/c")) {
            try (CrawlJob job = CrawlDirectory.open(folder.resolve("job"), builder -> builder.capacity(100));
                    Crawler crawler = new Crawler(options(), job, AllStages::of)) {
                run(crawler, seed);
            }
        }
        assertThat(likeness("/a").duplicateOf()).isNull();
        assertThat(likeness("/b").duplicateOf()).isEqualTo(site.url("/a"));
        assertThat(likeness("/c").duplicateOf()).isEqualTo(site.url("/a"));
    }

    @Test
    void linksOfADuplicateAreNotFollowedIfRequested() throws IOException {
        String menu = "<a href='?s=%d'>again</a>";
        for (int i = 0; i < 50; i++) {
            site.html(i == 0 ? "/" : "/?s=" + i, menu.formatted(i + 1));
        }

        crawl(options().with(Capability.SKIP_DUPLICATES, true).maxPages(40), "/");

        assertThat(visits).containsOnlyKeys(site.url("/"), site.url("/?s=1"));
        assertThat(skips).hasSize(1);
        assertThat(skips.get(0).url()).isEqualTo(site.url("/?s=2"));
        assertThat(skips.get(0).reason().rule()).isEqualTo("duplicate");
    }

    @Test
    void textOfAnotherHostDoesNotCountForSkippedLinks() throws IOException {
        try (JobFiles files = JobLines.temporary(folder)) {
            KnownTexts texts = new KnownTexts(files);
            assertThat(texts.add(7, "http://a/1")).isEqualTo(KnownTexts.Earlier.NONE);
            assertThat(texts.add(7, "http://a/1")).isEqualTo(KnownTexts.Earlier.NONE);
            assertThat(texts.add(7, "http://b/1")).isEqualTo(new KnownTexts.Earlier("http://a/1", false));
            assertThat(texts.add(7, "http://b/1")).isEqualTo(new KnownTexts.Earlier("http://a/1", false));
            assertThat(texts.add(7, "http://b/2")).isEqualTo(new KnownTexts.Earlier("http://a/1", true));
            assertThat(texts.add(7, "http://a/2")).isEqualTo(new KnownTexts.Earlier("http://a/1", true));
        }
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void textsBeyondTheMemoryAreCounted() throws IOException {
        Random random = new Random(3);
        long[] digests = random.longs(5000).toArray();
        try (JobFiles files = JobLines.temporary(folder)) {
            KnownTexts texts = new KnownTexts(files, 4096 * 16);
            for (int i = 0; i < digests.length; i++) {
                texts.add(digests[i], "http://h/" + i);
            }
            assertThat(texts.uncompared).isEqualTo(5000 - 3072);
            for (int i = 0; i < 3072; i++) {
                assertThat(texts.add(digests[i], "http://h/x").first()).isEqualTo("http://h/" + i);
            }
        }
    }
}
