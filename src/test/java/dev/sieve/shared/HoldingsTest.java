package dev.sieve.shared;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Lease;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class HoldingsTest {
    private static final CrawlKeys KEYS = new CrawlKeys("a", 1);

    private final Holdings holdings = new Holdings(1, Long.MAX_VALUE);
    private final Slice slice = new Slice(0, KEYS.slice(0), new Run("run"), new byte[3][], List.of(), 0);

    @Test
    void aSliceIsNotReleasedBeforeItIsStoredWhatIsDoneInIt() {
        slice.renewed(0, 1000);
        holdings.add(slice);
        holdings.add(slice, 1, new Frame(new byte[] {0, 2, 0, 0, 0, 0, 0, 1, 'a', 0, 1, 'b'}), new BitSet());
        Lease first = holdings.next(0, 0);
        Lease second = holdings.next(0, 0);
        assertThat(holdings.begin(first, 0)).isTrue();
        assertThat(holdings.begin(second, 0)).isTrue();
        holdings.leave(slice, 100);
        assertThat(holdings.releasable(99)).isEmpty();

        // As between a flush of what is done and the release.
        assertThat(holdings.done(first, 99)).isTrue();
        assertThat(holdings.releasable(100)).isEmpty();
        assertThat(holdings.done(second, 99)).isTrue();
        assertThat(holdings.releasable(99)).isEmpty();
        DoneCall call = holdings.doneCall(slice);
        assertThat(holdings.releasable(99)).isEmpty();
        holdings.stored(slice, call);

        assertThat(holdings.releasable(99)).containsExactly(slice);
    }
}
