package dev.sieve.shared;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The client of an engine: lends connections to threads, and waits for the engine when it is away. */
final class Engine implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(Engine.class);

    /**
     * Work that an engine does for its caller. It may run several times until its end is known, so it must be safe to
     * repeat.
     */
    interface Work<T> {
        /**
         * Sends commands and receives their responses.
         *
         * @param session the connection; its lane is the same in each repetition
         * @param callNumber greater than that of each earlier call; the same in each repetition
         */
        T run(Session session, long callNumber);
    }

    Engine(EngineAddress address, String worker, Duration patience, LongSupplier nanoClock) throws IOException {}

    <T> T call(Work<T> work) {
        throw new UnsupportedOperationException();
    }

    <T> T tryCall(Work<T> work) {
        throw new UnsupportedOperationException();
    }

    Run run() {
        throw new UnsupportedOperationException();
    }

    boolean isAway() {
        throw new UnsupportedOperationException();
    }

    void impatient() {}

    List<String> warnings() {
        return List.of();
    }

    @Override
    public void close() {}
}
