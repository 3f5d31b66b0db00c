package dev.sieve.stage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.FrontierSettings;
import dev.sieve.crawl.CrawlJob;
import dev.sieve.crawl.Ending;
import dev.sieve.crawl.Loss;
import dev.sieve.durable.Durability;
import dev.sieve.fetch.FetchResult;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Redirect;
import dev.sieve.fetch.Response;
import dev.sieve.job.CrawlDirectory;
import dev.sieve.output.Visit;
import dev.sieve.output.VisitField;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckedLinksTest {
    private static final String URL = "http://other.test/a";
    private static final Instant START = Instant.parse("2026-11-01T00:00:00Z");

    @TempDir
    private Path folder;

    private final List<Loss> losses = new ArrayList<>();

    private interface Use {
        void with(CheckedLinks links) throws IOException;
    }

    /** A run at a time; a round above 0 has no memory of what works. */
    private void run(int round, int second, boolean ends, Use use) throws IOException {
        try (CrawlJob job =
                CrawlDirectory.openAnew(folder, FrontierSettings.DEFAULTS.withCapacity(10), Durability.PROCESS)) {
            CheckedLinks links = new CheckedLinks(
                    job.files(),
                    url -> url.contains("other"),
                    (loss, sentence) -> losses.add(loss),
                    round,
                    100,
                    START.plusSeconds(second));
            use.with(links);
            links.end(ends ? Ending.DRAINED : Ending.STOPPED, () -> false);
            links.flush(false);
            links.close();
        }
    }

    private static Visit visit(String url, int second, FetchResult result) {
        Visit.Timing timing = new Visit.Timing(START.plusSeconds(second), Duration.ZERO, Duration.ZERO);
        Visit.Marks marks = new Visit.Marks(true, false);
        return new Visit(url, url, 1, null, result, timing, Visit.Content.NONE, marks, null, null, -1);
    }

    private static Page page(int status, String type) {
        return new Page(status, Map.of(), type, new byte[0], 0, false);
    }

    private static boolean isNew(CheckedLinks links, String url) {
        Visit broken = links.recorded(visit(url, 0, page(404, "text/html")));
        return VisitField.NEWLY_BROKEN.of(broken) != null;
    }

    @Test
    void whatWorkedIsRememberedForSomeTime() throws IOException {
        run(0, 7, true, links -> {
            assertThat(links.has(URL)).isFalse();
            links.recorded(visit(URL, 7, page(200, "text/html")));
            assertThat(links.has(URL)).isFalse();
        });
        run(0, 106, true, links -> {
            assertThat(links.has(URL)).isTrue();
            try (Response response = Objects.requireNonNull(links.respond(URL))) {
                assertThat(response.status()).isEqualTo(200);
                assertThat(response.headers()).isEqualTo(Map.of("content-type", List.of("text/html")));
            }
            Visit again = links.recorded(visit(URL, 106, page(200, "text/html")));
            assertThat(VisitField.EARLIER.of(again)).isEqualTo("2026-11-01T00:00:07Z");
        });
        // Its age is that of the request.
        run(0, 107, true, links -> assertThat(links.has(URL)).isFalse());
        run(0, 6, true, links -> assertThat(links.has(URL)).isFalse());
    }

    @Test
    void linksForWhichThereIsNoMemoryAreCounted() throws IOException {
        Page missing = page(404, "text/html");
        run(0, 0, true, links -> IntStream.range(0, 90_000).forEach(i -> links.recorded(visit(URL + i, 0, missing))));
        assertThat(losses).isEmpty();

        run(0, 1, true, links -> assertThat(isNew(links, URL + 89_999)).isFalse());

        assertThat(losses).hasSizeGreaterThan(10_000).containsOnly(Loss.LINKS_FORGOTTEN);
    }

    @Test
    void redirectLeadsToTheSamePlace() throws IOException {
        Redirect redirect = new Redirect(301, "http://other.test/b", "part", FetchResult.SetCookie.NONE, null);
        run(0, 0, true, links -> {
            links.recorded(visit(URL, 0, redirect));
            links.recorded(visit("http://other.test/b", 0, page(200, "text/html")));
        });
        run(0, 1, true, links -> {
            try (Response response = Objects.requireNonNull(links.respond(URL))) {
                assertThat(response.status()).isEqualTo(301);
                assertThat(response.headers()).isEqualTo(Map.of("location", List.of("http://other.test/b#part")));
            }
        });
    }

    /** Its target may be one that is valid for minutes, and another one next time. */
    @Test
    void redirectToWhatIsNotRememberedIsRequestedAgain() throws IOException {
        run(0, 0, true, links -> {
            links.recorded(visit(URL, 0, new Redirect(302, "http://other.test/signed")));
            links.recorded(visit("http://other.test/signed", 0, page(503, "text/html")));
            links.recorded(visit("http://other.test/ring", 0, new Redirect(302, "http://other.test/ring")));
            links.recorded(visit("http://other.test/home", 0, new Redirect(302, "http://own.test/")));
        });
        run(0, 1, true, links -> {
            assertThat(links.has(URL)).isFalse();
            assertThat(links.has("http://other.test/ring")).isFalse();
            assertThat(links.has("http://other.test/home")).isTrue();
        });
    }

    @Test
    void nothingElseIsRemembered() throws IOException {
        run(0, 0, true, links -> {
            links.recorded(visit("http://own.test/", 0, page(200, "text/html")));
            links.recorded(visit("http://other.test/404", 0, page(404, "text/html")));
            links.recorded(visit("http://other.test/css", 0, page(200, "text/css")));
            links.recorded(visit("http://other.test/no-type", 0, page(200, "")));
            links.recorded(visit("http://other.test/odd", 0, page(200, "a b")));
            links.recorded(visit(URL, 0, page(200, "text/html")));
        });
        run(0, 1, true, links -> {
            assertThat(links.has("http://own.test/")).isFalse();
            for (String path : List.of("404", "css", "no-type", "odd")) {
                assertThat(links.has("http://other.test/" + path)).as(path).isFalse();
            }
            assertThat(links.has(URL)).isTrue();
            links.recorded(visit(URL, 1, page(500, "text/html")));
        });
        run(0, 2, true, links -> assertThat(links.has(URL)).isFalse());
    }

    @Test
    void newlyBrokenIsWhatWasNotInTheRunBefore() throws IOException {
        run(0, 0, true, links -> {
            assertThat(isNew(links, "http://own.test/#part")).isTrue();
            assertThat(isNew(links, "http://own.test/#part")).isTrue();
        });
        run(0, 1, true, links -> {
            assertThat(isNew(links, "http://own.test/#part")).isFalse();
            assertThat(isNew(links, URL)).isTrue();
        });
        run(0, 2, true, links -> assertThat(isNew(links, URL)).isFalse());
        run(
                0,
                3,
                true,
                links -> assertThat(isNew(links, "http://own.test/#part")).isTrue());
    }

    @Test
    void aRunThatWasInterruptedIsNotCompared() throws IOException {
        run(0, 0, true, links -> isNew(links, URL));
        run(0, 1, false, links -> {
            assertThat(isNew(links, "http://own.test/")).isTrue();
            assertThat(isNew(links, URL)).isFalse();
        });
        run(0, 2, true, links -> {
            assertThat(isNew(links, "http://own.test/")).isTrue();
            assertThat(isNew(links, URL)).isFalse();
        });
        run(0, 3, true, links -> assertThat(isNew(links, "http://own.test/")).isFalse());
    }

    @Test
    void roundsAreComparedWhateverTheirRuns() throws IOException {
        run(1, 0, true, links -> isNew(links, URL));
        for (int second = 1; second < 4; second++) {
            run(2, second, true, links -> {
                assertThat(isNew(links, URL)).isFalse();
                assertThat(isNew(links, "http://own.test/")).isTrue();
                links.recorded(visit("http://other.test/good", 1, page(200, "text/html")));
                assertThat(links.source()).isNull();
            });
        }
        run(3, 4, true, links -> assertThat(isNew(links, "http://own.test/")).isFalse());
    }

    @Test
    void linesThatDoNotCountAnyMoreAreRemoved() throws IOException {
        for (int run = 0; run < 8; run++) {
            int second = 200 * run;
            run(0, second, true, links -> {
                for (int i = 0; i < 800; i++) {
                    links.recorded(visit("http://other.test/" + i, second, page(200, "text/html")));
                    isNew(links, "http://own.test/" + i);
                }
            });
        }
        run(0, 1401, true, links -> {
            assertThat(links.has("http://other.test/799")).isTrue();
            assertThat(isNew(links, "http://own.test/799")).isFalse();
        });

        assertThat(Files.readAllLines(folder.resolve("crawl-links"))).hasSizeLessThan(3 * 1600 + 1000);
    }
}
