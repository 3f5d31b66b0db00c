package dev.sieve.polite;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Limits that hosts share, and budgets. A host is named after its group and a number; hosts named x have no group. */
class HostGroupsTest {
    private static final long SECOND = 1_000_000_000L;

    private static ScheduleOptions<String> options() {
        return new ScheduleOptions<String>().delay(Duration.ZERO);
    }

    private static String group(String host) {
        return host.startsWith("x") ? null : host.substring(0, 1);
    }

    private static HostSchedule<String> grouped(Duration delay, int requests) {
        return options()
                .groups(HostGroupsTest::group, delay, requests, Integer.MAX_VALUE)
                .build(0);
    }

    private static void add(HostSchedule<String> schedule, String... hosts) {
        for (String host : hosts) {
            assertThat(schedule.add(host, host)).isTrue();
        }
    }

    @Test
    void hostsOfAGroupShareItsDelay() {
        HostSchedule<String> schedule = grouped(Duration.ofSeconds(2), 9);
        add(schedule, "a1", "a2", "b1", "a1");
        assertThat(schedule.poll(0)).isEqualTo("a1");
        assertThat(schedule.poll(0)).isEqualTo("b1");
        assertThat(schedule.poll(0)).isNull();
        assertThat(schedule.waitNanos(0)).isEqualTo(2 * SECOND);
        assertThat(schedule.poll(2 * SECOND)).isEqualTo("a2");
        schedule.finished("a1", 2 * SECOND);
        assertThat(schedule.waitNanos(2 * SECOND)).isEqualTo(2 * SECOND);
        assertThat(schedule.poll(4 * SECOND)).isEqualTo("a1");
    }

    @Test
    void hostsOfAGroupShareTheRequestsUnderWay() {
        HostSchedule<String> schedule = grouped(Duration.ZERO, 2);
        add(schedule, "a1", "a2", "a3", "b1");
        assertThat(schedule.poll(0)).isEqualTo("a1");
        assertThat(schedule.poll(0)).isEqualTo("b1");
        assertThat(schedule.poll(0)).isEqualTo("a2");
        assertThat(schedule.poll(0)).isNull();
        assertThat(schedule.waitNanos(0)).isEqualTo(Long.MAX_VALUE);
        schedule.finished("a2", 0);
        assertThat(schedule.poll(0)).isEqualTo("a3");
        assertThat(schedule.poll(0)).isNull();
    }

    @Test
    void aHostPolledOutOfTurnObservesItsGroup() {
        HostSchedule<String> schedule = grouped(Duration.ofSeconds(2), 2);
        add(schedule, "a1", "a2", "a3", "b1");
        assertThat(schedule.poll("a2", 0)).isEqualTo("a2");
        assertThat(schedule.poll("a1", SECOND)).as("the delay of the group").isNull();
        assertThat(schedule.poll("a1", 2 * SECOND)).isEqualTo("a1");
        assertThat(schedule.poll("a3", 4 * SECOND)).as("two are under way").isNull();
        assertThat(schedule.poll(4 * SECOND)).isEqualTo("b1");
        assertThat(schedule.poll(4 * SECOND)).isNull();
        schedule.finished("a2", 4 * SECOND);
        assertThat(schedule.poll(4 * SECOND)).isEqualTo("a3");
    }

    @Test
    void hostsWithoutAGroupAreFree() {
        HostSchedule<String> schedule = grouped(Duration.ofSeconds(2), 1);
        add(schedule, "x1", "x2", "x3");
        assertThat(schedule.poll(0)).isEqualTo("x1");
        assertThat(schedule.poll(0)).isEqualTo("x2");
        assertThat(schedule.poll(0)).isEqualTo("x3");
    }

    @Test
    void hostsOfAGroupTakeTurns() {
        HostSchedule<String> schedule = grouped(Duration.ofSeconds(1), 1);
        for (int i = 0; i < 3; i++) {
            add(schedule, "a1");
        }
        add(schedule, "a2", "a2", "a3");
        StringBuilder order = new StringBuilder();
        for (int second = 0; second < 6; second++) {
            String host = schedule.poll(second * SECOND);
            order.append(host).append(' ');
            schedule.finished(host, second * SECOND);
        }
        assertThat(order).hasToString("a1 a2 a3 a1 a2 a1 ");
    }

    @Test
    void theDelayOfAHostHoldsWithinItsGroup() {
        HostSchedule<String> schedule = grouped(Duration.ofSeconds(1), 1);
        add(schedule, "a1", "a1", "a2", "a2", "a2");
        schedule.delay("a1", Duration.ofSeconds(5));
        StringBuilder order = new StringBuilder();
        for (int second = 0; second < 6; second++) {
            String host = schedule.poll(second * SECOND);
            order.append(host).append(' ');
            if (host != null) {
                schedule.finished(host, second * SECOND);
            }
        }
        assertThat(order).hasToString("a1 a2 a2 a2 null a1 ");
    }

    @Test
    void aMemberThatBacksOffDoesNotHoldUpItsGroup() {
        HostSchedule<String> schedule = grouped(Duration.ZERO, 1);
        add(schedule, "a1", "a2", "a3");
        assertThat(schedule.poll(0)).isEqualTo("a1");
        schedule.backOff("a2", 60 * SECOND);
        schedule.failed("a1", Duration.ZERO, 0);
        schedule.putBack("a1", "a1");
        assertThat(schedule.poll(0)).isEqualTo("a3");
        schedule.finished("a3", 0);
        assertThat(schedule.poll(0)).isNull();
        assertThat(schedule.waitNanos(0)).isEqualTo(10 * SECOND);
    }

    @Test
    void aSkippedItemOwesNoDelayToItsGroupEither() {
        HostSchedule<String> schedule = grouped(Duration.ofSeconds(60), 1);
        add(schedule, "a1", "a2", "a3");
        for (int i = 1; i <= 3; i++) {
            assertThat(schedule.poll(0)).isEqualTo("a" + i);
            schedule.skipped("a" + i, 0, 0);
        }
    }

    @Test
    void aGroupStandsInLineLikeAHost() {
        HostSchedule<String> schedule = grouped(Duration.ZERO, 1);
        add(schedule, "a1", "x1", "a2", "x2", "a3", "x1");
        StringBuilder order = new StringBuilder();
        for (int i = 0; i < 6; i++) {
            String host = schedule.poll(0);
            order.append(host).append(' ');
            schedule.finished(host, 0);
        }
        assertThat(order).hasToString("a1 x1 x2 a2 x1 a3 ");
    }

    @Test
    void groupsAreForgottenWithTheirHosts() {
        HostSchedule<String> schedule = options()
                .groups(host -> "of " + host, Duration.ofSeconds(1), 1, Integer.MAX_VALUE)
                .build(0);
        for (int i = 0; i < 10_000; i++) {
            schedule.add("host" + i, "item");
            assertThat(schedule.poll(i * SECOND)).isEqualTo("item");
            schedule.finished("host" + i, i * SECOND);
        }
        assertThat(schedule.stats().remembered()).isLessThan(100);
    }

    @Test
    void groupsOfHostsThatAnswerAreForgottenWithThem() {
        HostSchedule<String> schedule = options()
                .tellTrust(true)
                .groups(host -> "of " + host, Duration.ofSeconds(1), 1, Integer.MAX_VALUE)
                .build(0);
        for (int i = 0; i < 10; i++) {
            schedule.add("busy" + i, "later");
            schedule.backOff("busy" + i, 20_000 * SECOND);
        }
        for (int i = 0; i < 10_000; i++) {
            schedule.add("host" + i, "item");
            assertThat(schedule.poll(i * SECOND)).isEqualTo("item");
            schedule.trust("host" + i, Trust.PROVEN);
            schedule.finished("host" + i, i * SECOND);
        }
        assertThat(schedule.stats().remembered()).isLessThan(100);
        assertThat(schedule.size()).isEqualTo(10);
    }

    private static HostSchedule<String> withServers(Duration delay, int requests) {
        return options()
                .groups(HostGroupsTest::group, Duration.ZERO, 2, Integer.MAX_VALUE)
                .servers(delay, requests)
                .build(0);
    }

    /** Polls each host once, and finds its server. */
    private static void learn(HostSchedule<String> schedule, String server, String... hosts) {
        for (String host : hosts) {
            add(schedule, host);
            assertThat(schedule.poll(host, 0)).isEqualTo(host);
            String used = schedule.usesServer(host, null, server, 0) ? server : null;
            schedule.leftServer(used, 0);
            schedule.finished(host, 0);
        }
    }

    @Test
    void hostsWithTheSameServerWaitForEachOther() {
        HostSchedule<String> schedule = withServers(Duration.ofSeconds(2), 1);
        learn(schedule, "server", "a", "b", "x");
        add(schedule, "a", "b", "x");
        assertThat(schedule.waitNanos(SECOND)).isEqualTo(SECOND);
        assertThat(schedule.poll("a", 2 * SECOND)).isEqualTo("a");
        schedule.sent("a", 3 * SECOND);
        schedule.finished("a", 4 * SECOND);
        assertThat(schedule.waitNanos(4 * SECOND)).as("one is under way").isEqualTo(Long.MAX_VALUE);
        schedule.leftServer("server", 4 * SECOND);
        assertThat(schedule.waitNanos(4 * SECOND)).isEqualTo(SECOND);
        String next = schedule.poll(5 * SECOND);
        schedule.leftServer("server", 5 * SECOND);
        String last = next.equals("b") ? "x" : "b";
        assertThat(schedule.poll(last, 6 * SECOND)).as("out of turn").isNull();
        assertThat(schedule.poll(7 * SECOND)).isEqualTo(last);
    }

    @Test
    void aHostWaitsForItsServerThatIsBusyWhenItIsFound() {
        HostSchedule<String> schedule = withServers(Duration.ZERO, 1);
        add(schedule, "a", "b");
        assertThat(schedule.poll(0)).isEqualTo("a");
        assertThat(schedule.poll(0)).isEqualTo("b");
        assertThat(schedule.usesServer("a", null, "server", 0)).isTrue();
        assertThat(schedule.usesServer("b", null, "server", 0)).isFalse();
        schedule.skipped("b", 0, 0);
        schedule.putBack("b", "b");
        assertThat(schedule.poll(0)).isNull();
        schedule.leftServer("server", 0);
        assertThat(schedule.poll(0)).isEqualTo("b");
    }

    @Test
    void aHostThatMovesLeavesItsServerToTheOthers() {
        HostSchedule<String> schedule = withServers(Duration.ZERO, 1);
        learn(schedule, "old", "a", "b");
        add(schedule, "a", "b");
        assertThat(schedule.poll("a", 0)).isEqualTo("a");
        assertThat(schedule.poll(0)).isNull();
        assertThat(schedule.usesServer("a", "old", "new", 0)).isTrue();
        assertThat(schedule.poll(0)).isEqualTo("b");
        assertThat(schedule.usesServer("b", "old", "new", 0)).isFalse();
        assertThat(schedule.usesServer("b", null, null, 0)).isTrue();
        assertThat(schedule.server("b")).isNull();
    }

    @Test
    void aHostThatIsGivenUpDoesNotWaitForItsServer() {
        HostSchedule<String> schedule = withServers(Duration.ofSeconds(60), 1);
        learn(schedule, "server", "a", "b");
        add(schedule, "a", "b");
        assertThat(schedule.poll("a", 60 * SECOND)).isEqualTo("a");
        assertThat(schedule.poll(60 * SECOND)).isNull();
        schedule.giveUp("b");
        assertThat(schedule.poll("b", 60 * SECOND)).isEqualTo("b");
    }

    /** Each host is the last one of its server: a search for it from the first one on would take minutes. */
    @Test
    @Timeout(60)
    void hostIsRemovedWithoutASearchForIt() {
        int hosts = 300_000;
        Host.Chain chain = new Host.Chain();
        Host[] all = new Host[hosts];
        for (int i = 0; i < hosts; i++) {
            all[i] = new Host(i, 0);
            chain.addLast(all[i]);
        }
        for (int i = hosts - 1; i > 2; i--) {
            chain.remove(all[i]);
            assertThat(all[i].isChained()).isFalse();
        }
        new Host.Chain().remove(all[1]);
        chain.remove(all[1]);
        chain.addLast(all[1]);

        for (int next : new int[] {0, 2, 1}) {
            assertThat(chain.first()).isSameAs(all[next]);
            chain.removeFirst();
        }
        assertThat(chain.isEmpty()).isTrue();
    }

    @Test
    void serversAreForgottenWithTheirHosts() {
        HostSchedule<String> schedule = withServers(Duration.ofSeconds(1), 1);
        for (int i = 0; i < 10_000; i++) {
            // The first one moves each time, the others come and go.
            for (String host : new String[] {"x", "x" + i}) {
                schedule.add(host, "item");
                assertThat(schedule.poll(host, 2L * i * SECOND)).isEqualTo("item");
                String server = host + " at " + i;
                assertThat(schedule.usesServer(host, schedule.server(host), server, 2L * i * SECOND))
                        .isTrue();
                schedule.leftServer(server, 2L * i * SECOND);
                schedule.finished(host, 2L * i * SECOND);
            }
        }
        assertThat(schedule.stats().remembered()).isLessThan(200);
    }

    @Test
    void noMoreItemsAreTakenThanTheBudgetOfAHostAllows() {
        HostSchedule<String> schedule = options().budget(2).build(0);
        add(schedule, "a", "a", "b");
        assertThat(schedule.add("a", "a")).isFalse();
        assertThat(schedule.size()).isEqualTo(3);
        assertThat(schedule.poll(0)).isEqualTo("a");
        schedule.putBack("a", "a");
        schedule.finished("a", 0);
        assertThat(schedule.add("a", "a")).isFalse();
        assertThat(schedule.size()).isEqualTo(3);
    }

    @Test
    void aBudgetIsNotRenewedByForgetting() {
        HostSchedule<String> schedule = options().budget(1).build(0);
        for (int i = 0; i < 1000; i++) {
            schedule.add("host" + i, "item");
            schedule.poll(i * SECOND);
            schedule.finished("host" + i, i * SECOND);
        }
        assertThat(schedule.add("host0", "again")).isFalse();
    }

    @Test
    void hostsOfAGroupShareItsBudget() {
        HostSchedule<String> schedule =
                options().groups(HostGroupsTest::group, Duration.ZERO, 1, 3).build(0);
        add(schedule, "a1", "a2", "a3");
        assertThat(schedule.add("a4", "a4")).isFalse();
        assertThat(schedule.add("a1", "a1")).isFalse();
        add(schedule, "b1", "x1");
    }
}
