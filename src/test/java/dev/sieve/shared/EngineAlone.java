package dev.sieve.shared;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Uses an engine, for a test that loads it with its libraries alone. */
public final class EngineAlone {
    private EngineAlone() {}

    public static void push(String address) throws IOException {
        try (Engine engine = new Engine(EngineAddress.parse(address), Duration.ofMinutes(1), System::nanoTime)) {
            TestSlice slice = new TestSlice(engine.run().id, "w", "{a}0");
            engine.call((session, call) -> slice.push(session, call, List.of("u")));
        }
    }
}
