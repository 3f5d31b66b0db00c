package dev.sieve.shared;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Tier;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The log of the engine ends within a transaction. The engine keeps the first commands of it, and runs them together
 * with the first transaction after its next start, which shows at the start after that.
 *
 * <p>With the property {@code sieve.proof}, the log is cut at each byte, on each engine of this machine; otherwise at
 * the end of each command and one byte after it.
 */
@Tag("engine")
class TornLogTest {
    private static final List<String> TOLD = List.of("a", "b", "c", "d", "e");

    private interface Step {
        void run(TestSlice slice, Session session, long token);
    }

    private static final Map<String, Step> STEPS = new LinkedHashMap<>();

    static {
        STEPS.put(
                "push",
                (slice, session, token) -> slice.pushPages(session, 5, List.of(List.of("f", "a"), List.of("g"))));
        STEPS.put("take", (slice, session, token) -> slice.take(session, token, 5, 2));
        STEPS.put("done", (slice, session, token) -> slice.doneOf(session, token, 5, "run", "host", 2, 1, "", 2));
        STEPS.put("claim", (slice, session, token) -> slice.claim(session));
    }

    /** A session alone does not have the log rewritten, which would hide what the engine kept. */
    private static Session connect(TestEngine server) throws IOException {
        Session session = new Session(Network.REAL, server.address("a"), Duration.ofSeconds(30));
        EngineAddress.Server place = server.address("a").servers().get(0);
        session.setRun(
                new Session.Run(session.connect(List.of(place)).get(place).get("run_id")));
        return session;
    }

    @ParameterizedTest
    @MethodSource("dev.sieve.shared.TestEngine#ofTier")
    void aTransactionThatIsCutLosesNothing(File program) throws IOException {
        for (Map.Entry<String, Step> step : STEPS.entrySet()) {
            try (TestEngine server = TestEngine.start(program, "--appendfsync", "always")) {
                Session session = connect(server);
                TestSlice slice = new TestSlice(session.run().id, "w", "{a}0");
                slice.push(session, 1, List.of("a", "b"));
                slice.push(session, 2, List.of("c", "d"));
                slice.push(session, 3, List.of("e"));
                long token = slice.claim(session);
                slice.take(session, token, 4, 1);
                int before = (int) server.logLength();
                step.getValue().run(slice, session, token);
                session.disconnect();
                server.kill();
                byte[] log = Files.readAllBytes(server.log());
                assertThat(log.length).isGreaterThan(before);
                for (int cut : cuts(log, before)) {
                    Files.write(server.log(), log);
                    server.cutLog(cut);
                    try {
                        checkAfterCut(server, step.getKey().equals("done") && cut > before);
                    } catch (AssertionError | RuntimeException e) {
                        throw new AssertionError(
                                step.getKey() + ", cut at " + (cut - before) + " of " + (log.length - before), e);
                    }
                }
            }
        }
    }

    private static Set<Integer> cuts(byte[] log, int before) {
        if (Tier.IS_PROOF) {
            return new TreeSet<>(
                    IntStream.rangeClosed(before, log.length).boxed().toList());
        }
        Set<Integer> cuts = new TreeSet<>(List.of(before, log.length));
        String text = new String(log, StandardCharsets.ISO_8859_1);
        for (int i = text.indexOf("\r\n*", before); i >= 0; i = text.indexOf("\r\n*", i + 1)) {
            cuts.add(i + 2);
            cuts.add(i + 3);
        }
        return cuts;
    }

    private static void checkAfterCut(TestEngine server, boolean isFirstDone) throws IOException {
        server.restart();
        Session session = connect(server);
        TestSlice slice = new TestSlice(session.run().id, "w", "{a}0");
        long earlier = slice.claim(session);
        slice.push(session, 6, List.of("h"));
        session.disconnect();
        server.kill();

        server.restart();
        session = connect(server);
        slice = new TestSlice(session.run().id, "w", "{a}0");
        assertThat(slice.claim(session)).isGreaterThan(earlier);
        Set<String> held = held(session);
        if (!held.contains("a")) {
            session.send("HGET", TestSlice.bytes("{a}0h"), TestSlice.bytes("host"));
            assertThat(session.receive()).as("URLs of the host").isEqualTo(TestSlice.bytes("2"));
        }
        assertThat(held).containsAll(isFirstDone ? TOLD.subList(2, 5) : TOLD).contains("h");
        List<String> all = List.of("a", "b", "c", "d", "e", "f", "g", "h");
        String mask = slice.push(session, 7, all);
        for (int i = 0; i < all.size(); i++) {
            if (mask.charAt(i) == '0' && !(isFirstDone && i < 2)) {
                assertThat(held).contains(all.get(i));
            }
        }
        // No two frames have one number, and all can be taken and done.
        long token = slice.claim(session);
        List<?> taken = (List<?>) slice.take(session, token, 8, 100);
        assertThat((Long) taken.get(0)).isPositive();
        List<Object> done = new ArrayList<>();
        for (Object number : (List<?>) slice.claimed(session).get(2)) {
            done.addAll(List.of(number, "", 1));
        }
        token = slice.claim(session);
        assertThat(slice.done(session, token, 9, done.toArray())).isEqualTo(1);
        assertThat(slice.look(session).subList(4, 6)).isEqualTo(List.of(0L, 0L));
        session.disconnect();
        server.kill();
    }

    /** The engine writes its log anew in the next run, and is killed before the end. */
    @ParameterizedTest
    @MethodSource("dev.sieve.shared.TestEngine#ofTier")
    void anEngineThatIsKilledWhileItRewritesATornLogStarts(File program) throws IOException {
        try (TestEngine server =
                TestEngine.start(program, "--appendfsync", "always", "--rdb-key-save-delay", "1000000")) {
            Session session = connect(server);
            TestSlice slice = new TestSlice(session.run().id, "w", "{a}0");
            slice.push(session, 1, List.of("a", "b"));
            int before = (int) server.logLength();
            slice.push(session, 2, List.of("c", "d"));
            session.disconnect();
            server.kill();
            String log = Files.readString(server.log(), StandardCharsets.ISO_8859_1);
            server.cutLog(log.indexOf("SADD", before));
            server.restart();
            try (Engine engine = new Engine(server.address("a"), Duration.ofSeconds(30), System::nanoTime)) {
                assertThat(engine.isAway()).isFalse();
                assertThat(server.info("aof_rewrite_in_progress")).isEqualTo("1");
            }
            server.kill();
            server.restart();
            assertThat(server.command("EXISTS", "{a}e")).isEqualTo(0L);
            assertThat(held(connect(server))).contains("a", "b");
        }
    }

    private static Set<String> held(Session session) {
        Set<String> held = new TreeSet<>();
        session.send("LRANGE", TestSlice.args("{a}0q", 0, -1));
        session.send("HVALS", TestSlice.args("{a}0f"));
        for (int i = 0; i < 2; i++) {
            for (Object frame : (List<?>) session.receive()) {
                held.addAll(List.of(TestSlice.texts(frame).split("")));
            }
        }
        return held;
    }
}
