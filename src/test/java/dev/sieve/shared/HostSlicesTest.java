package dev.sieve.shared;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostSlicesTest {
    private final HostSlices hosts = new HostSlices(1000, 7, null);

    @ParameterizedTest
    @CsvSource({
        "http://host.example/path, host.example",
        "https://host.example, host.example",
        "http://host.example:8080/path, host.example",
        "http://user:secret@host.example:80/, host.example",
        "http://host.example?a=b@c:d, host.example",
        "http://host.example#f//g, host.example",
        "http://host.example\\path, host.example",
        "http://[2001:db8::1]:8080/, [2001:db8::1]",
        "http://[2001:db8::1]/, [2001:db8::1]",
        "//host.example/, host.example",
        "host.example/path, ''",
        "'', ''",
        "http://, ''",
        "http:///path, ''",
    })
    void theSliceOfAUrlIsThatOfItsHost(String url, String host) {
        assertThat(slice(hosts.new OfPage(), url)).isEqualTo(hosts.ofHost(host));
    }

    @Test
    void theUrlsOfAPageAreAssignedOneByOne() {
        HostSlices.OfPage page = hosts.new OfPage();
        for (String host : new String[] {"a", "a", "b", "a", "", "b", "ab"}) {
            assertThat(slice(page, "http://" + host + "/")).isEqualTo(hosts.ofHost(host));
        }
    }

    @Test
    void hostsAreSpreadEvenly() {
        HostSlices few = new HostSlices(16, 7, null);
        long[] counts = new long[16];
        IntStream.range(0, 16_000).forEach(i -> counts[few.ofHost("host" + i + ".example")]++);

        assertThat(LongStream.of(counts)).allMatch(count -> count > 800 && count < 1200);
    }

    @Test
    void hostsOfAGroupAreInOneSlice() {
        HostSlices grouped = new HostSlices(1000, 7, host -> host.substring(host.lastIndexOf('.') + 1));

        assertThat(slice(grouped.new OfPage(), "http://a.org/")).isEqualTo(grouped.ofHost("b.org"));
        assertThat(grouped.ofHost("a.org")).isNotEqualTo(grouped.ofHost("a.com"));
    }

    private static int slice(HostSlices.OfPage page, String url) {
        byte[] utf8 = ("x" + url + "/y").getBytes(UTF_8);
        return page.slice(utf8, 1, utf8.length - 2);
    }
}
