package dev.sieve.stage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.CapturedLog;
import dev.sieve.Lease;
import dev.sieve.Tier;
import dev.sieve.UrlBatch;
import dev.sieve.crawl.CrawlJob;
import dev.sieve.crawl.JobLines;
import dev.sieve.crawl.Journal;
import dev.sieve.crawl.Target;
import dev.sieve.durable.Durability;
import dev.sieve.durable.DurableSieve;
import dev.sieve.durable.OnDisk;
import dev.sieve.fetch.FetchResult;
import dev.sieve.io.Disk;
import dev.sieve.io.ErrorDisk;
import dev.sieve.io.ErrorDisk.Failure;
import dev.sieve.io.FakeDisk;
import dev.sieve.io.FakeDisk.Names;
import dev.sieve.io.FakeDisk.Unsynced;
import dev.sieve.io.JobFiles;
import dev.sieve.job.CrawlDirectory;
import dev.sieve.output.Change;
import dev.sieve.url.PageKeys;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * A kill, a power cut or a failure of the disk at every call of a job in rounds, the switch from round to round included. After
 * each, nothing is called damaged and the job continues: every visit, before and after, says what the script of the site
 * says, each page is visited in the round that was interrupted and in the next one, the report has the visits of one round,
 * and a round that has ended leaves nothing to visit. With {@code sieve.proof}, at more moments.
 */
class RoundsPowerCutTest {
    private static final int STATES = Tier.of(200, 400, 100_000);
    private static final int FAILURES = Tier.of(100, 150, 20_000);
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
        System.out.println("rounds: " + states + " kills and power cuts of " + seed + " runs, violations 0");
    }

    @Test
    void anErrorOfTheMachineIsNotTakenForDamage() throws IOException {
        int failures = 0;
        try (CapturedLog log = new CapturedLog()) {
            for (long seed = 0; failures < FAILURES; seed++) {
                ErrorDisk whole = new ErrorDisk(made(durability(seed)));
                new Job(whole, seed).finish(ROUNDS);
                for (int call = (int) (seed % 7); call < whole.calls() && failures < FAILURES; call += 7) {
                    fail(seed, call);
                    failures++;
                    log.clear();
                }
            }
        }
        System.out.println("rounds: " + failures + " failures of the disk, violations 0");
    }

    private static void fail(long seed, int call) throws IOException {
        FakeDisk disk = made(durability(seed));
        ErrorDisk failing = new ErrorDisk(disk);
        Failure kind = List.of(Failure.values()).get((int) ((seed + call) % Failure.values().length));
        failing.failAt(call, kind, true);
        Job job = new Job(failing, seed);
        try {
            job.finish(ROUNDS);
        } catch (IOException | UncheckedIOException e) {
            assertThat(e.toString()).doesNotContain("repair");
        }
        assertThat(failing.thrown()).isNotNull();
        try {
            assertThat(disk.handles()).as("open files").isZero();
            new Job(disk, job).finish(ROUNDS);
        } catch (IOException | RuntimeException | AssertionError e) {
            throw new AssertionError("call " + call + " of seed " + seed + ": " + e.getMessage(), e);
        }
    }

    private static Durability durability(long seed) {
        return List.of(Durability.values()).get((int) (seed % 3));
    }

    /** The folder of a job is made before anything is accepted. */
    private static FakeDisk made(Durability durability) throws IOException {
        FakeDisk disk = new FakeDisk();
        OnDisk.open(disk, durability).close();
        disk.forceNames();
        return disk;
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

    /** A job, each run of which is a process of its own. */
    private static final class Job {
        private final Disk disk;
        private final long seed;
        private final Durability durability;
        private final Random random;
        /** By round: the pages whose records are safe. */
        private final Map<Integer, Set<Integer>> recorded = new HashMap<>();

        Job(Disk disk, long seed) {
            this.disk = disk;
            this.seed = seed;
            durability = durability(seed);
            random = new Random(seed);
        }

        /** The same job on what is left of its disk. */
        Job(Disk disk, Job before) {
            this(disk, before.seed);
            before.recorded.forEach((round, pages) -> recorded.put(round, new HashSet<>(pages)));
        }

        /** Completes rounds up to a last one; returns the first of them. */
        int finish(int last) throws IOException {
            List<String> problems = new ArrayList<>();
            problems.addAll(new JobFiles(disk, OWNER, CrawlDirectory.FILES, problems::add).problems());
            assertThat(problems).isEmpty();
            int first = 0;
            for (int round = 0; round < last; first = first == 0 ? round : first) {
                try (DurableSieve frontier = OnDisk.open(disk, durability);
                        CrawlJob job = CrawlDirectory.open(frontier, Path.of("fake"), disk, OWNER, Instant.EPOCH)) {
                    Rounds before = Rounds.of(job, RevisitRuleTest.RULE, PageKeys.ALL);
                    if (before != null && before.pages.isEnded()) {
                        assertThat(frontier.pending() + frontier.inFlight()).isZero();
                    }
                    if (before == null || random.nextBoolean()) {
                        Rounds.again(job, random.nextBoolean(), RevisitRuleTest.RULE, PageKeys.ALL);
                    }
                    round = run(job, frontier);
                }
            }
            return first;
        }

        /** Continues a round; returns its number if it has ended. */
        private int run(CrawlJob job, DurableSieve frontier) throws IOException {
            Rounds rounds = Rounds.of(job, RevisitRuleTest.RULE, PageKeys.ALL);
            int round = rounds.round();
            if (rounds.pages.isEnded()) {
                return round;
            }
            Journal journal = Journal.of(job);
            job.part(Fragments.class, files -> new Fragments(files, PageKeys.ALL));
            rounds.queue(Instant.ofEpochSecond(1_000_000L * round), page -> true, () -> false);
            if (round == 1) {
                UrlBatch seeds = new UrlBatch();
                IntStream.range(0, PAGES).forEach(page -> seeds.add(url(page)));
                frontier.pushAll(seeds);
            }
            visitAll(job, frontier, rounds, journal);
            assertThat(recorded.get(round)).as("visited in round %d", round).hasSize(PAGES);
            rounds.complete(() -> false);
            Set<String> report = new HashSet<>();
            journal.read(report::add);
            assertThat(report)
                    .isEqualTo(IntStream.range(0, PAGES)
                            .mapToObj(page -> record(round, page))
                            .collect(Collectors.toSet()));
            rounds.end();
            return round;
        }

        private static String url(int page) {
            return "http://a.test/" + page;
        }

        private static String record(int round, int page) {
            return "{" + page + " in " + round + "}";
        }

        private void visitAll(CrawlJob job, DurableSieve frontier, Rounds rounds, Journal journal) {
            int round = rounds.round();
            List<Lease> leases = new ArrayList<>();
            List<Revisit> visits = new ArrayList<>();
            Set<Integer> visited = new HashSet<>();
            for (Lease lease = frontier.take(0); lease != null || !leases.isEmpty(); lease = frontier.take(0)) {
                Target target = lease == null ? null : Target.of(lease);
                if (target != null && !rounds.isVisited(target)) {
                    int page = Integer.parseInt(target.url().replaceFirst(".*/", ""));
                    boolean isConditional =
                            !Revisit.conditions(rounds.base(target)).isEmpty();
                    Revisit visit = rounds.revisit(
                            rounds.base(target),
                            target,
                            answer(page, round, isConditional),
                            false,
                            LongStream.of(rounds.reference(url((page + 1) % PAGES))),
                            0,
                            Instant.ofEpochSecond(1_000_000L * round + page),
                            null);
                    assertThat(visit.history().change())
                            .as("page %d in round %d", page, round)
                            .isEqualTo(change(page, round));
                    journal.add(record(round, page).getBytes(UTF_8));
                    visits.add(visit);
                    visited.add(page);
                }
                if (lease != null) {
                    leases.add(lease);
                }
                if (lease == null || random.nextInt(3) == 0) {
                    journal.flush(durability.forces());
                    recorded.computeIfAbsent(round, each -> new HashSet<>()).addAll(visited);
                    rounds.store(visits, durability.forces());
                    leases.forEach(frontier::done);
                    visits.clear();
                    leases.clear();
                    visited.clear();
                    if (random.nextBoolean()) {
                        JobLines.count(job);
                    }
                }
            }
        }
    }

    /** Rounds of a job, with a kill or a power cut before every change of its disk. */
    private static final class Run {
        private final long seed;
        private final FakeDisk disk;
        private final Job job;
        private int states;

        Run(long seed) throws IOException {
            this.seed = seed;
            disk = made(durability(seed));
            job = new Job(disk, seed);
        }

        int run() throws IOException {
            disk.onChange(call -> trySomeState());
            job.finish(ROUNDS);
            return states;
        }

        private void trySomeState() {
            states++;
            Random random = new Random(31 * seed + states);
            boolean isKilled = !durability(seed).forces() || random.nextInt(3) == 0;
            FakeDisk left = isKilled
                    ? disk.afterKill()
                    : disk.afterPowerCut(
                            random.nextBoolean() ? Unsynced.ANY : Unsynced.GROWN,
                            List.of(Names.values()).get(random.nextInt(Names.values().length)),
                            random);
            try {
                Job rest = new Job(left, job);
                rest.finish(rest.finish(1) + 1);
            } catch (IOException e) {
                throw new UncheckedIOException("state " + states + " of seed " + seed, e);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("state " + states + " of seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }
}
