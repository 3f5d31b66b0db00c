package dev.sieve.cli;

import static java.util.stream.Collectors.joining;

import dev.sieve.bloom.BloomSize;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Stack;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.TypeConversionException;

/** The formats in which options take their values. */
final class Converters {
    private Converters() {}

    private static Matcher matched(Pattern form, String text, String problem) {
        Matcher matcher = form.matcher(text);
        if (!matcher.matches()) {
            boolean isNegative =
                    text.startsWith("-") && form.matcher(text.substring(1)).matches();
            throw wrong(text, isNegative ? "below 0" : problem);
        }
        return matcher;
    }

    private static TypeConversionException wrong(String text, String problem) {
        return new TypeConversionException("'" + text + "' is " + problem);
    }

    /** Takes the optional value of an option only after an equals sign: otherwise a seed after the option would be one. */
    static final class OnlyAfterEquals implements IParameterPreprocessor {
        @Override
        public boolean preprocess(Stack<String> args, CommandSpec command, ArgSpec option, Map<String, Object> info) {
            if (!"=".equals(info.get("separator"))) {
                args.push(((OptionSpec) option).fallbackValue());
            }
            return false;
        }
    }

    /** An integer from 0 to 1e15: {@code 1000000}, {@code 1_000_000}, {@code 1e6} or {@code 1M}; also k, G and T. */
    static final class Quantity implements ITypeConverter<Long> {
        private static final BigDecimal MOST = new BigDecimal("1e15");
        private static final Pattern FORM =
                Pattern.compile("([0-9](?:_?[0-9]){0,30}(?:\\.[0-9]{1,15})?(?:[eE][0-9]{1,2})?)([kmgtKMGT]?)");

        @Override
        public Long convert(String text) {
            return convert(text, "not a number; use 1000000, 1_000_000, 1M or 1e6");
        }

        static long convert(String text, String problem) {
            Matcher matcher = matched(FORM, text, problem);
            // The suffix "" is found at 0, "k" at 1, "m" at 2.
            int thousands = " kmgt".indexOf(matcher.group(2).toLowerCase(Locale.ROOT));
            BigDecimal value = new BigDecimal(matcher.group(1).replace("_", "")).scaleByPowerOfTen(3 * thousands);
            if (value.stripTrailingZeros().scale() > 0) {
                throw wrong(text, "not a whole number");
            }
            if (value.compareTo(MOST) > 0) {
                throw wrong(text, "more than 1e15");
            }
            return value.longValueExact();
        }
    }

    /** A number of bytes that an int can hold: {@code 8MiB}, {@code 500kB}, {@code 1M}, or without a unit. */
    static final class Size implements ITypeConverter<Integer> {
        private static final Pattern FORM = Pattern.compile("([0-9]{1,12}(?:\\.[0-9]{1,12})?) ?(?:([kKMG])(iB|B)?|B)?");

        @Override
        public Integer convert(String text) {
            Matcher matcher = matched(FORM, text, "not a size; use 8MiB, 500kB or 1000000");
            int power = matcher.group(2) == null
                    ? 0
                    : "KMG".indexOf(matcher.group(2).toUpperCase(Locale.ROOT)) + 1;
            BigDecimal unit = BigDecimal.valueOf("iB".equals(matcher.group(3)) ? 1024 : 1000)
                    .pow(power);
            BigDecimal bytes = new BigDecimal(matcher.group(1)).multiply(unit);
            if (bytes.compareTo(BigDecimal.valueOf(Integer.MAX_VALUE)) > 0) {
                throw wrong(text, "more than " + Integer.MAX_VALUE + " bytes");
            }
            return bytes.intValue();
        }
    }

    /**
     * A time from 0 to 365 days: {@code 500ms}, {@code 1s}, {@code 1.5m}, {@code 2h}, {@code 1d}, or seconds without a
     * unit. Fractions of a nanosecond are dropped.
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
            Matcher matcher = matched(FORM, text, "not a time; use one number with one unit: 500ms, 10m or 1.5h");
            Duration unit = Objects.requireNonNull(UNITS.get(matcher.group(2) == null ? "s" : matcher.group(2)));
            BigDecimal nanos = new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(unit.toNanos()));
            if (nanos.compareTo(BigDecimal.valueOf(MOST.toNanos())) > 0) {
                throw wrong(text, "more than 365d");
            }
            return Duration.ofNanos(nanos.longValue());
        }
    }

    /** A {@link TimeSpan}, or {@code auto}. */
    static final class Delay implements ITypeConverter<PaceOptions.Delay> {
        @Override
        public PaceOptions.Delay convert(String text) {
            return new PaceOptions.Delay(text.equals("auto") ? null : new TimeSpan().convert(text));
        }
    }

    /** A false-positive rate: {@code 0.0001}, {@code 1e-4} or {@code 0.01%}. */
    static final class MissRate implements ITypeConverter<Double> {
        private static final Pattern FORM =
                Pattern.compile("((?:[0-9]{1,30}(?:\\.[0-9]{1,30})?|\\.[0-9]{1,30})(?:[eE]-?[0-9]{1,3})?)( ?%)?");

        @Override
        public Double convert(String text) {
            Matcher matcher = matched(FORM, text, "not a rate; use 0.0001, 1e-4 or 0.01%");
            double rate = Double.parseDouble(matcher.group(1)) / (matcher.group(2) == null ? 1 : 100);
            if (rate < BloomSize.MIN_RATE || rate > BloomSize.MAX_RATE) {
                throw wrong(text, "not between " + BloomSize.MIN_RATE + " and " + BloomSize.MAX_RATE);
            }
            return rate;
        }
    }

    /** A {@link Quantity} that an int can hold. */
    static final class SmallQuantity implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            long value = Quantity.convert(text, "not a number; use 8 or 10k");
            if (value > Integer.MAX_VALUE) {
                throw wrong(text, "more than " + Integer.MAX_VALUE);
            }
            return (int) value;
        }
    }

    /** Statuses: one, a range {@code 500-504} or {@code 500..504}, or a class {@code 4xx}. */
    static final class Statuses implements ITypeConverter<Statuses.Range> {
        record Range(int first, int last) {}

        private static final Pattern FORM = Pattern.compile("([0-9]{3})(?:(?:-|\\.\\.=?)([0-9]{3}))?|([0-9])[xX]{2}");

        @Override
        public Range convert(String text) {
            Matcher matcher =
                    matched(FORM, text, "not a status; use 403, a range such as 500-504, or a class such as 4xx");
            boolean isClass = matcher.group(3) != null;
            int first = Integer.parseInt(isClass ? matcher.group(3) + "00" : matcher.group(1));
            int last = matcher.group(2) == null ? first : Integer.parseInt(matcher.group(2));
            if (last < first) {
                throw wrong(text, "not a range; the smaller status comes first");
            }
            if (first < 400) {
                throw wrong(text, "not a failure, so it needs no accepting; name statuses from 400");
            }
            return new Range(first, isClass ? first + 99 : last);
        }
    }

    /** Makes a program take the constants of an enum by their texts, in any case, also with underscores. */
    static <E> void takeWords(CommandLine line, Class<E> type) {
        List<E> all = List.of(type.getEnumConstants());
        line.registerConverter(
                type,
                text -> all.stream()
                        .filter(each -> each.toString().equalsIgnoreCase(text.replace('_', '-')))
                        .findFirst()
                        .orElseThrow(() -> wrong(
                                text,
                                "not one of "
                                        + all.stream().map(Object::toString).collect(joining(", ")))));
    }

    /** {@code HOST=IP}. Refuses host names in place of the IP, which {@link InetAddress#getByName} would look up. */
    static final class HostAddress implements ITypeConverter<Map.Entry<String, InetAddress>> {
        private static final Pattern FORM = Pattern.compile("([^=]+)=([0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*)");

        @Override
        public Map.Entry<String, InetAddress> convert(String text) {
            Matcher matcher = matched(FORM, text, "not of the form HOST=IP");
            try {
                return Map.entry(matcher.group(1), InetAddress.getByName(matcher.group(2)));
            } catch (UnknownHostException e) {
                throw wrong(text, "not of the form HOST=IP");
            }
        }
    }
}
