package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sieve.FilterKind;
import dev.sieve.bloom.BloomFilter;
import dev.sieve.bloom.CountingBloomFilter;
import dev.sieve.bloom.ExactSet;
import dev.sieve.bloom.GrowingBloomFilter;
import dev.sieve.bloom.Membership;
import dev.sieve.bloom.SplitBlockFilter;
import java.util.List;
import java.util.SplittableRandom;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlanTest {

    @Test
    void aBillionUrlsTakeWhatTheFormulaSays() {
        List<String> lines = new PlanCommand.Table(1_000_000_000, 1e-4).lines();

        assertThat(lines.get(0)).startsWith("1,000,000,000 URLs;").contains("0.01 %");
        assertThat(line(lines, "classic")).contains("2.40 GB", " 2.4 ", " 13 ", "0.01 %");
        assertThat(line(lines, "theoretical minimum")).contains("1.66 GB", "1.66");
        assertThat(String.join("\n", lines))
                .contains("\"A billion URLs at 0.01 % in 18 MB\" is impossible")
                .contains("1.66 GB, 92 times that")
                .contains("18 MB is enough for 7.51 M URLs at 0.01 %")
                .contains("accepts 144 M and misses 856 M");
    }

    /** With one hash every key that is let through sets one bit: m (1 - e^(-n/m)) of n are. */
    @Test
    void whatAnOverfullFilterMissesAgreesWithTheClosedForm() {
        PlanCommand.Table.Kind kind = new PlanCommand.Table.Kind("", 0, "", keys -> -Math.expm1(-keys / 144e6));

        assertThat(kind.missed(1_000_000_000))
                .isCloseTo(1e9 + 144e6 * Math.expm1(-1e9 / 144e6), Percentage.withPercentage(0.001));
    }

    @Test
    void theKindThatASieveTakesIsMarked() {
        assertThat(line(new PlanCommand.Table(1000, 1e-4).lines(), "split-blocks"))
                .startsWith("split-blocks * ");
        assertThat(line(new PlanCommand.Table(1000, 1e-12).lines(), "classic")).startsWith("classic * ");
    }

    @Test
    void everyFilterThatCanBeChosenIsShownByItsName() {
        List<String> lines = new PlanCommand.Table(1000, 1e-4).lines();

        for (FilterKind kind : FilterKind.values()) {
            assertThat(line(lines, kind.toString())).contains("kB");
        }
    }

    @Test
    void moreThanOneFilterHoldsIsSaid() {
        assertThat(new PlanCommand.Table(1_000_000_000, 1e-4).lines())
                .noneMatch(line -> line.contains("One filter holds"));
        assertThat(new PlanCommand.Table(100_000_000_000L, 1e-4).lines())
                .anyMatch(line -> line.contains("One filter holds at most"));
    }

    @ParameterizedTest
    @CsvSource({
        "1, 0.5",
        "1, 1e-15",
        "1000000, 1e-4",
        "1000000000000000, 0.5",
        "1000000000000000, 1e-15",
        "12345, 0.0123456"
    })
    void linesHaveAtMost100ColumnsAndTheTableIsAligned(long urls, double rate) {
        List<String> lines = new PlanCommand.Table(urls, rate).lines();

        assertThat(lines).allMatch(line -> line.length() <= 100).noneMatch(line -> line.endsWith(" "));
        assertThat(lines).noneMatch(line -> line.contains("NaN") || line.contains("Infinity"));
        assertThat(lines.subList(3, 10)).extracting(String::length).containsOnly(100);
        assertThat(lines.subList(3, 10))
                .allMatch(line -> line.substring(46, 100).matches("( .{8}){6}"));
    }

    /** Filters are filled with the keys of a seeded generator, so that what the plan says is seen to happen. */
    @ParameterizedTest
    @CsvSource({"0.01, 100000", "0.001, 50000"})
    void filtersThatAreFilledTakeAndMissWhatThePlanSays(double rate, int urls) {
        List<Membership> filters = List.of(
                SplitBlockFilter.create(urls, rate, 0),
                BloomFilter.create(urls, rate, 0),
                GrowingBloomFilter.create(urls, rate, 0),
                CountingBloomFilter.create(urls, rate, 0),
                ExactSet.create(0));
        List<PlanCommand.Table.Kind> kinds = new PlanCommand.Table(urls, rate).kinds();
        for (int i = 0; i < filters.size(); i++) {
            Membership filter = filters.get(i);
            PlanCommand.Table.Kind kind = kinds.get(i);
            if (!(filter instanceof ExactSet)) {
                assertThat((double) filter.memoryBytes())
                        .as(kind.name())
                        .isCloseTo(kind.bytes(), Percentage.withPercentage(0.5));
            }
            SplittableRandom keys = new SplittableRandom(17);
            long pushed = 0;
            long missed = 0;
            for (int load = 1; load <= 4; load *= 2) {
                for (; pushed < (long) load * urls; pushed++) {
                    missed += filter.add(keys.nextLong(), keys.nextLong()) ? 0 : 1;
                }
                double expected = kind.missed(pushed);
                assertThat((double) missed)
                        .as("%s, missed until %sx", kind.name(), load)
                        .isCloseTo(expected, within(5 * Math.sqrt(expected) + 0.01 * expected));
                assertThat(filter.falsePositiveRate())
                        .as("%s at %sx", kind.name(), load)
                        .isCloseTo(kind.rate().applyAsDouble(pushed), Percentage.withPercentage(4));
            }
        }
    }

    @Test
    void anExactSetTakesNoMoreThanThePlanSays() {
        ExactSet set = ExactSet.create(0);
        SplittableRandom keys = new SplittableRandom(18);
        for (int i = 0; i < 200_000; i++) {
            set.add(keys.nextLong(), keys.nextLong());
        }

        assertThat((double) set.memoryBytes())
                .isLessThanOrEqualTo(
                        new PlanCommand.Table(200_000, 0.01).kinds().get(4).bytes());
    }

    @Test
    void theCommandPrintsThePlan() {
        Run run = Run.of(Main.commandLine(), "plan", "--urls", "1G", "--miss-rate", "0.01%");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out().lines()).containsExactlyElementsOf(new PlanCommand.Table(1_000_000_000, 1e-4).lines());
        assertThat(run.err()).isEmpty();
    }

    @Test
    void theCommandPlansAMillionUrlsByDefault() {
        assertThat(Run.of(Main.commandLine(), "plan").out())
                .startsWith("1,000,000 URLs;")
                .contains("0.01 %");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "0.001, <0.01",
        "0.0567, 0.057",
        "12.34, 12",
        "12345.6, '12,346'",
        "999999.6, 1 M",
        "1234567, 1.23 M",
        "5e14, 500 T"
    })
    void countsAreReadable(double value, String text) {
        assertThat(Units.count(value)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "1, 100 %",
        "0.9995, >99 %",
        "0.3849, 38 %",
        "1e-4, 0.01 %",
        "1e-5, 0.001 %",
        "4.53e-6, 4.5e-6",
        "1e-8, 1e-8",
        "2.9e-30, 2.9e-30"
    })
    void sharesAreReadable(double value, String text) {
        assertThat(Units.percent(value)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"--urls, many", "--urls, 0", "--miss-rate, 2", "--miss-rate, 0"})
    void badValuesEndWithCode2AndOneLineThatNamesTheOption(String option, String value) {
        Run run = Run.of(Main.commandLine(), "plan", option, value);

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err().lines()).singleElement().asString().contains(option, value);
        assertThat(run.out()).isEmpty();
    }

    private static String line(List<String> lines, String start) {
        return lines.stream().filter(line -> line.startsWith(start)).findFirst().orElseThrow();
    }

    @Test
    void onlyAPlanForABillionSpeaksOfTheBillion() {
        assertThat(new PlanCommand.Table(999_999_999, 1e-4).lines()).noneMatch(line -> line.contains("18 MB"));
        assertThat(new PlanCommand.Table(1_000_000_000, 1e-4).lines()).anyMatch(line -> line.contains("18 MB"));
    }

    @Test
    void theNumberOfUrlsNeedsNoOption() {
        assertThat(Run.of(Main.commandLine(), "plan", "1e9"))
                .isEqualTo(Run.of(Main.commandLine(), "plan", "--urls", "1e9"));
        assertThat(Run.of(Main.commandLine(), "plan")).isEqualTo(Run.of(Main.commandLine(), "plan", "1M"));
        assertThat(Run.of(Main.commandLine(), "plan", "1M", "--urls", "2M").exitCode())
                .isEqualTo(2);
    }
}
