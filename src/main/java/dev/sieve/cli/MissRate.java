package dev.sieve.cli;

import dev.sieve.bloom.BloomSize;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * The share of new pages that may be taken for seen ones, as an option takes it: {@code 0.0001}, {@code 1e-4} or {@code
 * 0.01%}. From {@link BloomSize#MIN_RATE} to {@link BloomSize#MAX_RATE}.
 */
final class MissRate implements ITypeConverter<Double> {
    private static final Pattern FORM =
            Pattern.compile("(?:[0-9]{1,30}(?:\\.[0-9]{1,30})?|\\.[0-9]{1,30})(?:[eE]-?[0-9]{1,3})?( ?%)?");

    @Override
    public Double convert(String text) {
        if (!FORM.matcher(text).matches()) {
            throw new TypeConversionException("'" + text + "' is no rate; write 0.0001, 1e-4 or 0.01%");
        }
        double rate = text.endsWith("%")
                ? Double.parseDouble(text.substring(0, text.length() - 1)) / 100
                : Double.parseDouble(text);
        if (rate < BloomSize.MIN_RATE || rate > BloomSize.MAX_RATE) {
            throw new TypeConversionException(
                    "'" + text + "' is not from " + BloomSize.MIN_RATE + " to " + BloomSize.MAX_RATE);
        }
        return rate;
    }
}
