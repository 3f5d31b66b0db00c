package dev.sieve.cli;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A whole number of at least 0 and at most {@value #MOST} as an option takes it: {@code 1000000}, {@code 1_000_000},
 * {@code 1e6}, or with {@code k}, {@code M}, {@code G} or {@code T} for thousand to trillion, {@code 1.5M}.
 */
final class Quantity implements ITypeConverter<Long> {
    static final long MOST = 1_000_000_000_000_000L;

    private static final Pattern FORM =
            Pattern.compile("([0-9](?:_?[0-9]){0,30}(?:\\.[0-9]{1,15})?(?:[eE][0-9]{1,2})?)([kmgtKMGT]?)");
    private static final String SUFFIXES = "kmgt";

    @Override
    public Long convert(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new TypeConversionException("'" + text + "' is no number; write 1000000, 1_000_000, 1M or 1e6");
        }
        int thousands = matcher.group(2).isEmpty()
                ? 0
                : 1 + SUFFIXES.indexOf(matcher.group(2).toLowerCase(Locale.ROOT));
        BigDecimal value = new BigDecimal(matcher.group(1).replace("_", "")).scaleByPowerOfTen(3 * thousands);
        if (value.stripTrailingZeros().scale() > 0) {
            throw new TypeConversionException("'" + text + "' is no whole number");
        }
        if (value.compareTo(BigDecimal.valueOf(MOST)) > 0) {
            throw new TypeConversionException("'" + text + "' is more than 1e15");
        }
        return value.longValueExact();
    }
}
