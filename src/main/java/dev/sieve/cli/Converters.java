package dev.sieve.cli;

import dev.sieve.FilterKind;
import dev.sieve.bloom.BloomSize;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The forms in which options take numbers, times and rates. */
final class Converters {
    private Converters() {}

    /**
     * A whole number of at least 0 and at most {@value #MOST} as an option takes it: {@code 1000000}, {@code 1_000_000},
     * {@code 1e6}, or with {@code k}, {@code M}, {@code G} or {@code T} for thousand to trillion, {@code 1.5M}.
     */
    static final class Quantity implements ITypeConverter<Long> {
        static final long MOST = 1_000_000_000_000_000L;

        private static final Pattern FORM =
                Pattern.compile("([0-9](?:_?[0-9]){0,30}(?:\\.[0-9]{1,15})?(?:[eE][0-9]{1,2})?)([kmgtKMGT]?)");
        private static final String SUFFIXES = "kmgt";

        @Override
        public Long convert(String text) {
            Matcher matcher = FORM.matcher(text);
            if (!matcher.matches()) {
                throw new TypeConversionException("'" + text + "' is not a number; use 1000000, 1_000_000, 1M or 1e6");
            }
            int thousands = matcher.group(2).isEmpty()
                    ? 0
                    : 1 + SUFFIXES.indexOf(matcher.group(2).toLowerCase(Locale.ROOT));
            BigDecimal value = new BigDecimal(matcher.group(1).replace("_", "")).scaleByPowerOfTen(3 * thousands);
            if (value.stripTrailingZeros().scale() > 0) {
                throw new TypeConversionException("'" + text + "' is not a whole number");
            }
            if (value.compareTo(BigDecimal.valueOf(MOST)) > 0) {
                throw new TypeConversionException("'" + text + "' is more than 1e15");
            }
            return value.longValueExact();
        }
    }

    /**
     * A time of at least 0 and at most a year as an option takes it: {@code 500ms}, {@code 1s}, {@code 1.5m}, {@code 2h},
     * {@code 1d}; a number without a unit means seconds. Anything below a nanosecond is dropped.
     */
    static final class TimeSpan implements ITypeConverter<Duration> {
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
                throw new TypeConversionException("'" + text + "' is not a time; use 500ms, 1s, 10m or 2h");
            }
            Duration unit = UNITS.get(matcher.group(2) == null ? "s" : matcher.group(2));
            BigDecimal nanos = new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(unit.toNanos()));
            if (nanos.compareTo(BigDecimal.valueOf(MOST.toNanos())) > 0) {
                throw new TypeConversionException("'" + text + "' is more than 365d");
            }
            return Duration.ofNanos(nanos.longValue());
        }
    }

    /**
     * The share of new pages that may be taken for seen ones, as an option takes it: {@code 0.0001}, {@code 1e-4} or {@code
     * 0.01%}. From {@link BloomSize#MIN_RATE} to {@link BloomSize#MAX_RATE}.
     */
    static final class MissRate implements ITypeConverter<Double> {
        private static final Pattern FORM =
                Pattern.compile("(?:[0-9]{1,30}(?:\\.[0-9]{1,30})?|\\.[0-9]{1,30})(?:[eE]-?[0-9]{1,3})?( ?%)?");

        @Override
        public Double convert(String text) {
            if (!FORM.matcher(text).matches()) {
                throw new TypeConversionException("'" + text + "' is not a rate; use 0.0001, 1e-4 or 0.01%");
            }
            double rate = text.endsWith("%")
                    ? Double.parseDouble(text.substring(0, text.length() - 1)) / 100
                    : Double.parseDouble(text);
            if (rate < BloomSize.MIN_RATE || rate > BloomSize.MAX_RATE) {
                throw new TypeConversionException(
                        "'" + text + "' is not between " + BloomSize.MIN_RATE + " and " + BloomSize.MAX_RATE);
            }
            return rate;
        }
    }

    /** A filter by its name, in any case. */
    static final class Filter implements ITypeConverter<FilterKind> {
        @Override
        public FilterKind convert(String text) {
            return Stream.of(FilterKind.values())
                    .filter(kind -> name(kind).equalsIgnoreCase(text))
                    .findFirst()
                    .orElseThrow(() -> new TypeConversionException("'" + text + "' is not a filter; choose one of "
                            + Stream.of(FilterKind.values())
                                    .map(Converters::name)
                                    .collect(Collectors.joining(", "))));
        }
    }

    /** The form in which options take the constant of an enum: {@code split-blocks}. */
    static String name(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
