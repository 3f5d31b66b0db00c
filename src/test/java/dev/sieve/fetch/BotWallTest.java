package dev.sieve.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BotWallTest {
    private static FetchResult.Page page(int status, Map<String, List<String>> headers) {
        return new FetchResult.Page(status, headers, "text/html", new byte[0], 0, false);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "403 | cf-mitigated | challenge | CLOUDFLARE",
                "429 | cf-mitigated | challenge | CLOUDFLARE",
                "503 | cf-mitigated | Challenge | CLOUDFLARE",
                "202 | x-amzn-waf-action | challenge | AWS_WAF",
                "405 | x-amzn-waf-action | captcha | AWS_WAF",
                "403 | x-dd-b | 1 | DATADOME",
                "403 | x-dd-b | 259 | DATADOME",
                "200 | set-cookie | techaro.lol-anubis-cookie-verification-1a2b3c4d=0198; Path=/ | ANUBIS",
                "403 | set-cookie | techaro.lol-anubis-auth=; Max-Age=0 | ANUBIS",
                // Other pages have these.
                "403 | server | cloudflare |",
                "403 | cf-ray | 8f02-LHR |",
                "403 | cf-mitigated | block |",
                "403 | cf-mitigated | challenged |",
                "200 | cf-mitigated | challenge | CLOUDFLARE",
                "404 | cf-mitigated | challenge | CLOUDFLARE",
                "200 | x-amzn-waf-action | challenge | AWS_WAF",
                "202 | x-amzn-waf-action | captcha | AWS_WAF",
                "405 | x-amzn-waf-action | challenge | AWS_WAF",
                "202 | x-amzn-requestid | challenge |",
                "403 | x-datadome | protected |",
                "403 | set-cookie | datadome=x |",
                "200 | x-dd-b | 259 |",
                "401 | x-dd-b | 1 | DATADOME",
                "200 | set-cookie | x=techaro.lol-anubis-auth |",
                "200 | cookie | techaro.lol-anubis-auth=x |",
                "404 | set-cookie | techaro.lol-anubis-auth=x | ANUBIS",
            })
    void onlyTheSignOfAServiceMakesAWall(int status, String field, String value, @Nullable BotWall wall) {
        FetchResult.Page page = page(status, Map.of(field, List.of(value), "content-type", List.of("text/html")));

        assertThat(page.wall()).isEqualTo(wall);
        assertThat(page.isSuccess()).isEqualTo(wall == null && status < 300);
    }

    @Test
    void aSignMayBeInAnyOfSeveralFields() {
        List<String> cookies = List.of("session=1", "techaro.lol-anubis-cookie-verification=2");
        assertThat(page(200, Map.of("set-cookie", cookies)).wall()).isEqualTo(BotWall.ANUBIS);
        assertThat(page(200, Map.of("set-cookie", cookies.subList(0, 1))).wall())
                .isNull();
        assertThat(page(200, Map.of()).wall()).isNull();
        assertThat(BotWall.AWS_WAF.text()).isEqualTo("aws-waf");
    }
}
