package dev.sieve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.durable.DurableSieve;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The JDK encodes every unpaired surrogate as a question mark. */
class UnpairedSurrogateTest {
    private static final List<String> DIFFERENT = List.of(
            "http://h.test/?",
            "http://h.test/\ud800",
            "http://h.test/\ud801",
            "http://h.test/\udfff",
            "http://h.test/\udc00\ud800",
            "http://h.test/\ud800\ud800\udc00",
            "http://h.test/\ud800\udc00\ud800",
            "http://h.test/\ud800\udc00");

    @Test
    void differentUrlsDiffer(@TempDir Path folder) throws Exception {
        try (Frontier memory = new Sieve(100);
                Frontier disk = DurableSieve.builder(folder).capacity(100).open()) {
            for (Frontier frontier : List.of(memory, disk)) {
                assertThat(DIFFERENT).allMatch(frontier::push);
                assertThat(DIFFERENT).noneMatch(frontier::push);
                assertThat(frontier.pushAll(DIFFERENT)).isZero();
            }
        }
    }

    @Test
    void keysDiffer() {
        Sieve sieve = new Sieve(100);
        UrlBatch batch = new UrlBatch();
        DIFFERENT.forEach(key -> batch.add("http://h.test/", key));

        assertThat(sieve.pushAll(batch)).isEqualTo(DIFFERENT.size());
    }

    @Test
    void allOtherTextIsUtf8() {
        for (String text : List.of("", "a?b", "\u00e9\ud83d\ude00", "\ud83d\ude00\ud83d\ude01")) {
            assertThat(UrlBatch.utf8(text)).isEqualTo(text.getBytes(StandardCharsets.UTF_8));
        }
    }
}
