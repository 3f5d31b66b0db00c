package dev.sieve.polite;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The header {@code Retry-After} (RFC 9110, section 10.2.3): seconds, or a date in any of the three forms of HTTP. */
public final class RetryAfter {
    /** The longest pause; longer ones are reduced to it. */
    public static final Duration LONGEST = Duration.ofHours(24);

    private static final Pattern SECONDS = Pattern.compile("[+-]?[0-9]+");
    private static final int MAX_LENGTH = 64;

    /** RFC 9110, section 5.6.7, without the day of the week, which is often wrong. */
    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern(
            "[d MMM uuuu HH:mm:ss 'GMT'][d-MMM-uu HH:mm:ss 'GMT'][MMM d HH:mm:ss uuuu]", Locale.US);

    private RetryAfter() {}

    /**
     * Returns how long to wait, from zero to {@link #LONGEST}; zero for a moment in the past.
     *
     * @param value the value of the header; null when it is missing
     * @param now the moment of the response, preferably its {@code Date}
     * @return empty when the value is missing or invalid
     */
    public static Optional<Duration> parse(@Nullable String value, Instant now) {
        if (value == null || value.length() > MAX_LENGTH) {
            return Optional.empty();
        }
        String text = value.strip();
        if (SECONDS.matcher(text).matches()) {
            return Optional.of(clamp(Duration.ofSeconds((long) Math.min(Double.parseDouble(text), Integer.MAX_VALUE))));
        }
        return parseDate(text, LocalDateTime.ofInstant(now, ZoneOffset.UTC));
    }

    private static Optional<Duration> parseDate(String text, LocalDateTime now) {
        String date = text.replaceFirst("^\\p{Alpha}+,? +", "").replaceAll(" +", " ");
        LocalDateTime until;
        try {
            until = LocalDateTime.parse(date, DATE);
        } catch (DateTimeException e) {
            return Optional.empty();
        }
        boolean lastCentury = date.contains("-") && until.isAfter(now.plusYears(50));
        return Optional.of(clamp(Duration.between(now, lastCentury ? until.minusYears(100) : until)));
    }

    private static Duration clamp(Duration pause) {
        if (pause.isNegative()) {
            return Duration.ZERO;
        }
        return pause.compareTo(LONGEST) > 0 ? LONGEST : pause;
    }
}
