package dev.sieve.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class EngineTest {
    private static Engine open(TestEngine server) throws IOException {
        return new Engine(server.address("a"), "w", Duration.ofMinutes(1), System::nanoTime);
    }

    @Test
    void aCallIsRepeatedAfterARestart() throws IOException {
        try (TestEngine server = TestEngine.start();
                Engine engine = open(server)) {
            assertThat(engine.warnings()).isEmpty();
            Run run = engine.run();
            server.kill();
            assertThat(engine.<String>tryCall((session, call) -> "")).isNull();
            assertThat(engine.isAway()).isTrue();
            server.restart();
            Object answer = engine.call((session, call) -> {
                session.send("PING");
                return session.receive();
            });
            assertThat((byte[]) answer).asString().isEqualTo("PONG");
            assertThat(engine.isAway()).isFalse();
            assertThat(engine.run()).isNotSameAs(run);
        }
    }
}
