package dev.sieve.stage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Frontier;
import dev.sieve.Lease;
import dev.sieve.Tier;
import dev.sieve.crawl.CrawlJob;
import dev.sieve.crawl.Target;
import dev.sieve.durable.ChildJvm;
import dev.sieve.fetch.FetchResult;
import dev.sieve.job.CrawlDirectory;
import dev.sieve.output.Change;
import dev.sieve.url.PageKeys;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A round over many known pages passes through a process with a small heap; its requests are simulated. With {@code
 * sieve.proof}, 5,000,000 pages and 300 MiB.
 */
@Tag("process")
@Tag("slow")
class LongRoundIT {
    private static final int PAGES = Tier.of(200_000, 5_000_000);
    private static final int HEAP_MEGABYTES = Tier.of(48, 300);

    @TempDir
    private Path folder;

    @Test
    void aRoundOverManyPagesTakesLittleMemory() throws Exception {
        Process child = ChildJvm.start(
                List.of("-Xmx" + HEAP_MEGABYTES + "m", "-XX:+UseSerialGC"),
                Child.class,
                folder.resolve("job").toString(),
                Integer.toString(PAGES));
        String out = new String(child.getInputStream().readAllBytes(), UTF_8);

        assertThat(child.waitFor()).as(out).isZero();
        assertThat(out).isEqualTo(PAGES + " unchanged, 1 orphans\n");
        System.out.println("a round over " + PAGES + " pages with -Xmx" + HEAP_MEGABYTES + "m");
    }

    /** Arguments: folder, how many pages. */
    static final class Child {
        private static final int LINKS = 10;
        private static final int BATCH = 64;
        private static final Instant START = Instant.ofEpochSecond(1_700_000_000);

        private Child() {}

        public static void main(String[] args) throws IOException {
            int pages = Integer.parseInt(args[1]);
            try (CrawlJob job = CrawlDirectory.open(Path.of(args[0]), builder -> builder.capacity(pages))) {
                Rounds first = Rounds.again(job, false, RevisitRuleTest.RULE, PageKeys.ALL);
                KnownPages known = first.pages;
                for (int page = 0; page < pages; page++) {
                    known.add(page(known, page, pages), false);
                }
                first.complete(() -> false);
                first.end();
                Rounds rounds = Rounds.again(job, false, RevisitRuleTest.RULE, PageKeys.ALL);
                rounds.queue(START.plusSeconds(1), page -> true, () -> false);
                long unchanged = visitAll(job.frontier(), rounds);
                System.out.printf(
                        "%d unchanged, %d orphans%n",
                        unchanged, rounds.complete(() -> false).orphanCount());
            }
        }

        private static String url(int page) {
            return "https://www.example.org/a-section-of-the-site/page-" + page + ".html";
        }

        private static KnownPage page(KnownPages known, int number, int pages) {
            // All but the first page are linked to.
            long[] links = IntStream.rangeClosed(1, LINKS)
                    .map(i -> number + i * i)
                    .filter(page -> page < pages)
                    .mapToLong(page -> ~known.fingerprint(known.key(0, url(page))))
                    .sorted()
                    .toArray();
            long time = START.getEpochSecond();
            return new KnownPage(
                    -1,
                    Target.Kind.PAGE.label(),
                    url(number),
                    new KnownPage.Discovery(1, KnownPage.NO_REFERRER),
                    new KnownPage.Content(
                            KnownPage.State.PAGE, number + 1, number + 1, "\"tag-" + number + "\"", time, null),
                    new KnownPage.Visits(1, 200, time, time, 86_400),
                    links);
        }

        private static long visitAll(Frontier frontier, Rounds rounds) {
            FetchResult notModified = new FetchResult.Page(304, Map.of(), "", new byte[0], 0, false);
            List<Lease> leases = new ArrayList<>();
            List<Revisit> visits = new ArrayList<>();
            long unchanged = 0;
            for (Lease lease = frontier.take(0); lease != null || !leases.isEmpty(); lease = frontier.take(0)) {
                if (lease != null) {
                    Target target = Target.of(lease);
                    if (!Revisit.conditions(rounds.base(target)).containsKey("If-None-Match")) {
                        throw new IllegalStateException("not conditional: " + lease.url());
                    }
                    Revisit visit = rounds.revisit(
                            rounds.base(target),
                            target,
                            notModified,
                            false,
                            LongStream.empty(),
                            0,
                            START.plusSeconds(2),
                            null);
                    unchanged += visit.history().change() == Change.UNCHANGED ? 1 : 0;
                    leases.add(lease);
                    visits.add(visit);
                }
                if (leases.size() == BATCH || lease == null) {
                    rounds.store(visits, false);
                    leases.forEach(frontier::done);
                    leases.clear();
                    visits.clear();
                }
            }
            return unchanged;
        }
    }
}
