package dev.sieve.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EngineAddressTest {
    @ParameterizedTest
    @CsvSource({
        "valkey://h/a, valkey, , , h, 6379, 0, a",
        "redis://h:1/a.b_c-D9, redis, , , h, 1, 0, a.b_c-D9",
        "redis://my_redis:65535/15/2026, redis, , , my_redis, 65535, 15, 2026",
        "rediss://u:p@10.0.0.1/a, rediss, u, p, 10.0.0.1, 6379, 0, a",
        "valkeys://:p@[::1]:7000/0/a, valkeys, , p, ::1, 7000, 0, a",
        "redis://u@[fe80::1]/a, redis, u, , fe80::1, 6379, 0, a",
        "redis://u:@h/a, redis, u, , h, 6379, 0, a",
        "redis://u%3A%40:p+%2F%25%c3%a9@h/a, redis, u:@, p+/%é, h, 6379, 0, a"
    })
    void anAddressIsParsed(
            String text,
            String scheme,
            String user,
            String password,
            String host,
            int port,
            int database,
            String name) {
        assertThat(EngineAddress.parse(text))
                .isEqualTo(new EngineAddress(
                        scheme, user, password, List.of(new EngineAddress.Server(host, port)), database, name));
    }

    @Test
    void theNodesOfAClusterAreSeparatedByCommas() {
        EngineAddress address = EngineAddress.parse("valkey://u:p@a,b:7001,[::1]:7002/0/n");
        assertThat(address.servers())
                .containsExactly(
                        new EngineAddress.Server("a", 6379),
                        new EngineAddress.Server("b", 7001),
                        new EngineAddress.Server("::1", 7002));
        assertThat(address).hasToString("valkey://a:6379,b:7001,[::1]:7002/n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "redis://h,/a",
                "redis://,h/a",
                "redis://h,,i/a",
                "redis://h, i/a",
                "h",
                "redis:",
                "redis://",
                "redis:///a",
                "redis://h",
                "redis://h/",
                "redis://h/0",
                "redis://h/0/",
                "redis://h/a/b",
                "redis://h/0/a/b",
                "redis://h/a?b",
                "redis://h/a b",
                "redis://h/é",
                "redis://h:0/a",
                "redis://h:65536/a",
                "redis://h:999999999999/a",
                "redis://h:/a",
                "redis://h:x/a",
                "redis://h/9999999999/a",
                "redis://h/-1/a",
                "redis://[::1/a",
                "redis://[h]/a",
                "redis://::1/a",
                "redis://h h/a",
                "redis://h\r\n/a",
                "redis://../../a",
                "http://h/a",
                "REDIS://h/a",
                " redis://h/a",
                "redis://h/a ",
                "redis+sentinel://h/a",
                "unix:///tmp/s"
            })
    void anythingElseIsRefused(String text) {
        assertThatThrownBy(() -> EngineAddress.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("'" + text.replaceAll("[^ -~]", "?") + "': ");
        assertThatThrownBy(() -> EngineAddress.parse("redis://h/" + "a".repeat(65)))
                .hasMessageContaining("1 to 64");
        assertThatThrownBy(() -> EngineAddress.parse("redis://h/" + "a".repeat(5000)))
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(300));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://u:secret@h",
                "redis://u:secret%@h/a",
                "redis://u:secret%zz@h/a",
                "redis://u:se/secret@h/a",
                "redis://u:s@secret@h/a",
                "redis://u:secret@h:x/a",
                "x://secret:secret@h/a",
                "redis://u:secret@h/0/a/b"
            })
    void thePasswordIsNotPartOfAMessage(String text) {
        assertThatThrownBy(() -> EngineAddress.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("secret")
                .hasMessageStartingWith("'...@h");
    }

    @Test
    void theTextHasNeitherUserNorPassword() {
        EngineAddress address = EngineAddress.parse("rediss://u:secret@[::1]:7000/3/a");
        assertThat(address).hasToString("rediss://[::1]:7000/3/a");
        assertThat(address.server()).isEqualTo("rediss://[::1]:7000");
        assertThat(address.tls()).isTrue();
        assertThat(EngineAddress.parse("redis://h/a").tls()).isFalse();
        assertThat(EngineAddress.parse("valkey://h/0/a")).hasToString("valkey://h:6379/a");
        assertThat(EngineAddress.parse("valkeys://u@h/a").withPassword("p"))
                .isEqualTo(EngineAddress.parse("valkeys://u:p@h/a"));
    }
}
