package dev.sieve.cli;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A time of at least 0 and at most a year as an option takes it: {@code 500ms}, {@code 1s}, {@code 1.5m}, {@code 2h},
 * {@code 1d}; a number without a unit means seconds. Anything below a nanosecond is dropped.
 */
final class TimeSpan implements ITypeConverter<Duration> {
    private static final Pattern FORM = Pattern.compile("([0-9]{1,12}(?:\\.[0-9]{1,12})?)(ms|s|m|h|d)?");
    private static final Map<String, Duration> UNITS = Map.of(
            "ms", Duration.ofMillis(1),
            "s", Duration.ofSeconds(1),
            "m", Duration.ofMinutes(1),
            "h", Duration.ofHours(1),
            "d", Duration.ofDays(1));
    private static final Duration MOST = Duration.ofDays(365);

    @Override
    public Duration convert(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new TypeConversionException("'" + text + "' is no time; write 500ms, 1s, 10m or 2h");
        }
        Duration unit = UNITS.get(matcher.group(2) == null ? "s" : matcher.group(2));
        BigDecimal nanos = new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(unit.toNanos()));
        if (nanos.compareTo(BigDecimal.valueOf(MOST.toNanos())) > 0) {
            throw new TypeConversionException("'" + text + "' is more than 365d");
        }
        return Duration.ofNanos(nanos.longValue());
    }
}
