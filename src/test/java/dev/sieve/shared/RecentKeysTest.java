package dev.sieve.shared;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.bloom.Murmur3;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RecentKeysTest {
    private final Session.Run run = new Session.Run("1");

    @Test
    void aKeyThatWasAddedIsFoundAndNoOther() {
        RecentKeys keys = new RecentKeys(1 << 16);
        RecentKeys.Table table = keys.of(run);
        for (int i = 0; i < 1000; i++) {
            long[] hash = hash(i);
            assertThat(table.contains(hash[0], hash[1])).isFalse();
            table.add(hash[0], hash[1]);
            assertThat(table.contains(hash[0], hash[1])).isTrue();
        }
        assertThat(found(table, 0, 1000)).isGreaterThan(900);
        assertThat(found(table, 1000, 100_000)).isZero();
    }

    @Test
    void bothWordsCount() {
        RecentKeys.Table table = new RecentKeys(1 << 10).of(run);
        table.add(1, 2);

        assertThat(table.contains(1, 2)).isTrue();
        assertThat(table.contains(1, 3)).isFalse();
        assertThat(table.contains(3, 2)).isFalse();
        assertThat(table.contains(0, 0)).isFalse();
        table.add(0, 0);
        assertThat(table.contains(0, 0)).isTrue();
    }

    @Test
    void aFullTableForgetsOldKeysFirst() {
        RecentKeys.Table table = new RecentKeys(1 << 16).of(run);
        IntStream.range(0, 100_000).mapToObj(RecentKeysTest::hash).forEach(hash -> table.add(hash[0], hash[1]));

        assertThat(found(table, 99_000, 100_000)).isGreaterThan(900);
        assertThat(found(table, 0, 1000)).isZero();
    }

    @Test
    void aNewRunOfTheEngineStartsWithNone() {
        RecentKeys keys = new RecentKeys(1 << 16);
        RecentKeys.Table first = keys.of(run);
        first.add(1, 2);
        assertThat(keys.of(run)).isSameAs(first);

        RecentKeys.Table second = keys.of(new Session.Run("1"));

        assertThat(second).isNotSameAs(first);
        assertThat(second.contains(1, 2)).isFalse();
        assertThat(keys.of(run).contains(1, 2)).isFalse();
    }

    @Test
    void withoutMemoryNothingIsFound() {
        RecentKeys.Table table = new RecentKeys(0).of(run);
        table.add(1, 2);

        assertThat(table.contains(1, 2)).isFalse();
    }

    private static int found(RecentKeys.Table table, int from, int to) {
        return (int) IntStream.range(from, to)
                .mapToObj(RecentKeysTest::hash)
                .filter(hash -> table.contains(hash[0], hash[1]))
                .count();
    }

    private static long[] hash(int i) {
        return Murmur3.hash("http://host/" + i, 5);
    }
}
