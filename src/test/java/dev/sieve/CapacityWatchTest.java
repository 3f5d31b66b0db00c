package dev.sieve;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sieve.bloom.BloomFilter;
import dev.sieve.bloom.ExactSet;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

class CapacityWatchTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.sieve.capacity");
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final List<CapacityEvent> events = new ArrayList<>();

    private static final List<Double> SIZES = List.of(0.8, 1.0, 2.0, 4.0, 8.0, 16.0);

    @BeforeEach
    void listen() {
        log.start();
        logger.addAppender(log);
        logger.setAdditive(false);
        logger.setLevel(Level.WARN);
    }

    @AfterEach
    void leave() {
        logger.detachAppender(log);
        logger.setAdditive(true);
        logger.setLevel(null);
    }

    @Test
    void eachThresholdIsToldOnceHoweverManyUrlsFollow() {
        Sieve sieve = Sieve.builder()
                .capacity(100_000)
                .onCapacity(events::add)
                .seed(3)
                .build();

        for (int i = 0; i < 1_000_000; i++) {
            sieve.push("http://host" + i % 1000 + ".example/" + i);
        }

        assertThat(log.list).hasSameSizeAs(events);
        List<Integer> sizes = IntStream.range(0, events.size())
                .filter(i -> SIZES.contains(events.get(i).threshold()))
                .boxed()
                .toList();
        assertThat(sizes)
                .extracting(i -> events.get(i).threshold())
                .startsWith(0.8, 1.0, 2.0, 4.0)
                .hasSizeBetween(4, 8)
                .doesNotHaveDuplicates();
        assertThat(sizes.subList(0, 4))
                .extracting(i -> log.list.get(i).getLevel())
                .containsExactly(Level.WARN, Level.WARN, Level.ERROR, Level.ERROR);
        assertThat(events)
                .filteredOn(event -> !SIZES.contains(event.threshold()))
                .extracting(event -> (int) Math.log10(event.estimatedMissed()))
                .containsExactly(0, 1, 2, 3, 4, 5);
    }

    @Test
    void missedPagesOfAnEarlierRunAreNotPublishedAgain() {
        CapacityWatch watch = new CapacityWatch(BloomFilter.create(100, 0.01, 3), 100, OnFull.WARN, events::add);
        watch.restore(12, 0);

        watch.announceDue();
        watch.publish();

        assertThat(events).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = FilterKind.class,
            names = {"SPLIT_BLOCKS", "CLASSIC"})
    void filterThatIsFullOfBitsIsSaidToMissMore(FilterKind kind) {
        for (int batch : new int[] {1, 1000}) {
            Sieve sieve = Sieve.builder()
                    .capacity(9)
                    .filter(kind)
                    .falsePositiveRate(0.01)
                    .seed(3)
                    .build();
            int accepted = 0;
            for (int i = 0; i < 4000; i += batch) {
                accepted += sieve.pushAll(SieveTest.urls(4000).subList(i, i + batch));
            }

            SieveStats stats = sieve.stats();
            assertThat(stats.isLowerBound()).isTrue();
            assertThat(stats.estimatedMissed()).isBetween(1.0, 4000.0 - accepted);
            assertThat(stats.toString()).contains(", at least ");
        }
    }

    @Test
    void anEventThatIsDueIsPublishedOnClose() {
        Sieve sieve = Sieve.builder()
                .capacity(102_400)
                .onCapacity(events::add)
                .seed(3)
                .build();
        int url = 0;
        while (sieve.stats().estimatedSize() < 81_920) {
            sieve.push("http://host/" + url++);
        }
        assertThat(events).isEmpty();

        sieve.close();
        sieve.close();

        assertThat(events).extracting(CapacityEvent::threshold).containsExactly(0.8);
        assertThat(log.list.get(0).getFormattedMessage()).contains(", less than one page missed so far; ");
    }

    @Test
    void anEventSaysHowFullTheSieveIsAndWhatThatCosts() {
        Sieve sieve = Sieve.builder()
                .capacity(10_000)
                .falsePositiveRate(0.01)
                .onCapacity(events::add)
                .seed(3)
                .build();

        sieve.pushAll(SieveTest.urls(10_500));

        int passed = events.stream().map(CapacityEvent::threshold).toList().indexOf(1.0);
        CapacityEvent full = events.get(passed);
        assertThat((double) full.estimatedSize()).isBetween(10_000.0, 10_120.0);
        assertThat(full.capacity()).isEqualTo(10_000);
        assertThat(full.falsePositiveRate()).isBetween(0.008, 0.012);
        assertThat(full.estimatedMissed()).isBetween(5.0, 30.0);
        ILoggingEvent line = log.list.get(passed);
        assertThat(line.getFormattedMessage())
                .contains("100 %", "of 10,000 URLs", "false-positive rate 0.0", "pages missed so far");
        assertThat(line.getKeyValuePairs())
                .extracting(pair -> pair.key)
                .containsExactly("event", "threshold", "size", "capacity", "rate", "missed");
    }

    @Test
    void theEstimateOfMissedPagesIsNearTheTruth() {
        int pushed = 40_000;
        Sieve sieve =
                Sieve.builder().capacity(10_000).falsePositiveRate(0.01).seed(5).build();

        int accepted = sieve.pushAll(SieveTest.urls(pushed));

        double missed = pushed - accepted;
        assertThat(sieve.stats().estimatedMissed()).isBetween(missed * 0.97, missed * 1.03);
    }

    @Test
    void aSieveThatGrowsWarnsAndNeverCallsItAnError() {
        Sieve sieve = Sieve.builder()
                .capacity(1000)
                .onFull(OnFull.GROW)
                .onCapacity(events::add)
                .seed(1)
                .build();

        sieve.pushAll(SieveTest.urls(10_000));

        assertThat(events).extracting(CapacityEvent::threshold).containsExactly(0.8, 1.0, 2.0, 4.0, 8.0);
        assertThat(log.list).extracting(ILoggingEvent::getLevel).containsExactly(Level.WARN, Level.WARN);
    }

    @Test
    void aSetThatMissesNothingHasNothingToTell() {
        Sieve sieve = Sieve.builder()
                .capacity(100)
                .membership(ExactSet.create(0))
                .onCapacity(events::add)
                .build();

        assertThat(sieve.pushAll(SieveTest.urls(1000))).isEqualTo(1000);

        assertThat(events).isEmpty();
        assertThat(log.list).isEmpty();
        assertThat(sieve.stats().estimatedMissed()).isLessThan(1e-20);
    }

    @Test
    void aCallbackThatThrowsDoesNotUndoThePush() {
        Sieve sieve = Sieve.builder()
                .capacity(10)
                .onCapacity(event -> {
                    throw new IllegalStateException("mine");
                })
                .build();

        sieve.pushAll(SieveTest.urls(20));

        assertThat(sieve.pending()).isGreaterThan(15);
        assertThat(log.list).anyMatch(line -> line.getFormattedMessage().contains("listener failed"));
    }
}
