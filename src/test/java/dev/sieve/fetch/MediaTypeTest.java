package dev.sieve.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MediaTypeTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "text/html | text/html",
                "Text/HTML; charset=utf-8 | text/html",
                "text/html;charset | text/html",
                "text/html; | text/html",
                "text/html ; a=b;; c | text/html",
                "application/pdf; name=My File.pdf | application/pdf",
                "image/svg+xml;charset=\"utf-8 | image/svg+xml",
                "application/vnd.a-b.c_d;x | application/vnd.a-b.c_d",
                "'' | ''",
                "text | ''",
                "text/ | ''",
                "/html | ''",
                "text/html, text/html | ''",
                "text/html charset=utf-8 | ''",
                "te xt/html | ''"
            })
    void theTypeDoesNotDependOnItsParameters(String text, String essence) {
        assertThat(MediaType.essence(text)).isEqualTo(essence);
    }
}
