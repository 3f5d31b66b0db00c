package dev.sieve.stage;

import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.crawl.CrawlOptions;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * The rule by which pages are visited again, alone and in a simulation.
 *
 * <p>The simulated pages change like those of a real web: D. Fetterly, M. Manasse, M. Najork, J. Wiener, "A large-scale study
 * of the evolution of web pages" (WWW 2003), found that about two thirds of the pages did not change in eleven weeks. Here 30 %
 * never change, and the rates of the others are spread evenly over the logarithm, from twice per day to once in ten years.
 */
class RevisitRuleTest {
    private static final long DAY = DAYS.toSeconds(1);
    static final RevisitRule RULE = new RevisitRule(DAY, 60 * DAY);

    @Test
    void intervalGrowsByHalfAndIsHalvedBetweenItsBounds() {
        assertThat(RULE.next(0, false, 0)).isEqualTo(DAY);
        assertThat(RULE.next(2 * DAY, false, 0)).isEqualTo(3 * DAY);
        assertThat(RULE.next(8 * DAY, true, 0)).isEqualTo(4 * DAY);
        assertThat(RULE.next(50 * DAY, false, 0)).isEqualTo(60 * DAY);
        assertThat(RULE.next(DAY, true, 0)).isEqualTo(DAY);
    }

    @Test
    void pageIsDueInTheRoundNearestToItsDate() {
        assertThat(RULE.isDue(DAY, 3 * DAY, 3 * DAY)).isFalse();
        assertThat(RULE.isDue(DAY, 3 * DAY, 4 * DAY)).isTrue();
        assertThat(RULE.isDue(DAY, DAY, 2 * DAY - DAY / 3)).isTrue();
    }

    @Test
    void freshResponseDelaysTheVisitUpToTheLongestInterval() {
        assertThat(RULE.next(2 * DAY, false, 5 * DAY)).isEqualTo(5 * DAY);
        assertThat(RULE.next(2 * DAY, true, 5 * DAY)).isEqualTo(5 * DAY);
        assertThat(RULE.next(0, false, 5 * DAY)).isEqualTo(5 * DAY);
        assertThat(RULE.next(2 * DAY, false, Long.MAX_VALUE)).isEqualTo(60 * DAY);
    }

    @Test
    void visitInTheFutureIsNotBelieved() {
        assertThat(RULE.isDue(9 * DAY, 3 * DAY, DAY)).isTrue();
    }

    @Test
    void boundsAreChecked() {
        CrawlOptions options = new CrawlOptions();
        Duration day = Duration.ofDays(1);
        assertThatThrownBy(() -> options.ages(Duration.ZERO, day)).hasMessageContaining("0 s and");
        assertThatThrownBy(() -> options.ages(day, Duration.ofSeconds(1))).hasMessageContaining("and 1 s");
    }

    /**
     * 100,000 pages over 180 days: at most a quarter of the requests of a daily visit see four of five changes within two
     * days, and neither rule of a neighbour, with its defaults, is as fresh with as few requests.
     */
    @Test
    void quarterOfTheRequestsSeesMostChangesSoon() {
        Result ours = simulate(new Ours());
        Result nutch = simulate(new Nutch());
        Result storm = simulate(new StormCrawler());
        System.out.printf("daily visits 1.000; Sieve %s; Nutch %s; StormCrawler %s%n", ours, nutch, storm);
        assertThat(ours.requests).isLessThanOrEqualTo(0.25);
        assertThat(ours.fresh).isGreaterThanOrEqualTo(0.8);
        assertThat(nutch.requests < ours.requests && nutch.fresh > ours.fresh).isFalse();
        assertThat(storm.requests < ours.requests && storm.fresh > ours.fresh).isFalse();
        // What a request brings: changes that are seen soon.
        assertThat(ours.fresh / ours.requests)
                .isGreaterThan(nutch.fresh / nutch.requests)
                .isGreaterThan(storm.fresh / storm.requests);
    }

    /** The schedule of one page, in days. */
    private interface Schedule {
        void begin();

        /** Returns when the page is visited next after a visit at this time. */
        double next(double now, boolean changed);
    }

    /** Rounds once per day, each with {@code --again=due}. */
    private static final class Ours implements Schedule {
        private long interval;

        @Override
        public void begin() {
            interval = 0;
        }

        @Override
        public double next(double now, boolean changed) {
            long visit = (long) (now * DAY);
            interval = RULE.next(interval, changed, 0);
            long round = visit + DAY;
            while (!RULE.isDue(visit, interval, round)) {
                round += DAY;
            }
            return (double) round / DAY;
        }
    }

    /** AdaptiveFetchSchedule of Nutch 1.20, with the values of its nutch-default.xml. */
    private static final class Nutch implements Schedule {
        private double interval;
        private double modified;

        @Override
        public void begin() {
            interval = 30;
            modified = 0;
        }

        @Override
        public double next(double now, boolean changed) {
            if (changed) {
                interval *= 1 - 0.2;
                modified = now;
            } else {
                interval *= 1 + 0.4;
            }
            double since = now - modified;
            interval = Math.min(365, Math.max(MINUTES.toSeconds(1) / (double) DAY, Math.max(interval, since)));
            return Math.max(now + MINUTES.toSeconds(1) / (double) DAY, now - 0.3 * since + interval);
        }
    }

    /** AdaptiveScheduler of StormCrawler 3, with its defaults: from a day, an hour to two weeks. */
    private static final class StormCrawler implements Schedule {
        private static final double SHORTEST = 1 / 24.0;
        private double interval;

        @Override
        public void begin() {
            interval = 1;
        }

        @Override
        public double next(double now, boolean changed) {
            interval = changed ? 0.5 * interval + 0.5 * SHORTEST : Math.min(14, interval * 1.5);
            return now + interval;
        }
    }

    /**
     * @param requests per page and day
     * @param fresh the share of all changes that were seen within two days
     */
    private record Result(double requests, double fresh) {
        @Override
        public String toString() {
            return "%.3f requests per page and day, %.3f of the changes within two days".formatted(requests, fresh);
        }
    }

    private static Result simulate(Schedule schedule) {
        int pages = 100_000;
        double end = 180;
        Random random = new Random(1);
        long visits = 0;
        long changes = 0;
        long seenSoon = 0;
        for (int page = 0; page < pages; page++) {
            double rate = random.nextDouble() < 0.3 ? 0 : 2 * Math.pow(7300, -random.nextDouble());
            Random times = new Random(page);
            double change = next(times, 0, rate);
            schedule.begin();
            double visit = 0;
            while (visit < end) {
                visits++;
                boolean changed = change <= visit;
                for (; change <= visit; change = next(times, change, rate)) {
                    if (change < end - 2) {
                        changes++;
                        seenSoon += visit - change <= 2 ? 1 : 0;
                    }
                }
                visit = schedule.next(visit, changed);
            }
            for (; change < end - 2; change = next(times, change, rate)) {
                changes++;
            }
        }
        return new Result(visits / (pages * end), (double) seenSoon / changes);
    }

    /** Returns the time of the next change of a Poisson process. */
    private static double next(Random times, double after, double rate) {
        return rate == 0 ? Double.POSITIVE_INFINITY : after - Math.log(1 - times.nextDouble()) / rate;
    }
}
