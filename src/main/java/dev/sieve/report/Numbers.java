package dev.sieve.report;

import dev.sieve.SieveStats;
import dev.sieve.crawl.Counter;
import dev.sieve.crawl.CrawlReport;
import dev.sieve.output.Change;
import dev.sieve.output.Verdict;
import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Numbers as they are shown to people, independent of the language of the machine. */
public final class Numbers {
    private static final String[] UNITS = {"B", "kB", "MB", "GB", "TB", "PB"};
    private static final double SMALLEST_PERCENTAGE = 1e-6;
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss 'UTC'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private Numbers() {}

    /** Formats as {@link String#format} does. */
    public static String text(String format, @Nullable Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    static String count(long number) {
        // A report has thousands of numbers, and a format takes most of the time for each of them.
        StringBuilder digits = new StringBuilder().append(number);
        for (int i = digits.length() - 3; i > 0 && digits.charAt(i - 1) != '-'; i -= 3) {
            digits.insert(i, ',');
        }
        return digits.toString();
    }

    /** A number that is not negative, with up to two decimals. */
    static String decimals(double value, int decimals) {
        long unit = decimals == 0 ? 1 : decimals == 1 ? 10 : 100;
        long scaled = Math.round(unit * value);
        String fraction = String.valueOf(unit + scaled % unit).substring(1);
        return count(scaled / unit) + (decimals == 0 ? "" : "." + fraction);
    }

    /** A text with a capital letter at its beginning. */
    static String sentence(String text) {
        return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
    }

    /** A number of things, by the name of one: {@code 1 line}, {@code 2,000 lines}. */
    public static String count(long number, String thing) {
        return count(number) + " " + thing + (number == 1 ? "" : "s");
    }

    /** What has become of pages, by how many of each change there are: {@code 2 changed (1 only in the markup), 1 gone}. */
    public static String changes(ToLongFunction<Change> count, long sameText) {
        return Arrays.stream(Change.values())
                .filter(change -> count.applyAsLong(change) > 0)
                .map(change -> count(count.applyAsLong(change)) + " " + change.text()
                        + (change == Change.CHANGED && sameText > 0
                                ? " (" + count(sameText) + " only in the markup)"
                                : ""))
                .collect(Collectors.joining(", "));
    }

    /** The parts of a number: {@code  (robots.txt 12, too deep 3)} after a space; empty without parts. */
    public static String parts(Map<String, Long> parts) {
        return parts.isEmpty() ? "" : " (" + list(parts) + ")";
    }

    private static String list(Map<String, Long> numbers) {
        return numbers.entrySet().stream()
                .map(each -> each.getKey() + " " + count(each.getValue()))
                .collect(Collectors.joining(", "));
    }

    /** Returns whether a filter has probably missed a page. */
    public static boolean missesPages(SieveStats sieve) {
        return sieve.estimatedMissed() >= 1;
    }

    /** Returns twice the URLs found, those missed included, in one significant digit: missed pages link to more. */
    public static long recommendedCapacity(SieveStats sieve) {
        return recommendedCapacity(sieve.estimatedSize() + sieve.estimatedMissed());
    }

    /** Returns twice a number of URLs in one significant digit. */
    public static long recommendedCapacity(double urls) {
        double unit = Math.pow(10, Math.floor(Math.log10(2 * urls)));
        return (long) (Math.ceil(2 * urls / unit) * unit);
    }

    /** Bytes in powers of 1000, to about three digits. */
    public static String bytes(long bytes) {
        double value = bytes;
        int unit = 0;
        for (; value >= 999.5 && unit < UNITS.length - 1; unit++) {
            value /= 1000;
        }
        int decimals = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
        return decimals(value, decimals) + " " + UNITS[unit];
    }

    static String millis(long millis) {
        if (millis < 1000) {
            return millis + " ms";
        }
        long seconds = millis / 1000;
        return seconds < 60
                ? text(seconds < 10 ? "%.2f s" : "%.1f s", millis / 1e3)
                : text("%d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60);
    }

    /** A number of which the size matters: {@code <0.01}, {@code 0.57}, {@code 12,345}. */
    public static String about(double value) {
        return value < 0.01 && value != 0 ? "<0.01" : value < 99.5 ? significant(value, 2) : count(Math.round(value));
    }

    /** A share in percent, without the sign: {@code <0.000001}, {@code 0.000081}, {@code 178}. */
    static String percentage(double share) {
        double percent = 100 * share;
        return percent < SMALLEST_PERCENTAGE && percent != 0
                ? "<0.000001"
                : percent < 99.5 ? significant(percent, 2) : count(Math.round(percent));
    }

    static String percent(double share) {
        return percentage(share) + " %";
    }

    /** The number with this many digits, or rounded to an integer if that has more: {@code 1.66}, {@code 1234}. */
    public static String significant(double value, int digits) {
        BigDecimal rounded = value >= Math.pow(10, digits)
                ? new BigDecimal(Math.rint(value))
                : new BigDecimal(value).round(new MathContext(digits));
        return rounded.signum() == 0 ? "0" : rounded.stripTrailingZeros().toPlainString();
    }

    static String time(long epochMillis) {
        return TIME.format(Instant.ofEpochMilli(Math.min(epochMillis, 253_402_300_799_000L)));
    }

    /** Returns the verdict on a crawl without a page: each reason, and how often. */
    public static String noPage(CrawlReport report) {
        Map<String, Long> all = new TreeMap<>(report.by(Counter.FAILURES));
        report.by(Counter.REFUSED).forEach((reason, count) -> all.merge(reason, count, Long::sum));
        Counter.ofOthers().forEach(each -> addResponders(each, report.by(each), all));
        return noPage(all);
    }

    /** Adds the names of what has responded in place of sites to reasons. */
    static void addResponders(Counter counter, Map<String, Long> numbers, Map<String, Long> reasons) {
        Verdict verdict = Objects.requireNonNull(counter.verdict());
        numbers.forEach((name, number) -> reasons.put(verdict.named(name), number));
    }

    static String noPage(Map<String, Long> reasons) {
        return "no page could be fetched: " + list(reasons);
    }
}
