package dev.sieve.fetch;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A service in front of a site that responds in its place, with a page that only a browser passes. Such a response says nothing
 * of the URL.
 *
 * <p>Only signs are used that a service sends with these responses alone. Texts in a page do not count, nor does a
 * status 403 from the servers of a service.
 */
public enum BotWall {
    // developers.cloudflare.com/cloudflare-challenges/challenge-types/challenge-pages/detect-response/
    CLOUDFLARE(new Sign("cf-mitigated", "challenge", 403, 429, 503)),
    // docs.aws.amazon.com/waf/latest/developerguide/waf-captcha-and-challenge-actions.html
    AWS_WAF(new Sign("x-amzn-waf-action", "challenge", 202), new Sign("x-amzn-waf-action", "captcha", 405)),
    // docs.datadome.co/reference/validate-request, and js.datadome.co/tags.js, which reads the field. X-DataDome is on
    // all pages.
    DATADOME(new Sign("x-dd-b", ".*", 403)),
    // anubis.techaro.lol/docs/admin/configuration/custom-status-codes, and lib/http.go: no other page sets or deletes
    // the cookies.
    ANUBIS(new Sign("set-cookie", "techaro\\.lol-anubis.*", 200, 403));

    private static final BotWall[] ALL = values();

    private final String text = name().toLowerCase(Locale.ROOT).replace('_', '-');

    @SuppressWarnings("ImmutableEnumChecker") // never changed
    private final Sign[] signs;

    /** A header field of a response with one of some statuses. */
    private static final class Sign {
        private final String field;
        private final Pattern value;
        private final int[] statuses;

        Sign(String field, String value, int... statuses) {
            this.field = field;
            this.value = Pattern.compile(value, Pattern.CASE_INSENSITIVE);
            this.statuses = statuses;
        }

        boolean isIn(int status, Map<String, List<String>> headers) {
            for (int each : statuses) {
                if (each == status) {
                    List<String> values = headers.get(field);
                    return values != null
                            && values.stream()
                                    .anyMatch(text -> value.matcher(text).matches());
                }
            }
            return false;
        }
    }

    BotWall(Sign... signs) {
        this.signs = signs;
    }

    /** Returns the wall that has sent a response; null when none has. */
    static @Nullable BotWall of(int status, Map<String, List<String>> headers) {
        for (BotWall wall : ALL) {
            for (Sign sign : wall.signs) {
                if (sign.isIn(status, headers)) {
                    return wall;
                }
            }
        }
        return null;
    }

    /** Returns the name in records: {@code aws-waf}. */
    public String text() {
        return text;
    }
}
