package dev.sieve.shared;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Lease;
import java.lang.reflect.Modifier;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HoldingsTest {
    /** A frame of two empty URLs. */
    private static final byte[] TWO_URLS = {0, 2, 0, 0, 0, 0, 0, 0, 0, 0};

    private static final CrawlKeys KEYS = new CrawlKeys("a", 3, 0);

    private final Holdings holdings = new Holdings(3, Long.MAX_VALUE);
    private final Slice slice = slice(0);

    private static Slice slice(int index) {
        return new Slice(KEYS.slice(index), new Session.Run("run"), new byte[3][], 0);
    }

    /** Adds a slice that is owned until a time, with two frames of two URLs. */
    private void add(Slice added, long endNanos) {
        holdings.add(added, new Slice.Term(endNanos, endNanos), Map.of(), false, null);
        holdings.add(added, 1, new Frame(TWO_URLS), new BitSet());
        holdings.add(added, 2, new Frame(TWO_URLS), new BitSet());
    }

    @Test
    void holdingsOfDroppedSlicesAreForgotten() {
        Slice kept = slice(1);
        for (Slice each : List.of(slice, slice(2), kept)) {
            add(each, each == kept ? 9000 : 900);
        }
        List<Lease> leases = Stream.generate(() -> holdings.next(0, 0)).limit(9).toList();
        assertThat(holdings.done(leases.get(0), false, 0)).isTrue();
        assertThat(holdings.held()).isEqualTo(8);

        assertThat(holdings.begin(leases.get(4), 900)).isFalse();

        assertThat(holdings.slices()).containsExactly(kept);
        assertThat(holdings.owned()).isEqualTo(1);
        assertThat(holdings.unsentDone()).isZero();
        assertThat(holdings.held()).isEqualTo(1);
        assertThat(holdings.begin(leases.get(8), 900)).isTrue();
        assertThat(Stream.generate(() -> holdings.next(0, 900))
                        .takeWhile(Objects::nonNull)
                        .count())
                .isEqualTo(3);
    }

    @Test
    void aSliceIsNotReleasedBeforeItIsStoredWhatIsDoneInIt() {
        add(slice, 900);
        Lease first = holdings.next(0, 0);
        Lease second = holdings.next(0, 0);
        assertThat(holdings.begin(first, 0)).isTrue();
        assertThat(holdings.begin(second, 0)).isTrue();
        holdings.giveBack(0, 100);
        assertThat(holdings.releasable(99)).isEmpty();

        // As between a flush of what is done and the release.
        assertThat(holdings.done(first, false, 99)).isTrue();
        assertThat(holdings.releasable(100)).isEmpty();
        assertThat(holdings.done(second, true, 99)).isTrue();
        assertThat(holdings.releasable(99)).isEmpty();
        long seal = holdings.seal();
        assertThat(holdings.doneCall(slice)).as("not safe").isNull();
        holdings.confirm(seal);
        TakenFrame.DoneCall call = holdings.doneCall(slice);
        assertThat(holdings.releasable(99)).isEmpty();
        holdings.stored(slice, call);

        assertThat(holdings.releasable(99)).containsExactly(slice);
    }

    @Test
    void aRequestThatIsNotSentDoesNotKeepItsSlice() {
        add(slice, 900);
        Lease lease = holdings.next(0, 0);
        assertThat(holdings.begin(lease, 0)).isTrue();
        assertThat(holdings.begin(lease, 0)).isTrue();
        holdings.giveBack(0, 100);
        assertThat(holdings.releasable(0)).isEmpty();

        assertThat(holdings.begin(lease, 0)).isFalse();

        assertThat(holdings.releasable(0)).containsExactly(slice);
    }

    @ParameterizedTest
    @ValueSource(classes = {Holdings.class, Totals.class, RepeatableWrites.Recent.class})
    void everyMethodThatIsNotPrivateIsSynchronized(Class<?> guarded) {
        assertThat(guarded.getDeclaredFields())
                .as("state is private")
                .allMatch(field -> Modifier.isPrivate(field.getModifiers()) || field.isSynthetic());
        assertThat(guarded.getDeclaredMethods())
                .filteredOn(method -> (method.getModifiers() & (Modifier.PRIVATE | Modifier.STATIC)) == 0)
                .allMatch(method -> Modifier.isSynchronized(method.getModifiers()));
    }
}
