package dev.sieve.io;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
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

    @Test
    void valuesThatAreLastStayUntilAllOthersAreDropped() {
        List<String> dropped = new ArrayList<>();
        LruMap<Boolean> map = new LruMap<>(3 * 200, value -> 71, value -> value, (key, value) -> dropped.add(key));
        map.put("a", true);
        map.put("b", false);
        map.put("c", true);
        map.put("d", false);
        map.put("e", true);
        map.put("f", true);

        assertThat(dropped).containsExactly("b", "d", "a");
    }
}
