package dev.sieve.url;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UrlPartsTest {

    @ParameterizedTest
    @CsvSource({
        "http://example.com/a?b, example.com, example.com, http://example.com, /a?b",
        "https://example.com:8443/, example.com, example.com:8443, https://example.com:8443, /",
        "https://example.com.:8443/, example.com, example.com:8443, https://example.com:8443, /",
        "http://example.com./, example.com, example.com, http://example.com, /",
        "http://[::1]/a:b, [::1], [::1], http://[::1], /a:b",
        "http://[::1]:81/, [::1], [::1]:81, http://[::1]:81, /",
        "http://127.0.0.1:8101/x/, 127.0.0.1, 127.0.0.1:8101, http://127.0.0.1:8101, /x/"
    })
    void urlIsCutIntoItsParts(String url, String host, String hostAndPort, String origin, String pathAndQuery) {
        assertThat(UrlParts.host(url)).isEqualTo(host);
        assertThat(UrlParts.hostAndPort(url)).isEqualTo(hostAndPort);
        assertThat(UrlParts.origin(url)).isEqualTo(origin);
        assertThat(UrlParts.pathAndQuery(url)).isEqualTo(pathAndQuery);
    }

    @ParameterizedTest
    @CsvSource({
        "http://www.example.com/, example.com",
        "http://a.b.example.co.uk./, example.co.uk",
        "http://example.com:81/, example.com",
        "http://co.uk/, co.uk",
        "http://someone.github.io/, someone.github.io",
        "http://a.someone.github.io/, someone.github.io",
        "http://localhost/, localhost",
        "http://ex_ample.com/, ex_ample.com",
        "http://www.xn--r8jz45g.jp/, xn--r8jz45g.jp",
        "http://192.168.0.1/, 192.168.0.1",
        "http://[2001:db8::1]/, [2001:db8::1]",
        "http://[::ffff:7f00:1]/, [::ffff:7f00:1]"
    })
    void domainIsTheRegistrableOneOrTheHost(String url, String domain) {
        assertThat(UrlParts.domain(url)).isEqualTo(domain);
        assertThat(UrlParts.domain(url)).as("from the cache").isEqualTo(domain);
    }

    @Test
    void domainsOfManyHostsStayApart() {
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 2000; i++) {
                assertThat(UrlParts.domain("http://www.site" + i + ".org/")).isEqualTo("site" + i + ".org");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "example.com", "ftp://h/", "http://", "http:///", "http://h", "https://:80/"})
    void whatIsNoUrlToFetchIsRefusedByName(String url) {
        assertThatThrownBy(() -> UrlParts.hostAndPort(url))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(url);
    }
}
