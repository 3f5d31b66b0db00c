package dev.sieve.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.url.UrlNormalizer;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("hostile")
class TrapGuardTest {
    private static final int OFF = Integer.MAX_VALUE;

    private static Map<Trap, Integer> allOff() {
        Map<Trap, Integer> limits = new EnumMap<>(Trap.class);
        for (Trap trap : Trap.values()) {
            limits.put(trap, OFF);
        }
        return limits;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://h/",
                "http://h/2011/11/11/news.html",
                "http://h/a/b/a/b",
                "http://h/w/cpp/atomic/atomic/atomic",
                "http://h/11/11/11/11",
                "http://h/x?day=11/11/11",
                "http://h/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20",
                "http://h/search?tag[]=a&tag[]=b&tag[]=c&tag[]=d",
                "http://h/x?a=0&b=0&c=0&d=0",
                "http://h/x?q=&q=",
                "http://h/x?a&amp;b&amp;c&amp;d",
                "http://h/??&&&&&==",
                "http://h/////x"
            })
    void ordinaryUrlIsNoTrap(String url) {
        assertThat(new TrapGuard(Map.of()).judge(url)).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "PATH_DEPTH, http://h/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20/",
        "PATH_DEPTH, http://h//////////////////////",
        "REPEATED_SEGMENTS, http://h/a/a/a/a/a",
        "REPEATED_SEGMENTS, http://h/x/a/a/a/a/a/y?z",
        "REPEATED_SEGMENTS, http://h/a/b/a/b/a/b/",
        "REPEATED_SEGMENTS, http://h/a/b/c/d/e/f/a/b/c/d/e/f/a/b/c/d/e/f",
        "REPEATED_PARAMETERS, http://h/x?q=&q=&q=&q=&q=",
        "REPEATED_PARAMETERS, http://h/x?a=1&a=1&a=1",
        "REPEATED_PARAMETERS, http://h/x?a=1&amp;amp;amp;amp;amp;b=2",
        "REPEATED_PARAMETERS, http://h/x?u=/x?u=/x?u=/x"
    })
    void urlBeyondALimitIsNamedByIt(Trap trap, String url) {
        assertThat(new TrapGuard(Map.of()).judge(url)).isEqualTo(trap);
        assertThat(new TrapGuard(Map.of(trap, OFF)).judge(url)).isNull();
    }

    @Test
    void longUrlIsATrap() {
        String longest = "http://h/" + "a".repeat(Trap.LENGTH.defaultLimit() - 9);
        assertThat(new TrapGuard(Map.of()).judge(longest)).isNull();
        assertThat(new TrapGuard(Map.of()).judge(longest + "a")).isEqualTo(Trap.LENGTH);
    }

    @Test
    void manyParametersAreATrap() {
        StringBuilder url = new StringBuilder("http://h/?p");
        for (int i = 2; i <= Trap.PARAMETERS.defaultLimit(); i++) {
            url.append("&p=").append(i);
        }
        assertThat(new TrapGuard(Map.of()).judge(url.toString())).isNull();
        assertThat(new TrapGuard(Map.of()).judge(url + "&p")).isEqualTo(Trap.PARAMETERS);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://h/calendar?day=%d",
                "http://h/calendar/2024/%d",
                "http://h/x;jsessionid=AB%dCD",
                "http://h/?sid=x%dy&a=b",
                "http://h/p%d?",
                "http://h/?a%d"
            })
    void urlsOfOneShapeAreATrapWhenTheyAreMany(String pattern) {
        TrapGuard guard = new TrapGuard(Map.of(Trap.SHAPE, 100));
        for (int i = 0; i < 100; i++) {
            assertThat(guard.judge(pattern.replace("%d", "" + i))).isNull();
            guard.accepted(pattern.replace("%d", "" + i));
        }
        assertThat(guard.judge(pattern.replace("%d", "100"))).isEqualTo(Trap.SHAPE);
        assertThat(guard.judge(pattern.replace("%d", "100").replace("http://h/", "http://i/")))
                .isNull();
        assertThat(guard.judge(pattern.replace("%d", "100") + "/and&more")).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "http://h/a?b=1, http://h/a?b=2, true",
        "http://h/a?b=1, http://h/a?b, true",
        "http://h/a?b=1, http://h./a?b=2, true",
        "http://h/a?b=1, https://h/a?b=2, true",
        "http://h/a?b=x, http://h/a?c=x, false",
        "http://h/a/1, http://h/a/x, false",
        "http://h/a/1, http://h/a/1/, false",
        "http://h/a-1, http://h/a-2, true",
        "http://h/a-1-one, http://h/a-2-two, false",
        "http://h/3f2a9c, http://h/77e01b, true",
        "http://h/%E4%BD%A0, http://h/%E5%A5%BD, false",
        "http://h/a, http://h/b, false",
        "http://h/a?b=%26c=1, http://h/a?b=2, true"
    })
    void shapeIsWhatIsLeftWithoutNumbersAndValues(String one, String other, boolean same) {
        TrapGuard guard = new TrapGuard(Map.of(Trap.SHAPE, 1));
        guard.accepted(one);
        assertThat(guard.judge(one)).isEqualTo(Trap.SHAPE);
        assertThat(guard.judge(other)).isEqualTo(same ? Trap.SHAPE : null);
    }

    @Test
    void urlsOfOneHostAreATrapWhenTheyAreMany() {
        TrapGuard guard = new TrapGuard(Map.of(Trap.HOST, 50));
        for (int i = 0; i < 50; i++) {
            guard.accepted("http://h/" + "x".repeat(i));
        }
        assertThat(guard.judge("http://h/other")).isEqualTo(Trap.HOST);
        assertThat(guard.judge("http://h:81/other")).isEqualTo(Trap.HOST);
        assertThat(guard.judge("http://i/other")).isNull();
    }

    @Test
    void newHostsOfOneDomainAreATrapWhenTheyAreMany() {
        TrapGuard guard = new TrapGuard(Map.of(Trap.DOMAIN, 20));
        for (int i = 0; i < 20; i++) {
            guard.accepted("http://name" + i + ".evil.test/");
            guard.accepted("http://name" + i + ".evil.test/again");
        }
        assertThat(guard.judge("http://name20.evil.test/")).isEqualTo(Trap.DOMAIN);
        assertThat(guard.judge("http://name7.evil.test/more")).isNull();
        assertThat(guard.judge("http://good.test/")).isNull();
    }

    @Test
    void judgingCountsNothing() {
        TrapGuard guard = new TrapGuard(Map.of(Trap.SHAPE, 1, Trap.HOST, 1));
        for (int i = 0; i < 10; i++) {
            assertThat(guard.judge("http://h/" + i)).isNull();
        }
    }

    @Test
    void trapIsRememberedAmongAnyNumberOfOtherHosts() {
        TrapGuard guard = new TrapGuard(Map.of(Trap.SHAPE, 100, Trap.DOMAIN, OFF));
        int accepted = 0;
        for (int i = 0; i < 300_000; i++) {
            guard.accepted("http://name" + i + ".test/");
            if (i % 1000 == 0 && guard.judge("http://trap/?day=" + i) == null) {
                guard.accepted("http://trap/?day=" + i);
                accepted++;
            }
        }
        assertThat(accepted).isEqualTo(100);
    }

    @Test
    void countsOfRacingThreadsAreExact() throws Exception {
        TrapGuard guard = new TrapGuard(Map.of(Trap.HOST, 40_001, Trap.SHAPE, OFF));
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            Callable<Void> task = () -> {
                for (int i = 0; i < 5_000; i++) {
                    guard.accepted("http://h/" + i);
                }
                return null;
            };
            for (Future<Void> done : threads.invokeAll(Collections.nCopies(8, task))) {
                done.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(guard.judge("http://h/")).isNull();
        guard.accepted("http://h/");
        assertThat(guard.judge("http://h/")).isEqualTo(Trap.HOST);
    }

    @Test
    void aGuardOfHostsJudgesByShapeAndHostAlone() {
        TrapGuard guard = TrapGuard.ofHosts(
                Map.of(Trap.LENGTH, 10, Trap.PATH_DEPTH, 1, Trap.DOMAIN, 1, Trap.SHAPE, 1, Trap.HOST, 2), 7);
        String url = "http://a.evil.test/" + "a/".repeat(1000) + "?" + "a=b&".repeat(400);
        guard.accepted("http://b.evil.test/");
        assertThat(guard.judge(url)).isNull();
        guard.accepted(url);
        assertThat(guard.judge(url)).isEqualTo(Trap.SHAPE);
        guard.accepted("http://a.evil.test/x");
        assertThat(guard.judge("http://a.evil.test/y")).isEqualTo(Trap.HOST);
    }

    /** Accepts URLs until one is a trap, and notes the counts that are passed on; returns how many were accepted. */
    private static int acceptAll(TrapGuard guard, int most, Map<Long, Integer> counts) {
        int accepted = 0;
        for (; accepted < most && guard.judge("http://h/?day=" + accepted) == null; accepted++) {
            counts.putAll(guard.accepted("http://h/?day=" + accepted));
        }
        return accepted;
    }

    @ParameterizedTest
    @CsvSource({"SHAPE, 1000, 995, 990", "HOST, 1000, 995, 990", "SHAPE, 250, 101, 100", "HOST, 99, 50, 50"})
    void anotherGuardContinuesWithTheCountsUpToAHundredth(Trap trap, int limit, int first, int passedOn) {
        Map<Trap, Integer> limits = new EnumMap<>(Map.of(Trap.SHAPE, OFF, Trap.HOST, OFF));
        limits.put(trap, limit);
        Map<Long, Integer> counts = new HashMap<>();
        TrapGuard one = TrapGuard.ofHosts(limits, 7);
        assertThat(acceptAll(one, first, counts)).isEqualTo(first);
        assertThat(counts.values()).containsExactly(passedOn);

        TrapGuard next = TrapGuard.ofHosts(limits, 7);
        counts.forEach(next::raise);
        counts.forEach((key, count) -> next.raise(key, count / 2));

        assertThat(acceptAll(next, OFF, counts)).isEqualTo(limit - passedOn);
        TrapGuard other = TrapGuard.ofHosts(limits, 8);
        counts.forEach(other::raise);
        assertThat(acceptAll(other, OFF, counts)).as("with another seed").isEqualTo(limit);
    }

    @Test
    void withoutALimitNoCountIsPassedOn() {
        Map<Long, Integer> counts = new HashMap<>();
        TrapGuard guard = TrapGuard.ofHosts(Map.of(Trap.SHAPE, OFF, Trap.HOST, OFF), 7);
        assertThat(acceptAll(guard, 1000, counts)).isEqualTo(1000);
        assertThat(counts).isEmpty();
    }

    @Test
    void withAllLimitsOffNothingIsATrap() {
        TrapGuard guard = new TrapGuard(allOff());
        String url = "http://h/" + "a/".repeat(1000) + "?" + "a=b&".repeat(400);
        for (int i = 0; i < 1000; i++) {
            guard.accepted(url);
        }
        assertThat(guard.judge(url)).isNull();
    }

    @Test
    void longestUrlOfPartsIsJudgedWithoutAnyLimitOfDepth() {
        Map<Trap, Integer> limits = allOff();
        limits.put(Trap.REPEATED_SEGMENTS, 2);
        TrapGuard guard = new TrapGuard(limits);
        StringBuilder url = new StringBuilder("http://h");
        for (int i = 0; url.length() < UrlNormalizer.MAX_LENGTH - 8; i++) {
            url.append('/').append(Integer.toString(i, 36));
        }
        assertThat(guard.judge(url.toString())).isNull();
        assertThat(guard.judge(url + "/x/x/x/x/x")).isEqualTo(Trap.REPEATED_SEGMENTS);
    }

    @ParameterizedTest
    @EnumSource(Trap.class)
    void limitBelowOneIsRefusedByName(Trap trap) {
        assertThatThrownBy(() -> new TrapGuard(Map.of(trap, 0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(trap + " < 1: 0");
    }
}
