package dev.sieve.io;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LruMapTest {
    private final LruMap<Integer> map = new LruMap<>(10_000, Integer::longValue);

    @Test
    void theLeastRecentlyUsedIsDroppedWhenTheBytesAreUsedUp() {
        for (int i = 0; i < 1000; i++) {
            map.put("key" + i, 872);
            assertThat(map.get("key0")).isEqualTo(872);
            assertThat(map.bytes()).isLessThanOrEqualTo(10_000);
        }
        assertThat(map.get("key1")).isNull();
        assertThat(map.get("key999")).isEqualTo(872);
    }

    @Test
    void whatIsReplacedOrRemovedNoLongerCounts() {
        assertThat(map.put("a", 100)).isNull();
        long one = map.bytes();
        assertThat(map.put("a", 300)).isEqualTo(100);
        assertThat(map.bytes()).isEqualTo(one + 200);
        assertThat(map.merge("a", 1, Integer::sum)).isEqualTo(301);
        assertThat(map.merge("b", 7, Integer::sum)).isEqualTo(7);
        map.remove("a");
        map.remove("b");
        map.remove("c");
        assertThat(map.bytes()).isZero();
    }

    @Test
    void whatIsLargerThanAllOfItIsNotKept() {
        map.put("a", 1);
        map.put("large", 20_000);

        assertThat(map.get("large")).isNull();
        assertThat(map.bytes()).isZero();
    }
}
