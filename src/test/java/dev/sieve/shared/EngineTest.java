package dev.sieve.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class EngineTest {
    private static Engine open(TestEngine server) throws IOException {
        return new Engine(server.address("a"), "w", Duration.ofMinutes(1), System::nanoTime);
    }

    private static String ping(Session session) {
        session.send("PING");
        return new String((byte[]) session.receive(), StandardCharsets.US_ASCII);
    }

    @Test
    void aCallIsRepeatedAfterARestart() throws IOException {
        try (TestEngine server = TestEngine.start();
                Engine engine = open(server)) {
            assertThat(engine.warnings()).isEmpty();
            Run run = engine.run();
            server.kill();
            assertThat(engine.<Object>tryCall((session, call) -> ping(session))).isNull();
            assertThat(engine.isAway()).isTrue();
            server.restart();
            assertThat(engine.<String>call((session, call) -> ping(session))).isEqualTo("PONG");
            assertThat(engine.isAway()).isFalse();
            assertThat(engine.run()).isNotSameAs(run);
        }
    }
}
