package dev.sieve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sieve.durable.DurableSieve;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Text without a UTF-8 form: as bytes, all of these would be the same URL with a question mark. */
class UnpairedSurrogateTest {
    @ParameterizedTest
    @ValueSource(strings = {"http://h.test/\ud800", "http://h.test/\udfff", "\udc00\ud800", "\ud800\ud800\udc00"})
    void isRefused(String url) {
        Sieve sieve = new Sieve(100);
        UrlBatch batch = new UrlBatch();

        assertThatIllegalArgumentException().isThrownBy(() -> sieve.push(url)).withMessageContaining("at index");
        assertThatIllegalArgumentException().isThrownBy(() -> batch.add(url));
        assertThatIllegalArgumentException().isThrownBy(() -> batch.add("http://h.test/", url));
        assertThat(batch.isEmpty()).isTrue();
        assertThat(sieve.stats().accepted()).isZero();
        assertThat(sieve.push("http://h.test/?")).isTrue();
    }

    @Test
    void isRefusedByAFrontierOnDisk(@TempDir Path folder) throws Exception {
        try (DurableSieve sieve = DurableSieve.builder(folder).expectedUrls(100).open()) {
            assertThatIllegalArgumentException().isThrownBy(() -> sieve.push("http://h.test/\ud800"));

            assertThat(sieve.push("http://h.test/?")).isTrue();
        }
    }

    @Test
    void surrogatesInPairsAreOrdinaryText() {
        String url = "http://h.test/\ud83d\ude00\ud83d\ude01";
        Sieve sieve = new Sieve(100);

        assertThat(sieve.push(url)).isTrue();
        assertThat(sieve.pop()).contains(url);
    }
}
