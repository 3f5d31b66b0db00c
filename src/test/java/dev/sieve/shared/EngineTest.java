package dev.sieve.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.Await;
import dev.sieve.CapturedLog;
import dev.sieve.LocalServer;
import dev.sieve.crawl.Site;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.exceptions.JedisException;

@Tag("engine")
@Timeout(120)
class EngineTest {
    private static final Duration LONG = Duration.ofMinutes(5);

    private final CapturedLog log = new CapturedLog();
    /** An engine that loads them responds after each thousand. */
    private static final String MANY_KEYS = "for i = 1, 30000 do redis.call('SET', '{a}' .. i, i) end";

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void end() {
        threads.shutdownNow();
        log.close();
    }

    private static Engine open(EngineAddress address) throws IOException {
        return new Engine(address, LONG, System::nanoTime);
    }

    private static Engine open(EngineAddress address, Duration patience, Duration timeout) throws IOException {
        return new Engine(Network.REAL, address, patience, timeout, System::nanoTime);
    }

    private static String ping(Session session) {
        session.send("PING");
        return new String((byte[]) session.receive(), StandardCharsets.US_ASCII);
    }

    private static String ping(Engine engine) {
        return engine.call((session, call) -> ping(session));
    }

    private void assertRefused(EngineAddress address, String... reason) {
        assertThatThrownBy(() -> open(address, LONG, Duration.ofMillis(300)))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("cannot use the engine " + address.server() + ": ")
                .hasMessageContainingAll(reason)
                .hasMessageNotContaining("secret");
    }

    @Test
    void aPasswordIsUsedAndNeverShown() throws IOException {
        try (TestEngine server = TestEngine.start("--requirepass", "secret p@ss/w:rd")) {
            EngineAddress address =
                    EngineAddress.parse("redis://:secret%20p%40ss%2Fw%3Ard@127.0.0.1:" + server.port() + "/a");
            assertRefused(address.withPassword(null), "NOAUTH");
            assertRefused(address.withPassword("secret"), "WRONGPASS");
            assertRefused(EngineAddress.parse("redis://nobody:secret@127.0.0.1:" + server.port() + "/a"), "WRONGPASS");
            try (Engine engine = open(address)) {
                assertThat(ping(engine)).isEqualTo("PONG");
                assertThat(engine.warnings()).isEmpty();
                server.kill();
                assertThat(engine.<String>tryCall((session, call) -> ping(session)))
                        .isNull();
            }
            assertThat(log.lines()).hasSize(1).noneMatch(line -> line.contains("secret"));
        }
    }

    @Test
    void aUserNeedsOnlyTheRightsThatAreDocumented() throws IOException {
        try (TestEngine server = TestEngine.start()) {
            server.command("""
                        ACL SETUSER worker on >secret ~{a* -@all +@read +@write +evalsha +script|load +info
                        +ping +select +time""".split("\\s+", -1));
            EngineAddress address = EngineAddress.parse("valkey://worker:secret@127.0.0.1:" + server.port() + "/a");
            try (Engine engine = open(address)) {
                TestSlice slice = new TestSlice(engine.run().id, "w", "{a}0");
                engine.call((session, call) -> {
                    assertThat(slice.push(session, call, List.of("u"))).isEqualTo("1");
                    long token = slice.claim(session);
                    assertThat((List<?>) slice.take(session, token, call, 1)).hasSize(2);
                    assertThat(slice.done(session, token, call, 1, "", 1)).isEqualTo(1);
                    assertThat((List<?>) slice.renew(session, token, true, 1)).hasSize(5);
                    assertThat(slice.look(session)).hasSize(10);
                    return slice.release(session, token);
                });
                TestSlice foreign = new TestSlice(engine.run().id, "w", "{b}0");
                assertThatThrownBy(() -> engine.call((session, call) -> foreign.push(session, call, List.of("u"))))
                        .isInstanceOf(EngineException.class);
            }
            server.command("ACL", "SETUSER", "worker", "-info");
            assertRefused(address, "NOPERM", "info");
        }
    }

    @Test
    void whatDoesNotAnswerAsAnEngineIsRefused() throws IOException {
        assertRefused(EngineAddress.parse("redis://127.0.0.1:" + TestEngine.freePort() + "/a"), "Connection refused");
        assertRefused(EngineAddress.parse("redis://host.invalid/a"), "unknown host");
        try (Site http = new Site()) {
            assertRefused(
                    EngineAddress.parse("redis://127.0.0.1:" + http.port() + "/a"),
                    "does not use the protocol of Redis");
        }
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertRefused(EngineAddress.parse("redis://127.0.0.1:" + silent.getLocalPort() + "/a"), "no response");
        }
    }

    @Test
    void anEarlierVersionIsRefused() throws IOException {
        for (String version : List.of("6.0.16", "5.0.14", "2.8", "x", "")) {
            String info = "redis_version:" + version + "\r\nrun_id:1\r\n";
            try (LocalServer server = scripted(bulk(info) + "+OK\r\n".repeat(Script.values().length) + "*0\r\n")) {
                EngineAddress address = EngineAddress.parse("redis://127.0.0.1:" + server.port() + "/a");
                assertRefused(
                        address,
                        version.matches("\\d.*")
                                ? "its version is " + version.substring(0, 3)
                                : "neither Valkey nor Redis");
            }
        }
    }

    /** A server that sends the same text to each client. */
    private static LocalServer scripted(String responses) {
        return new LocalServer(client -> {
            client.getOutputStream().write(responses.getBytes(StandardCharsets.US_ASCII));
            client.getInputStream().readAllBytes();
        });
    }

    private static String bulk(String text) {
        return "$" + text.length() + "\r\n" + text + "\r\n";
    }

    @Test
    void settingsThatLoseUrlsAreWarnedAbout() throws IOException {
        try (TestEngine server = TestEngine.start()) {
            try (Engine engine = open(server.address("a"))) {
                assertThat(engine.warnings()).isEmpty();
            }
            server.config("appendfsync", "no");
            server.config("maxmemory-policy", "allkeys-lru");
            try (Engine engine = open(server.address("a"))) {
                assertThat(engine.warnings()).hasSize(2);
                assertThat(engine.warnings().get(0)).contains("appendfsync is 'no'", "appendfsync everysec");
                assertThat(engine.warnings().get(1)).contains("'allkeys-lru'", "maxmemory-policy noeviction");
            }
            server.config("appendonly", "no");
            try (Engine engine = open(server.address("a"))) {
                assertThat(engine.warnings()).hasSize(2);
                assertThat(engine.warnings().get(0)).contains("appendonly is off", "appendonly yes");
            }
        }
    }

    @Test
    void anEngineThatWasAwayIsLoggedOnceAndAllCallsGoOn() throws Exception {
        try (TestEngine server = TestEngine.start();
                Engine engine = open(server.address("a"))) {
            Session.Run run = engine.run();
            assertThat(ping(engine)).isEqualTo("PONG");
            server.kill();
            assertThat(engine.<String>tryCall((session, call) -> ping(session))).isNull();
            assertThat(engine.isAway()).isTrue();
            List<Future<String>> waiting = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                waiting.add(threads.submit(() -> ping(engine)));
            }
            server.restart();
            for (Future<String> each : waiting) {
                assertThat(each.get()).isEqualTo("PONG");
            }
            assertThat(engine.isAway()).isFalse();
            assertThat(engine.run()).isNotSameAs(run).isSameAs(engine.call((session, call) -> session.run()));
            assertThat(log.lines()).hasSize(2);
            assertThat(log.lines().get(0))
                    .matches("the engine redis://127.0.0.1:" + server.port()
                            + " does not respond \\(.+\\); waiting up to 5 min");
            assertThat(log.lines().get(1))
                    .matches(
                            "the engine redis://127.0.0.1:" + server.port()
                                    + " is back after [0-9.]+ s; it was restarted or replaced; work that it lost will be repeated");
        }
    }

    @Test
    void aRestartBetweenTwoCallsIsNoticed() throws IOException {
        try (TestEngine server = TestEngine.start();
                Engine engine = open(server.address("a"))) {
            Session.Run run = engine.run();
            server.stop();
            server.empty();
            server.restart();
            assertThat(ping(engine)).isEqualTo("PONG");
            assertThat(engine.run()).isNotSameAs(run);
            assertThat(ping(engine)).isEqualTo("PONG");
            assertThat(log.lines()).hasSize(1);
            assertThat(log.lines().get(0)).endsWith(" was restarted or replaced; work that it lost will be repeated");
        }
    }

    @Test
    void callsEndWithThePatience() throws IOException {
        try (TestEngine server = TestEngine.start();
                Engine engine = open(server.address("a"), Duration.ofMillis(300), LONG)) {
            server.kill();
            assertThatThrownBy(() -> ping(engine))
                    .isInstanceOf(UncheckedIOException.class)
                    .hasMessageContaining("the engine redis://127.0.0.1:" + server.port() + " has not responded for ")
                    .hasMessageContaining("Connection refused");
            assertThatThrownBy(() -> ping(engine)).isInstanceOf(UncheckedIOException.class);
            server.restart();
            Await.until(() -> engine.tryCall((session, call) -> ping(session)) != null);
            assertThat(ping(engine)).isEqualTo("PONG");
        }
    }

    @Test
    void impatientCallsEndAtOnce() throws Exception {
        try (TestEngine server = TestEngine.start();
                Engine engine = open(server.address("a"))) {
            server.kill();
            Future<String> waiting = threads.submit(() -> ping(engine));
            Await.until(engine::isAway);
            engine.impatient();
            assertThatThrownBy(waiting::get)
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(UncheckedIOException.class);
            assertThatThrownBy(() -> ping(engine)).isInstanceOf(UncheckedIOException.class);
            server.restart();
            Await.until(() -> engine.tryCall((session, call) -> ping(session)) != null);
            assertThat(ping(engine)).isEqualTo("PONG");
        }
    }

    @Test
    void closeAndInterruptsEndCalls() throws Exception {
        try (TestEngine server = TestEngine.start()) {
            Engine engine = open(server.address("a"));
            server.suspend();
            CountDownLatch sent = new CountDownLatch(1);
            Future<?> reading = threads.submit(() -> engine.call((session, call) -> {
                session.send("PING");
                sent.countDown();
                return session.receive();
            }));
            sent.await();
            engine.close();
            assertThatThrownBy(reading::get).hasCauseInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> ping(engine)).isInstanceOf(IllegalStateException.class);
            server.resume();

            try (Engine second = open(server.address("a"))) {
                server.kill();
                assertThat(second.<String>tryCall((session, call) -> ping(session)))
                        .isNull();
                CountDownLatch ended = new CountDownLatch(1);
                AtomicInteger interrupts = new AtomicInteger();
                Thread waiting = new Thread(() -> {
                    try {
                        ping(second);
                    } catch (UncheckedIOException e) {
                        interrupts.addAndGet(Thread.interrupted() ? 1 : 0);
                    }
                    ended.countDown();
                });
                waiting.start();
                waiting.interrupt();
                ended.await();
                assertThat(interrupts).hasValue(1);
            }
        }
    }

    @Test
    void anEngineThatIsSilentIsAway() throws Exception {
        try (TestEngine server = TestEngine.start();
                Engine engine = open(server.address("a"), LONG, Duration.ofMillis(500))) {
            Session.Run run = engine.run();
            TestSlice slice = new TestSlice(run.id, "w", "{a}0");
            server.suspend();
            Future<String> pushed =
                    threads.submit(() -> engine.call((session, call) -> slice.push(session, call, List.of("u"))));
            Await.until(engine::isAway);
            assertThat(engine.<String>tryCall((session, call) -> ping(session))).isNull();
            server.resume();
            // The engine runs each of the attempts, which it received while it was stopped.
            assertThat(pushed.get()).isEqualTo("1");
            assertThat(server.text("LLEN", "{a}0q")).isEqualTo("1");
            assertThat(engine.run()).isSameAs(run);
            assertThat(log.lines().get(0)).contains("no response in time");
            assertThat(log.lines().get(1)).contains("is back after").doesNotContain("run");
        }
    }

    @Test
    void lostResponsesAreRepeatedByTheSameNumber() throws IOException {
        try (TestEngine server = TestEngine.start();
                LossyWire wire = new LossyWire(server);
                Engine engine = open(wire.address("a"))) {
            TestSlice slice = new TestSlice(engine.run().id, "w", "{a}0");
            Function<Engine.Work<Object>, Object> lost = work -> {
                wire.loseNextResponse();
                AtomicInteger attempts = new AtomicInteger();
                Object response = engine.call((session, call) -> {
                    attempts.incrementAndGet();
                    return work.run(session, call);
                });
                assertThat(wire.hasLost()).isTrue();
                assertThat(attempts).hasValue(2);
                return response;
            };
            assertThat(lost.apply((session, call) -> slice.push(session, call, List.of("a", "b"))))
                    .isEqualTo("11");
            assertThat(lost.apply((session, call) -> slice.push(session, call, List.of("a", "c"))))
                    .isEqualTo("01");
            assertThat(server.text("LLEN", "{a}0q")).isEqualTo("2");
            // The worker that had the lost claim is the owner of it.
            long token = (Long) lost.apply((session, call) -> slice.claim(session));
            List<?> taken = (List<?>) lost.apply((session, call) -> slice.take(session, token, call, 1));
            assertThat(taken.get(0)).isEqualTo(1L);
            assertThat(TestSlice.texts(taken.get(1))).isEqualTo("ab");
            assertThat(server.text("LLEN", "{a}0q")).isEqualTo("1");
            assertThat(lost.apply((session, call) -> slice.done(session, token, call, 1, "", 2)))
                    .isEqualTo(0L);
            assertThat((List<?>) lost.apply((session, call) -> slice.renew(session, token, false, 0)))
                    .isEqualTo(List.of(1L, 0L, 3L, 2L, 0L));
            assertThat(lost.apply((session, call) -> slice.release(session, token)))
                    .isEqualTo(-1L);
            // Both connections ended in good order, so that nothing is logged.
            assertThat(log.lines()).isEmpty();
        }
    }

    @Test
    void flushedScriptsAreSentAgain() throws IOException {
        try (TestEngine server = TestEngine.start();
                Engine engine = open(server.address("a"))) {
            TestSlice slice = new TestSlice(engine.run().id, "w", "{a}0");
            for (String url : List.of("a", "b", "c")) {
                server.command("SCRIPT", "FLUSH");
                assertThat(engine.<String>call((session, call) -> slice.push(session, call, List.of(url))))
                        .isEqualTo("1");
            }
            assertThat(log.lines()).isEmpty();
        }
    }

    @Test
    void aReplicaIsAwaitedUntilItIsAPrimary() throws Exception {
        try (TestEngine primary = TestEngine.start();
                TestEngine server = TestEngine.start();
                Engine engine = open(server.address("a"))) {
            Session.Run run = engine.run();
            TestSlice slice = new TestSlice(run.id, "w", "{a}0");
            server.command("REPLICAOF", "127.0.0.1", String.valueOf(primary.port()));
            assertRefused(server.address("a"), "read-only replica");
            Future<String> pushed =
                    threads.submit(() -> engine.call((session, call) -> slice.push(session, call, List.of("u"))));
            Await.until(engine::isAway);
            server.command("REPLICAOF", "NO", "ONE");
            assertThat(pushed.get()).isEqualTo("1");
            assertThat(engine.run()).isNotSameAs(run);
            assertThat(engine.run().id).isEqualTo(run.id);
            assertThat(log.lines()).hasSize(2);
            assertThat(log.lines().get(0)).contains("replica");
            assertThat(log.lines().get(1)).contains("is back after", "restarted");
        }
    }

    @Test
    void anEngineThatRefusesWritesForNowIsWaitedFor() throws Exception {
        try (TestEngine server = TestEngine.start();
                Engine engine = open(server.address("a"))) {
            TestSlice slice = new TestSlice(engine.run().id, "w", "{a}0");
            server.config("min-replicas-to-write", "1");
            Future<String> pushed =
                    threads.submit(() -> engine.call((session, call) -> slice.push(session, call, List.of("u"))));
            Await.until(engine::isAway);
            server.config("min-replicas-to-write", "0");
            assertThat(pushed.get()).isEqualTo("1");
            assertThat(log.lines()).hasSize(2);
            assertThat(log.lines().get(0)).contains("NOREPLICAS");
        }
    }

    @Test
    @Tag("slow")
    void anEngineThatLoadsItsLogIsWaitedFor() throws Exception {
        try (TestEngine server = TestEngine.start();
                Engine engine = open(server.address("a"))) {
            server.command("EVAL", MANY_KEYS, "0");
            // In order: one that is killed may lose what it had no time to write yet.
            server.stop();
            Future<String> response = threads.submit(() -> ping(engine));
            Await.until(() -> !log.lines().isEmpty());
            server.launch("--key-load-delay", "10");
            assertThat(response.get()).isEqualTo("PONG");
            assertThat(server.text("DBSIZE")).isEqualTo("30000");
            assertThat(log.lines()).hasSize(2);
            assertThat(log.lines().get(1)).contains("is back after");
        }
    }

    @Test
    @Tag("slow")
    void anEngineThatLoadsItsLogIsWaitedForAtTheStart() throws IOException {
        try (TestEngine server = TestEngine.start()) {
            server.command("EVAL", MANY_KEYS, "0");
            server.stop();
            server.launch("--key-load-delay", "100");
            Await.until(() -> isLoading(server));
            assertThatThrownBy(() -> open(server.address("a"), Duration.ZERO, LONG))
                    .isInstanceOf(IOException.class)
                    .hasMessage(
                            "cannot use the engine redis://127.0.0.1:" + server.port() + ": it is loading its data");
            assertThat(log.lines()).isEmpty();
            try (Engine engine = open(server.address("a"))) {
                assertThat(server.text("DBSIZE")).isEqualTo("30000");
                assertThat(engine.isAway()).isFalse();
            }
            assertThat(log.lines()).hasSize(2);
            assertThat(log.lines().get(0)).endsWith("(it is loading its data); waiting up to 5 min");
            assertThat(log.lines().get(1)).contains("is back after").doesNotContain("run");
        }
    }

    private static boolean isLoading(TestEngine server) {
        try {
            return server.info("loading").equals("1");
        } catch (JedisException e) {
            return false;
        }
    }

    @Test
    void manyThreadsShareSomeConnections() throws Exception {
        try (TestEngine server = TestEngine.start();
                Engine engine = open(server.address("a"))) {
            TestSlice slice = new TestSlice(engine.run().id, "w", "{a}0");
            List<Future<Integer>> told = new ArrayList<>();
            for (int thread = 0; thread < 100; thread++) {
                told.add(threads.submit(() -> IntStream.range(0, 50)
                        .map(i -> engine.call((session, call) -> slice.push(session, call, List.of("u" + i)))
                                        .equals("1")
                                ? 1
                                : 0)
                        .sum()));
            }
            int sum = 0;
            for (Future<Integer> each : told) {
                sum += each.get();
            }
            assertThat(sum).isEqualTo(50);
            assertThat(server.text("LLEN", "{a}0q")).isEqualTo("50");
            assertThat(Integer.parseInt(server.info("connected_clients"))).isBetween(2, 65);
            assertThat(server.text("HLEN", "{a}0m"))
                    .satisfies(
                            fields -> assertThat(Integer.parseInt(fields) - 1).isLessThanOrEqualTo(64));
        }
    }

    @Test
    void responsesThatWereNotReceivedDoNotReachTheNextCall() throws IOException {
        try (TestEngine server = TestEngine.start();
                Engine engine = open(server.address("a"))) {
            assertThatThrownBy(() -> engine.call((session, call) -> {
                        session.send("SET", TestSlice.args("x", "1"));
                        session.send("HGET", TestSlice.args("x", "f"));
                        session.send("ECHO", TestSlice.args("late"));
                        session.receive();
                        return session.receive();
                    }))
                    .isInstanceOf(EngineException.class)
                    .hasMessageContaining("WRONGTYPE");
            assertThat(ping(engine)).isEqualTo("PONG");
            engine.call((session, call) -> {
                session.send("ECHO", TestSlice.args("late"));
                return null;
            });
            assertThat(ping(engine)).isEqualTo("PONG");
            assertThat(log.lines()).isEmpty();
        }
    }

    @Test
    void aNewRunHasItsLogRewrittenOnce() throws IOException {
        try (TestEngine server = TestEngine.start()) {
            for (int i = 0; i < 3; i++) {
                try (Engine engine = open(server.address("a"))) {
                    assertThat(ping(engine)).isEqualTo("PONG");
                }
                Await.until(() -> server.info("aof_rewrite_in_progress").equals("0")
                        && server.info("aof_rewrite_scheduled").equals("0"));
            }
            assertThat(Files.readString(server.folder().resolve("output")).split("rewriting started", -1))
                    .hasSize(2);
        }
    }
}
