package dev.sieve.polite;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostScheduleTest {
    private static final long SECOND = 1_000_000_000L;

    private static ScheduleOptions<String> options() {
        return new ScheduleOptions<String>();
    }

    /** Polls and ends every request at once, until no host may be requested at this moment. */
    private static List<String> drain(HostSchedule<String> schedule, long now) {
        List<String> items = new ArrayList<>();
        for (String item = schedule.poll(now); item != null; item = schedule.poll(now)) {
            items.add(item);
            schedule.finished(host(item), now);
        }
        return items;
    }

    private static String host(String item) {
        return item.substring(0, 1);
    }

    @Test
    void itemsOfAHostComeOutInOrderOneEachDelay() {
        HostSchedule<String> schedule = options().build(0);
        schedule.add("a", "a1");
        schedule.add("a", "a2");
        schedule.add("a", "a3");

        assertThat(drain(schedule, 0)).containsExactly("a1");
        assertThat(schedule.waitNanos(0)).isEqualTo(SECOND);
        assertThat(drain(schedule, SECOND - 1)).isEmpty();
        assertThat(schedule.waitNanos(SECOND - 1)).isEqualTo(1);
        assertThat(drain(schedule, SECOND)).containsExactly("a2");
        assertThat(drain(schedule, 5 * SECOND)).containsExactly("a3");
        assertThat(schedule.waitNanos(5 * SECOND)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void itemsOfAnEarlierLaneComeFirstInTheirOrder(@TempDir Path directory) throws IOException {
        ScheduleOptions<String> options = options()
                .delay(Duration.ZERO)
                .lanes(2, item -> "xy.".indexOf(item.charAt(1)))
                .spill(directory, HostScheduleModelTest.TEXT, 2);
        try (HostSchedule<String> schedule = options.build(0)) {
            for (String item : List.of("a.1", "a.2", "ay1", "a.3", "ax1", "ay2", "ax2", "ax3")) {
                schedule.add(host(item), item);
            }
            assertThat(schedule.size("a")).isEqualTo(8);
            schedule.putBack("a", "ay0");
            assertThat(drain(schedule, 0))
                    .containsExactly("ax1", "ax2", "ax3", "ay0", "ay1", "ay2", "a.1", "a.2", "a.3");
        }
    }

    @Test
    void delayCountsFromStartToStart() {
        HostSchedule<String> schedule = options().build(0);
        schedule.add("a", "a1");
        schedule.add("a", "a2");
        assertThat(schedule.poll(0)).isEqualTo("a1");
        assertThat(schedule.waitNanos(0)).isEqualTo(Long.MAX_VALUE);
        assertThat(schedule.poll(3 * SECOND)).isNull();
        schedule.finished("a", 3 * SECOND);
        assertThat(schedule.waitNanos(3 * SECOND)).isZero();
        assertThat(schedule.poll(3 * SECOND)).isEqualTo("a2");
    }

    @Test
    void waitsCountWhileAHostHasItemsAndNoRequest() {
        HostSchedule<String> schedule = options().build(0);
        schedule.add("a", "a1");
        schedule.add("a", "a2");
        schedule.poll(0);
        assertThat(schedule.waited("a")).isZero();
        schedule.finished("a", SECOND / 4);

        // Ready at 1 s; that it is polled later is not a wait for the delay.
        assertThat(schedule.poll(3 * SECOND)).isEqualTo("a2");
        assertThat(schedule.waited("a")).isEqualTo(Duration.ofMillis(750));
        schedule.finished("a", 3 * SECOND);
        schedule.poll(3 * SECOND + SECOND / 2);
        schedule.add("a", "a3");
        schedule.poll(4 * SECOND);
        assertThat(schedule.waited("a")).as("queued at 3.5 s").isEqualTo(Duration.ofMillis(500));
    }

    @Test
    void aBackOffIsAWaitAlsoAfterASkip() {
        HostSchedule<String> schedule = options().build(0);
        schedule.add("a", "a1");
        schedule.add("a", "a2");
        schedule.add("a", "a3");
        schedule.poll(0);
        schedule.failed("a", Duration.ofSeconds(20), SECOND / 2);
        schedule.poll(SECOND);
        schedule.backOff("a", 30 * SECOND);

        schedule.poll(30 * SECOND);
        assertThat(schedule.waited("a")).isEqualTo(Duration.ofMillis(29_500));
        schedule.skipped("a", 30 * SECOND, 30 * SECOND + 1);
        assertThat(schedule.poll(30 * SECOND + 1)).isEqualTo("a3");
        assertThat(schedule.waited("a")).isEqualTo(Duration.ofMillis(29_500));
    }

    @Test
    void delayCountsFromTheMomentOfSending() {
        HostSchedule<String> schedule = options().build(0);
        schedule.add("a", "a1");
        schedule.add("a", "a2");
        assertThat(schedule.poll(0)).isEqualTo("a1");
        schedule.sent("a", 3 * SECOND);
        schedule.finished("a", 3 * SECOND + 1);
        assertThat(schedule.waitNanos(3 * SECOND + 1)).isEqualTo(SECOND - 1);
        assertThat(schedule.poll(4 * SECOND - 1)).isNull();
        assertThat(schedule.poll(4 * SECOND)).isEqualTo("a2");
    }

    @Test
    void eachFurtherRequestOfAPageAddsADelay() {
        HostSchedule<String> schedule = options().build(0);
        schedule.add("a", "a1");
        schedule.add("a", "a2");
        schedule.add("b", "b1");
        schedule.poll(0);
        schedule.poll(0);
        schedule.sent("a", SECOND / 2);
        schedule.sent("a", true, SECOND);
        schedule.sent("a", true, SECOND);
        schedule.sent("c", true, SECOND);
        schedule.finished("a", SECOND);

        assertThat(schedule.waitNanos(SECOND)).isEqualTo(5 * SECOND / 2);
        assertThat(schedule.poll(7 * SECOND / 2)).isEqualTo("a2");
        schedule.add("c", "c1");
        schedule.sent("c", true, 4 * SECOND);
        schedule.sent("c", true, 4 * SECOND);
        assertThat(schedule.waitNanos(4 * SECOND)).isEqualTo(2 * SECOND);
    }

    /** Requests of pages of other sites, however many these are. */
    @Test
    void strangersDelayAHostOncePerRequestOfItsOwn() {
        HostSchedule<String> schedule = options().build(0);
        schedule.add("a", "a1");
        schedule.add("a", "a2");
        schedule.poll(0);
        schedule.finished("a", 0);
        for (int i = 0; i < 50; i++) {
            schedule.lent("a", i);
        }
        assertThat(schedule.waitNanos(50)).isEqualTo(2 * SECOND - 50);
        assertThat(schedule.poll(2 * SECOND)).isEqualTo("a2");
        schedule.lent("a", 2 * SECOND);
        schedule.finished("a", 2 * SECOND);
        schedule.add("a", "a3");
        assertThat(schedule.waitNanos(2 * SECOND)).isEqualTo(2 * SECOND);
    }

    @Test
    void strangersWaitForTheirTurnBeyondTheFirstTwenty() {
        HostSchedule<String> schedule = options().build(0);
        for (int i = 0; i < 20; i++) {
            assertThat(schedule.lend("a", true, 0)).isZero();
        }
        assertThat(schedule.lend("a", true, 0)).isEqualTo(SECOND / 4);
        assertThat(schedule.lend("a", true, SECOND / 4)).isZero();
        assertThat(schedule.lend("a", true, SECOND / 4)).isEqualTo(SECOND / 4);
        assertThat(schedule.lend("a", false, SECOND / 4)).isEqualTo(5 * SECOND);
        assertThat(schedule.lend("b", false, SECOND)).isZero();
        assertThat(schedule.lend("b", false, SECOND)).isEqualTo(SECOND / 4);
    }

    @Test
    void aHostWithWorkGivesStrangersAQuarterOfItsTurns() {
        HostSchedule<String> schedule = options().build(0);
        int own = 0;
        int lent = 0;
        for (long now = 0; now < 1000 * SECOND; now += SECOND / 10) {
            schedule.add("a", "a");
            if (schedule.poll(now) != null) {
                own++;
                schedule.finished("a", now);
            }
            if (schedule.lend("a", true, now) == 0) {
                lent++;
                schedule.lent("a", now);
            }
        }
        assertThat(lent).isBetween(265, 275);
        assertThat(own).isBetween(740, 760);
    }

    @Test
    void strangersWaitForTheEndOfABackOff() {
        HostSchedule<String> schedule = options().delay(Duration.ZERO).build(0);
        schedule.add("a", "a1");
        schedule.poll(0);
        schedule.failed("a", Duration.ofSeconds(60), 0);

        assertThat(schedule.lend("a", true, SECOND)).isEqualTo(59 * SECOND);
        assertThat(schedule.lend("a", true, 60 * SECOND)).isZero();
        schedule.giveUp("a");
        assertThat(schedule.lend("a", true, 60 * SECOND)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aRequestThatOthersHaveMadeCountsToo() {
        HostSchedule<String> schedule = options().build(0);
        schedule.add("a", "a1");
        schedule.sent("a", 0);
        schedule.sent("b", 0);
        schedule.add("b", "b1");
        assertThat(schedule.poll(SECOND - 1)).isNull();
        assertThat(drain(schedule, SECOND)).containsExactlyInAnyOrder("a1", "b1");
    }

    @Test
    void noMoreRequestsThanSetAreUnderWay() {
        HostSchedule<String> schedule =
                options().delay(Duration.ZERO).perHost(2).build(0);
        for (int i = 0; i < 4; i++) {
            schedule.add("a", "a" + i);
        }
        assertThat(schedule.poll(0)).isEqualTo("a0");
        assertThat(schedule.poll(0)).isEqualTo("a1");
        assertThat(schedule.poll(0)).isNull();
        assertThat(schedule.stats().underWay()).isEqualTo(2);
        schedule.finished("a", 0);
        assertThat(schedule.poll(0)).isEqualTo("a2");
        assertThat(schedule.poll(0)).isNull();
    }

    @Test
    void delayHoldsBetweenRequestsThatOverlap() {
        HostSchedule<String> schedule = options().perHost(9).build(0);
        schedule.add("a", "a1");
        schedule.add("a", "a2");
        assertThat(schedule.poll(0)).isEqualTo("a1");
        assertThat(schedule.poll(SECOND - 1)).isNull();
        assertThat(schedule.poll(SECOND)).isEqualTo("a2");
    }

    @Test
    void theHostThatHasBeenFreeLongestComesFirst() {
        HostSchedule<String> schedule = options().build(0);
        schedule.add("a", "a1");
        schedule.add("a", "a2");
        schedule.add("b", "b1");
        schedule.add("b", "b2");
        assertThat(schedule.poll(0)).isEqualTo("a1");
        assertThat(schedule.poll(1)).isEqualTo("b1");
        schedule.finished("b", 2);
        schedule.finished("a", 3);
        schedule.add("c", "c1");
        assertThat(drain(schedule, 9 * SECOND)).containsExactly("c1", "a2", "b2");
    }

    @Test
    void aHostWithMuchWorkTakesTurnsWithOthers() {
        HostSchedule<String> schedule = options().delay(Duration.ZERO).build(0);
        for (int i = 0; i < 1000; i++) {
            schedule.add("a", "a" + i);
        }
        schedule.add("b", "b0");
        schedule.add("b", "b1");
        schedule.add("c", "c0");
        List<String> order = drain(schedule, 0);
        assertThat(order).hasSize(1003);
        assertThat(order.subList(0, 8)).contains("a0", "b0", "c0", "b1");
    }

    @Test
    void theHostWithTheMostWorkLeftHasEveryOtherTurn() {
        HostSchedule<String> schedule = options().build(0);
        List<String> hosts = List.of("b", "c", "d", "a");
        for (String host : hosts) {
            schedule.add(host, host + "1");
            schedule.add(host, host + "2");
        }
        for (int i = 3; i < 20; i++) {
            schedule.add("a", "a" + i);
        }
        for (int i = 0; i < hosts.size(); i++) {
            assertThat(schedule.poll(i)).isEqualTo(hosts.get(i) + "1");
            schedule.finished(hosts.get(i), i);
        }
        assertThat(drain(schedule, 2 * SECOND)).containsExactly("b2", "a2", "c2", "d2");
    }

    @Test
    void whatIsPutBackComesOutNext() {
        HostSchedule<String> schedule = options().delay(Duration.ZERO).build(0);
        schedule.add("a", "a1");
        schedule.add("a", "a2");
        assertThat(schedule.poll(0)).isEqualTo("a1");
        schedule.putBack("a", "a1");
        schedule.finished("a", 0);
        assertThat(drain(schedule, 0)).containsExactly("a1", "a2");
    }

    @Test
    void onlyOneRequestProbesAHostThatIsNotOpen() {
        HostSchedule<String> schedule =
                options().delay(Duration.ZERO).perHost(3).probeFirst(true).build(0);
        for (int i = 0; i < 5; i++) {
            schedule.add("a", "a" + i);
        }
        assertThat(schedule.poll(0)).isEqualTo("a0");
        assertThat(schedule.poll(0)).isNull();
        schedule.putBack("a", "a0");
        schedule.open("a");
        schedule.finished("a", 0);
        assertThat(schedule.poll(0)).isEqualTo("a0");
        assertThat(schedule.poll(0)).isEqualTo("a1");
        assertThat(schedule.poll(0)).isEqualTo("a2");
        assertThat(schedule.poll(0)).isNull();
    }

    @Test
    void openingAHostLetsOthersStartWhileTheProbeIsUnderWay() {
        HostSchedule<String> schedule =
                options().delay(Duration.ZERO).perHost(2).probeFirst(true).build(0);
        schedule.add("a", "a0");
        schedule.add("a", "a1");
        assertThat(schedule.poll(0)).isEqualTo("a0");
        schedule.open("a");
        assertThat(schedule.poll(0)).isEqualTo("a1");
    }

    @Test
    void aHostsOwnDelayHoldsFromTheLastRequestOn() {
        HostSchedule<String> schedule = options().build(0);
        schedule.add("a", "a1");
        schedule.add("a", "a2");
        schedule.add("a", "a3");
        assertThat(schedule.poll(0)).isEqualTo("a1");
        schedule.delay("a", Duration.ofSeconds(10));
        schedule.finished("a", SECOND);
        assertThat(schedule.waitNanos(SECOND)).isEqualTo(9 * SECOND);
        assertThat(drain(schedule, 10 * SECOND)).containsExactly("a2");
        assertThat(schedule.waitNanos(10 * SECOND)).isEqualTo(10 * SECOND);
    }

    @Test
    void aHostsOwnDelayNeverShortensThatOfAll() {
        HostSchedule<String> schedule = options().build(0);
        schedule.delay("a", Duration.ofMillis(1));
        schedule.add("a", "a1");
        schedule.add("a", "a2");
        assertThat(drain(schedule, 0)).containsExactly("a1");
        assertThat(schedule.waitNanos(0)).isEqualTo(SECOND);
    }

    @Test
    void aHostThatBacksOffIsLeftAloneAndOthersAreNot() {
        HostSchedule<String> schedule = options().build(0);
        schedule.add("a", "a1");
        schedule.add("b", "b1");
        schedule.backOff("a", 60 * SECOND);
        assertThat(drain(schedule, 0)).containsExactly("b1");
        assertThat(schedule.stats().backingOff()).isEqualTo(1);
        assertThat(schedule.waitNanos(0)).isEqualTo(60 * SECOND);
        schedule.backOff("a", 30 * SECOND);
        assertThat(schedule.waitNanos(0)).isEqualTo(60 * SECOND);
        assertThat(drain(schedule, 60 * SECOND)).containsExactly("a1");
        assertThat(schedule.stats().backingOff()).isZero();
    }

    @Test
    void aHostThatBacksOffHoldsNobodyUpWhoIsBehindItInLine() {
        HostSchedule<String> schedule = options().delay(Duration.ZERO).build(0);
        for (int i = 0; i < 1000; i++) {
            schedule.add("c", "c" + i);
        }
        assertThat(schedule.poll(0)).isEqualTo("c0");
        schedule.finished("c", 0);
        schedule.add("a", "a1");
        schedule.add("b", "b1");
        schedule.backOff("a", 3600 * SECOND);
        List<String> items = new ArrayList<>();
        for (int now = 1; now < 9; now++) {
            String item = schedule.poll(now);
            items.add(item);
            schedule.finished(host(item), now);
        }
        assertThat(items).contains("b1").doesNotContain("a1");
    }

    @Test
    void requestsThatFailTogetherLengthenThePauseOnce() {
        HostSchedule<String> schedule =
                options().delay(Duration.ZERO).perHost(8).build(0);
        for (int i = 0; i < 8; i++) {
            schedule.add("a", "a" + i);
            schedule.poll(0);
        }
        for (int i = 0; i < 7; i++) {
            assertThat(schedule.failed("a", Duration.ZERO, i)).isEqualTo(1);
        }
        assertThat(schedule.failed("a", Duration.ZERO, 7)).isEqualTo(2);
    }

    @Test
    void aHostThatWasGivenUpHandsOutAllAtOnce() {
        HostSchedule<String> schedule = options().perHost(2).build(0);
        for (int i = 0; i < 4; i++) {
            schedule.add("a", "a" + i);
        }
        assertThat(schedule.poll(0)).isEqualTo("a0");
        schedule.failed("a", Duration.ofHours(1), 0);
        assertThat(schedule.poll(1)).isNull();
        schedule.giveUp("a");

        for (int i = 1; i < 4; i++) {
            assertThat(schedule.poll(i)).isEqualTo("a" + i);
            schedule.skipped("a", i, i);
        }
        assertThat(schedule.isGivenUp("a")).isTrue();
        assertThat(schedule.stats().backingOff()).isZero();
        schedule.add("a", "a4");
        assertThat(schedule.poll(5)).isEqualTo("a4");
    }

    @Test
    void whatIsAddedAgainIsInNoBudget() {
        HostSchedule<String> schedule = options().delay(Duration.ZERO).budget(1).build(0);
        assertThat(schedule.add("a", "a1")).isTrue();
        schedule.poll(0);
        schedule.finished("a", 0);

        schedule.addAgain("a", "a1");

        assertThat(schedule.poll(1)).isEqualTo("a1");
        assertThat(schedule.add("a", "a2")).isFalse();
    }

    @Test
    void whatIsDroppedIsInNoBudgetAndTakesNoTurn() {
        HostSchedule<String> schedule = options().budget(2).build(0);
        schedule.add("a", "a1");
        schedule.add("a", "a2");
        schedule.addAgain("a", "again");
        assertThat(schedule.poll(0)).isEqualTo("a1");

        schedule.dropped("a", false, 0);
        assertThat(schedule.poll(0)).isEqualTo("a2");
        schedule.finished("a", 1);
        assertThat(schedule.poll(SECOND)).isEqualTo("again");
        schedule.dropped("a", true, SECOND);

        assertThat(schedule.add("a", "a3")).isTrue();
        assertThat(schedule.add("a", "a4")).isFalse();
        assertThat(schedule.poll(SECOND)).isEqualTo("a3");
        assertThat(schedule.stats().queued()).isZero();
    }

    @Test
    void failuresInARowLengthenThePause() {
        HostSchedule<String> schedule = options()
                .backOff(new BackOff(Duration.ofSeconds(10), Duration.ofSeconds(30)))
                .build(0);
        long now = 0;
        for (int pause : new int[] {10, 20, 30, 30}) {
            schedule.add("a", "a1");
            assertThat(schedule.poll(now)).isEqualTo("a1");
            schedule.failed("a", Duration.ZERO, now);
            schedule.putBack("a", "a1");
            assertThat(schedule.waitNanos(now)).isEqualTo(pause * SECOND);
            now += pause * SECOND;
            assertThat(schedule.poll(now)).isEqualTo("a1");
            schedule.skipped("a", now, now);
        }
        schedule.add("a", "a1");
        assertThat(schedule.poll(now)).isEqualTo("a1");
        assertThat(schedule.failed("a", Duration.ofMinutes(5), now)).isEqualTo(5);
        now += 300 * SECOND;
        schedule.add("a", "a1");
        assertThat(schedule.poll(now)).isEqualTo("a1");
        schedule.finished("a", now);
        now += SECOND;
        schedule.add("a", "a1");
        assertThat(schedule.poll(now)).isEqualTo("a1");
        assertThat(schedule.failed("a", Duration.ZERO, now)).isEqualTo(1);
    }

    @Test
    void aHostThatFailsIsAskedOneRequestAtATime() {
        HostSchedule<String> schedule =
                options().delay(Duration.ZERO).perHost(4).build(0);
        for (int i = 0; i < 8; i++) {
            schedule.add("a", "a" + i);
        }
        schedule.poll(0);
        schedule.poll(0);
        schedule.failed("a", Duration.ZERO, 0);
        assertThat(schedule.poll(60 * SECOND)).isNull();
        schedule.failed("a", Duration.ZERO, 60 * SECOND);
        assertThat(schedule.poll(120 * SECOND)).isNotNull();
        assertThat(schedule.poll(120 * SECOND)).isNull();
        schedule.finished("a", 120 * SECOND);
        assertThat(schedule.poll(120 * SECOND)).isNotNull();
        assertThat(schedule.poll(120 * SECOND)).isNotNull();
    }

    @Test
    void aSkippedItemOwesNoDelay() {
        HostSchedule<String> schedule = options().perHost(4).build(0);
        for (int i = 0; i < 5; i++) {
            schedule.add("a", "a" + i);
        }
        for (int i = 0; i < 4; i++) {
            assertThat(schedule.poll(0)).isEqualTo("a" + i);
            schedule.skipped("a", 0, 0);
        }
        assertThat(schedule.poll(0)).isEqualTo("a4");
    }

    @Test
    void aSkippedItemDoesNotForgiveTheDelayOfAnotherRequest() {
        HostSchedule<String> schedule = options().perHost(4).build(0);
        schedule.add("a", "a0");
        schedule.add("a", "a1");
        schedule.add("a", "a2");
        schedule.poll(0);
        schedule.poll(SECOND);
        schedule.skipped("a", 0, SECOND);
        assertThat(schedule.waitNanos(SECOND)).isEqualTo(SECOND);
    }

    @Test
    void noHostIsAskedBeforeTheStart() {
        HostSchedule<String> schedule = options().build(5 * SECOND);
        schedule.add("a", "a1");
        schedule.add("b", "b1");
        assertThat(schedule.poll(0)).isNull();
        assertThat(schedule.waitNanos(0)).isEqualTo(5 * SECOND);
        schedule.backOff("b", 7 * SECOND);
        assertThat(drain(schedule, 5 * SECOND)).containsExactly("a1");
        assertThat(schedule.waitNanos(5 * SECOND)).isEqualTo(2 * SECOND);
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, -SECOND / 2, 0, Long.MAX_VALUE - SECOND / 2})
    void theClockMayBeginAnywhereAndOverflow(long start) {
        HostSchedule<String> schedule = options().build(start);
        schedule.add("a", "a1");
        schedule.add("a", "a2");
        schedule.add("b", "b1");
        assertThat(drain(schedule, start)).containsExactly("a1", "b1");
        assertThat(schedule.waitNanos(start)).isEqualTo(SECOND);
        assertThat(drain(schedule, start + SECOND)).containsExactly("a2");
    }

    @Test
    void hostsThatAreDoneWithAreForgotten() {
        HostSchedule<String> schedule = options().probeFirst(true).build(0);
        for (int i = 0; i < 100_000; i++) {
            long now = i * (SECOND / 10);
            schedule.add("host" + i, "item");
            assertThat(schedule.poll(now)).isEqualTo("item");
            schedule.open("host" + i);
            schedule.delay("host" + i, Duration.ofSeconds(2));
            schedule.finished("host" + i, now);
        }
        assertThat(schedule.stats().remembered()).isLessThan(100);
    }

    @Test
    void provenHostsAreForgottenBeyondTheLimit() {
        HostSchedule<String> schedule = options().tellTrust(true).build(0);
        for (int i = 0; i < 100_000; i++) {
            long now = i * (SECOND / 10);
            schedule.add("host" + i, "item");
            assertThat(schedule.poll(now)).isEqualTo("item");
            schedule.trust("host" + i, Trust.PROVEN);
            schedule.finished("host" + i, now);
        }
        assertThat(schedule.stats().remembered()).isLessThan(100);
    }

    @Test
    void manyNewHostsDoNotDisplaceProvenOnes() {
        HostSchedule<String> schedule = options().tellTrust(true).build(0);
        schedule.add("a", "a1");
        schedule.add("b", "b1");
        assertThat(List.of(schedule.poll(0), schedule.poll(0))).containsExactlyInAnyOrder("a1", "b1");
        schedule.trust("a", Trust.PROVEN);
        schedule.finished("a", 0);
        schedule.failed("b", Duration.ZERO, 0);

        long later = 3600 * SECOND;
        assertThat(schedule.poll(later)).isNull();
        for (int i = 0; i < 10_000; i++) {
            schedule.add("host" + i, "item");
        }

        schedule.add("a", "a2");
        assertThat(schedule.poll(later, Trust.PROVEN)).isEqualTo("a2");
        schedule.giveUp("b");
        schedule.add("b", "b2");
        assertThat(schedule.poll(later, Trust.PROVEN)).isEqualTo("b2");
        assertThat(schedule.failed("b", Duration.ZERO, later)).isEqualTo(2);
    }

    @Test
    void hostsThatFailDoNotMakeItForgetThoseThatAnswer() {
        HostSchedule<String> schedule = options()
                .tellTrust(true)
                .backOff(new BackOff(Duration.ofSeconds(1), Duration.ofSeconds(1)))
                .build(0);
        schedule.add("a", "a1");
        assertThat(schedule.poll(0)).isEqualTo("a1");
        schedule.trust("a", Trust.PROVEN);
        schedule.finished("a", 0);
        for (int i = 1; i < 10_000; i++) {
            String host = "host" + i;
            schedule.add(host, "item");
            assertThat(schedule.poll(i * SECOND)).isEqualTo("item");
            schedule.failed(host, Duration.ZERO, i * SECOND);
        }

        assertThat(schedule.trust("a")).isEqualTo(Trust.PROVEN);
        assertThat(schedule.stats().remembered()).isLessThan(100);
    }

    @Test
    void aDelayThatWasSetIsKeptWithoutWork() {
        HostSchedule<String> schedule = options().build(0);
        schedule.delay("a", Duration.ofSeconds(60));
        for (int i = 0; i < 1000; i++) {
            schedule.add("host" + i, "item");
            schedule.poll(i * SECOND);
            schedule.finished("host" + i, i * SECOND);
        }
        schedule.add("a", "a1");
        schedule.add("a", "a2");
        assertThat(drain(schedule, 1000 * SECOND)).containsExactly("a1");
        assertThat(schedule.waitNanos(1000 * SECOND)).isEqualTo(60 * SECOND);
    }

    @Test
    void statsSayHowLongWhichHostWasWaitedFor() {
        HostSchedule<String> schedule = options().build(0);
        for (int i = 0; i < 3; i++) {
            schedule.add("a", "a" + i);
        }
        schedule.add("b", "b0");
        schedule.backOff("b", SECOND / 4);
        schedule.poll(0);
        schedule.finished("a", 0);
        schedule.poll(0);
        schedule.poll(SECOND / 4);
        schedule.finished("b", SECOND / 4);
        schedule.poll(SECOND / 4);
        assertThat(schedule.stats().waiting()).isEqualTo(1);
        schedule.poll(SECOND);
        schedule.finished("a", SECOND);
        schedule.poll(2 * SECOND);
        ScheduleStats stats = schedule.stats();
        assertThat(stats.waited()).isEqualTo(Duration.ofSeconds(1));
        assertThat(stats.backedOff()).isEqualTo(Duration.ofMillis(250));
        assertThat(stats.limited()).isZero();
        assertThat(stats.slowest()).containsExactly(entry("a", Duration.ofMillis(750)));
        assertThat(stats.queued()).isZero();
        assertThat(stats.hosts()).isZero();
        assertThat(stats.underWay()).isEqualTo(1);
    }

    @Test
    void statsNameTheFiveSlowestHosts() {
        HostSchedule<String> schedule = options().build(0);
        for (int i = 1; i < 9; i++) {
            String host = String.valueOf(i);
            schedule.add(host, host);
            schedule.poll(100L * i * SECOND);
            schedule.finished(host, 100L * i * SECOND);
            schedule.backOff(host, 101L * i * SECOND);
            schedule.add(host, host);
            schedule.poll(100L * i * SECOND);
            schedule.poll(101L * i * SECOND);
            schedule.finished(host, 101L * i * SECOND);
        }

        assertThat(schedule.stats().slowest())
                .containsExactly(
                        entry("8", Duration.ofSeconds(8)),
                        entry("7", Duration.ofSeconds(7)),
                        entry("6", Duration.ofSeconds(6)),
                        entry("5", Duration.ofSeconds(5)),
                        entry("4", Duration.ofSeconds(4)));
    }

    @Test
    void statsSayHowLongRequestsInProgressWereWaitedFor() {
        HostSchedule<String> schedule = options().build(0);
        schedule.add("a", "a0");
        schedule.add("a", "a1");
        schedule.poll(0);
        schedule.poll(0);
        schedule.poll(SECOND / 2);
        schedule.finished("a", SECOND / 2);
        schedule.poll(SECOND / 2);
        schedule.poll(SECOND);
        ScheduleStats stats = schedule.stats();
        assertThat(stats.limited()).isEqualTo(Duration.ofMillis(500));
        assertThat(stats.waited()).isEqualTo(Duration.ofMillis(500));
        assertThat(stats.queued()).isZero();
    }

    @Test
    void oneHostIsPolledOutOfTurnByTheSameRules() {
        HostSchedule<String> schedule = options().build(0);
        schedule.add("a", "a1");
        schedule.add("b", "b1");
        schedule.add("b", "b2");

        assertThat(schedule.poll("b", 0)).isEqualTo("b1");
        assertThat(schedule.poll("b", 0)).as("its request is under way").isNull();
        assertThat(schedule.poll("unknown", 0)).isNull();
        schedule.finished("b", SECOND / 2);
        assertThat(schedule.poll("b", SECOND - 1)).isNull();
        assertThat(schedule.poll(SECOND - 1)).isEqualTo("a1");
        assertThat(schedule.poll(SECOND - 1)).isNull();
        assertThat(schedule.waitNanos(SECOND - 1)).isEqualTo(1);
        assertThat(schedule.poll("b", SECOND)).isEqualTo("b2");
        assertThat(schedule.stats().underWay()).isEqualTo(2);
        assertThat(schedule.size()).isZero();
        schedule.finished("b", SECOND);
        assertThat(schedule.poll("b", 3 * SECOND)).isNull();
    }

    @Test
    void aHostPolledOutOfTurnHasWaitedItsBackOff() {
        HostSchedule<String> schedule = options().build(0);
        schedule.add("a", "a1");
        schedule.add("a", "a2");
        schedule.poll(0);
        schedule.failed("a", Duration.ofSeconds(20), 0);
        assertThat(schedule.stats().backingOff()).isEqualTo(1);
        assertThat(schedule.poll(0)).isNull();

        assertThat(schedule.poll("a", 20 * SECOND - 1)).isNull();
        assertThat(schedule.poll("a", 20 * SECOND)).isEqualTo("a2");

        assertThat(schedule.waited("a")).isEqualTo(Duration.ofSeconds(20));
        assertThat(schedule.stats().backingOff()).isZero();
        assertThat(schedule.stats().waiting()).isZero();
        assertThat(schedule.stats().backedOff()).isEqualTo(Duration.ofSeconds(20));
    }

    @Test
    void aRequestMayTakeFurtherItems() {
        HostSchedule<String> schedule = options().build(0);
        for (int i = 1; i <= 4; i++) {
            schedule.add("a", "a" + i);
        }
        assertThatThrownBy(() -> schedule.pollMore("a")).isInstanceOf(IllegalStateException.class);
        assertThat(schedule.poll(0)).isEqualTo("a1");
        assertThat(schedule.pollMore("a")).isEqualTo("a2");
        assertThat(schedule.pollMore("a")).isEqualTo("a3");
        assertThat(schedule.stats().underWay()).isEqualTo(1);
        assertThat(schedule.size("a")).isEqualTo(1);
        assertThat(schedule.size("unknown")).isZero();
        schedule.finished("a", SECOND / 2);
        assertThat(schedule.waitNanos(SECOND / 2))
                .as("from the start of the request")
                .isEqualTo(SECOND / 2);
        assertThat(schedule.poll(SECOND)).isEqualTo("a4");
        assertThat(schedule.stats().hosts()).isZero();
        assertThat(schedule.pollMore("a")).isNull();
        schedule.finished("a", SECOND);
        assertThatThrownBy(() -> schedule.pollMore("a")).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void furtherItemsLeaveNothingToWaitFor() {
        HostSchedule<String> schedule = options().perHost(2).build(0);
        schedule.add("a", "a1");
        schedule.add("a", "a2");
        schedule.poll(0);
        assertThat(schedule.stats().waiting()).isEqualTo(1);

        assertThat(schedule.pollMore("a")).isEqualTo("a2");

        assertThat(schedule.stats().waiting()).isZero();
        assertThat(schedule.waitNanos(0)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void whatIsQueuedForAHostMayBeDropped(@TempDir Path directory) throws IOException {
        Codec<String> text = new Codec<>() {
            @Override
            public byte[] encode(String item) {
                return item.getBytes(UTF_8);
            }

            @Override
            public String decode(byte[] bytes) {
                return new String(bytes, UTF_8);
            }
        };
        try (HostSchedule<String> schedule = options()
                .delay(Duration.ZERO)
                .budget(1001)
                .spill(directory, text, 40)
                .build(0)) {
            for (int i = 0; i < 1000; i++) {
                schedule.add("a", "a" + i);
                schedule.add("b", "b" + i);
            }
            assertThat(schedule.poll("a", 0)).isEqualTo("a0");

            assertThat(schedule.clear("a")).isEqualTo(999);

            assertThat(schedule.clear("a")).isZero();
            assertThat(schedule.clear("unknown")).isZero();
            assertThat(schedule.size("a")).isZero();
            assertThat(schedule.size()).isEqualTo(1000);
            assertThat(schedule.stats().hosts()).isEqualTo(1);
            assertThat(schedule.stats().underWay()).isEqualTo(1);
            assertThat(schedule.pollMore("a")).isNull();
            schedule.finished("a", 0);
            assertThat(schedule.poll("a", 0)).isNull();
            assertThat(schedule.add("a", "a later")).isTrue();
            assertThat(schedule.add("a", "too many"))
                    .as("those dropped are in the budget")
                    .isFalse();
            assertThat(drain(schedule, 0)).hasSize(1001).contains("a later", "b0", "b999");
        }
    }

    /** Hosts that only keys ask for are forgotten as well. */
    @Test
    void hostsThatArePolledOutOfTurnAreForgotten() {
        HostSchedule<String> schedule = options().delay(Duration.ZERO).build(0);
        for (int i = 0; i < 10_000; i++) {
            schedule.add("host" + i, "item");
            assertThat(schedule.poll("host" + i, i)).isEqualTo("item");
            schedule.finished("host" + i, i);
        }
        assertThat(schedule.stats().remembered()).isLessThan(1000);
    }

    @Test
    void changingTheOptionsAfterwardsChangesNothing() {
        ScheduleOptions<String> options = options();
        HostSchedule<String> schedule = options.build(0);
        options.delay(Duration.ZERO);
        schedule.add("a", "a1");
        schedule.add("a", "a2");
        assertThat(drain(schedule, 0)).containsExactly("a1");
    }

    @Test
    void endingWhatNeverBeganIsRefused() {
        HostSchedule<String> schedule = options().build(0);
        schedule.add("a", "a1");
        assertThatThrownBy(() -> schedule.finished("a", 0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> schedule.skipped("b", 0, 0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("b");
    }

    @Test
    void badOptionsAreNamed() {
        assertThatThrownBy(() -> options().delay(Duration.ofSeconds(-1))).hasMessageContaining("PT-1S");
        assertThatThrownBy(() -> options().perHost(0)).hasMessageContaining(": 0");
        assertThatThrownBy(() -> options().perHost(99_999)).hasMessageContaining(": 99999");
        assertThatThrownBy(() -> options().budget(0)).hasMessageContaining("items for a host must be at least 1: 0");
        assertThatThrownBy(() -> options().groups(host -> host, Duration.ofSeconds(-2), 1, 1))
                .hasMessageContaining("PT-2S");
        assertThatThrownBy(() -> options().spill(Path.of("no", "such", "folder"), null, 1))
                .isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> new BackOff(Duration.ZERO, Duration.ofSeconds(1)))
                .hasMessageContaining("PT0S");
        assertThatThrownBy(() -> options().build(0).add("a".repeat(2000), "x"))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
