package dev.sieve.fetch;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A service in front of a site that responds in its place, with a page that only a browser passes. Such a response says
 * nothing of the URL.
 *
 * <p>Only signs are used that a service sends with these responses alone, whatever their status, which its operator may
 * set. Texts in a page do not count, nor does a status 403 from the servers of a service.
 */
public enum BotWall {
    // developers.cloudflare.com/cloudflare-challenges/challenge-types/challenge-pages/detect-response/
    CLOUDFLARE("cf-mitigated", "challenge"),
    // docs.aws.amazon.com/waf/latest/developerguide/waf-captcha-and-challenge-actions.html
    AWS_WAF("x-amzn-waf-action", "challenge|captcha"),
    // docs.datadome.co/reference/validate-request, and js.datadome.co/tags.js, which reads the field. X-DataDome is on
    // all pages.
    DATADOME("x-dd-b", ".*"),
    // anubis.techaro.lol/docs/admin/configuration/custom-status-codes, and lib/http.go: no other page sets or deletes
    // the cookies.
    ANUBIS("set-cookie", "techaro\\.lol-anubis.*");

    private static final BotWall[] ALL = values();

    private final String text = name().toLowerCase(Locale.ROOT).replace('_', '-');

    /** The header field, and its value, that are its sign. */
    private final String field;

    private final Pattern value;

    BotWall(String field, String value) {
        this.field = field;
        this.value = Pattern.compile(value, Pattern.CASE_INSENSITIVE);
    }

    /** Returns the wall that has sent a response; null when none has. */
    static @Nullable BotWall of(int status, Map<String, List<String>> headers) {
        for (BotWall wall : ALL) {
            List<String> values = headers.getOrDefault(wall.field, List.of());
            boolean hasSign =
                    values.stream().anyMatch(each -> wall.value.matcher(each).matches());
            // The browser's part of DataDome reads its field in errors only.
            if (hasSign && (wall != DATADOME || status >= 300)) {
                return wall;
            }
        }
        return null;
    }

    /** Returns the name in records: {@code aws-waf}. */
    public String text() {
        return text;
    }
}
