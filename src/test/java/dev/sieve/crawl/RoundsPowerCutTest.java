package dev.sieve.crawl;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.CapturedLog;
import dev.sieve.Lease;
import dev.sieve.UrlBatch;
import dev.sieve.durable.Durability;
import dev.sieve.durable.DurableSieve;
import dev.sieve.durable.OnDisk;
import dev.sieve.fetch.FetchResult;
import dev.sieve.io.FakeDisk;
import dev.sieve.io.FakeDisk.Names;
import dev.sieve.io.FakeDisk.Unsynced;
import dev.sieve.output.Change;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * A power cut before every change of the disk of a job in rounds. After each, the job continues: every visit, before and
 * after, says what the script of the site says, and each page is visited in the round that was interrupted and in the next
 * one. With {@code sieve.proof}, at more moments.
 */
class RoundsPowerCutTest {
    private static final int STATES = Boolean.getBoolean("sieve.proof") ? 100_000 : 1_000;
    private static final int PAGES = 7;
    private static final int ROUNDS = 3;
    private static final long OWNER = 7;

    @Test
    void everyVisitSaysTheRightChange() throws IOException {
        int states = 0;
        long seed = 0;
        try (CapturedLog log = new CapturedLog()) {
            while (states < STATES) {
                states += new Run(seed++).run();
                log.clear();
            }
        }
        System.out.println("rounds: " + states + " power cuts of " + seed + " runs, violations 0");
    }

    /** What a page is in a round. */
    private static FetchResult answer(int page, int round, boolean isConditional) {
        String body = switch (page % 4) {
            case 0, 1 -> "same";
            default -> "in round " + round;
        };
        boolean isGone = page % 4 == 3 && round == 2;
        boolean isSame = page % 4 == 0 && isConditional;
        int status = isGone ? 404 : isSame ? 304 : 200;
        byte[] bytes = isSame ? new byte[0] : body.getBytes(UTF_8);
        Map<String, List<String>> fields = page % 4 == 0 ? Map.of("etag", List.of("\"tag\"")) : Map.of();
        return new FetchResult.Page(status, fields, "text/html", bytes, bytes.length, false);
    }

    private static Change change(int page, int round) {
        if (round == 1) {
            return Change.NEW;
        }
        return switch (page % 4) {
            case 0, 1 -> Change.UNCHANGED;
            case 2 -> Change.CHANGED;
            default -> round == 2 ? Change.GONE : round == 3 ? Change.BACK : Change.CHANGED;
        };
    }

    /** A job until its end, or to the power cut. */
    private static final class Job implements AutoCloseable {
        private final Random random;
        private final DurableSieve frontier;
        private final KnownPages pages;
        private final Rounds rounds;
        /** By round: the pages whose records are safe. */
        private final Map<Integer, Set<Integer>> recorded;

        Job(FakeDisk disk, Durability durability, Random random, Map<Integer, Set<Integer>> recorded)
                throws IOException {
            this.random = random;
            this.recorded = recorded;
            frontier = OnDisk.open(disk, durability);
            pages = new KnownPages(disk, OWNER);
            rounds = new Rounds(pages, frontier, RevisitRule.DEFAULT, false);
        }

        /** Completes the round that was interrupted, or the next one, and all up to a last one. */
        void run(int last) throws IOException {
            while (pages.round() < last || !pages.isEnded()) {
                if (pages.isEnded()) {
                    pages.begin();
                }
                int round = pages.round();
                rounds.queue(Instant.ofEpochSecond(1000L * round), page -> true);
                if (round == 1) {
                    UrlBatch seeds = new UrlBatch();
                    IntStream.range(0, PAGES).forEach(page -> seeds.add(url(page)));
                    frontier.pushAll(seeds);
                }
                visitAll(round);
                assertThat(recorded.get(round)).as("visited in round %d", round).hasSize(PAGES);
                pages.end(false, url -> true);
            }
        }

        private static String url(int page) {
            return "http://a.test/" + page;
        }

        private void visitAll(int round) {
            List<Lease> leases = new ArrayList<>();
            List<Revisit> visits = new ArrayList<>();
            Set<Integer> visited = new HashSet<>();
            for (Lease lease = frontier.take(0); lease != null || !leases.isEmpty(); lease = frontier.take(0)) {
                Target target = lease == null ? null : Target.of(lease);
                if (target != null && !rounds.isVisited(target)) {
                    int page = Integer.parseInt(target.url().replaceFirst(".*/", ""));
                    boolean isConditional = !rounds.conditions(target).isEmpty();
                    Revisit visit = rounds.revisit(
                            target,
                            answer(page, round, isConditional),
                            false,
                            LongStream.of(rounds.reference(url((page + 1) % PAGES))),
                            0,
                            Instant.ofEpochSecond(1000L * round + page),
                            null);
                    assertThat(visit.history().change())
                            .as("page %d in round %d", page, round)
                            .isEqualTo(change(page, round));
                    visits.add(visit);
                    visited.add(page);
                }
                if (lease != null) {
                    leases.add(lease);
                }
                if (lease == null || random.nextInt(3) == 0) {
                    // The records are on the disk before.
                    recorded.computeIfAbsent(round, each -> new HashSet<>()).addAll(visited);
                    rounds.store(visits, true);
                    leases.forEach(frontier::done);
                    visits.clear();
                    leases.clear();
                    visited.clear();
                }
            }
        }

        @Override
        public void close() throws IOException {
            pages.close();
            frontier.close();
        }
    }

    /** Rounds of a job, with a power cut before every change of its disk. */
    private static final class Run {
        private final long seed;
        private final Durability durability;
        private final FakeDisk disk = new FakeDisk();
        private final Map<Integer, Set<Integer>> recorded = new HashMap<>();
        private int states;

        Run(long seed) {
            this.seed = seed;
            durability = seed % 2 == 0 ? Durability.INTERVAL : Durability.ALWAYS;
        }

        int run() throws IOException {
            // The folder of a job is made before anything is accepted.
            OnDisk.open(disk, durability).close();
            new KnownPages(disk, OWNER).close();
            disk.forceNames();
            try (Job job = new Job(disk, durability, new Random(seed), recorded)) {
                disk.onChange(call -> trySomeState());
                job.run(ROUNDS);
                disk.onChange(call -> {});
            }
            return states;
        }

        private void trySomeState() {
            states++;
            Random random = new Random(31 * seed + states);
            FakeDisk left = disk.afterPowerCut(
                    random.nextBoolean() ? Unsynced.ANY : Unsynced.GROWN,
                    List.of(Names.values()).get(random.nextInt(Names.values().length)),
                    random);
            Map<Integer, Set<Integer>> safe = new HashMap<>();
            recorded.forEach((round, pages) -> safe.put(round, new HashSet<>(pages)));
            try (Job job = new Job(left, durability, random, safe)) {
                job.run(job.pages.round() + 1);
            } catch (IOException e) {
                throw new UncheckedIOException("state " + states + " of seed " + seed, e);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("state " + states + " of seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }
}
