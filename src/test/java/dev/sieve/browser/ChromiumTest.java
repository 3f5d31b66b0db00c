package dev.sieve.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ChromiumTest {
    @Test
    void theFewestProcessesThatTakeTooMuchAreEnded() {
        Map<String, Long> sizes = Map.of("one", 100L, "two", 300L, "three", 200L);

        assertThat(Chromium.largest(sizes, 0)).isEmpty();
        assertThat(Chromium.largest(sizes, 301)).containsExactly("two", "three");
        assertThat(Chromium.largest(sizes, 9000)).containsExactly("two", "three", "one");
    }
}
