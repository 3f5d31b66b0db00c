package dev.sieve.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.Await;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("engine")
class ScriptTest {
    static List<File> engines() {
        return TestEngine.all();
    }

    private static void with(File program, Consumer<Session> test, String... settings) {
        try (TestEngine server = TestEngine.start(program, settings);
                Engine engine = new Engine(server.address("a"), Duration.ofMinutes(1), System::nanoTime)) {
            engine.call((session, call) -> {
                test.accept(session);
                return null;
            });
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static List<String> strings(Object response) {
        List<String> strings = new ArrayList<>();
        for (Object item : (List<?>) response) {
            strings.add(
                    item instanceof byte[] bytes
                            ? new String(bytes, StandardCharsets.UTF_8)
                            : item instanceof List<?> list ? strings(list).toString() : String.valueOf(item));
        }
        return strings;
    }

    private static Object command(Session session, String command, String... args) {
        session.send(command, TestSlice.args((Object[]) args));
        return session.receive();
    }

    @ParameterizedTest
    @MethodSource("engines")
    void aPushReturnsWhatIsNewAndQueuesIt(File program) {
        with(program, session -> {
            TestSlice slice = new TestSlice(session.run().id, "w1", "{a}0");
            assertThat(slice.push(session, 1, List.of("a", "bb", "ccc"))).isEqualTo("111");
            assertThat(slice.push(session, 2, List.of("bb", "d", "ccc", "eeeee")))
                    .isEqualTo("0101");
            assertThat(slice.push(session, 3, List.of("a", "d"))).isEqualTo("00");
            long token = slice.claim(session);
            assertThat(strings(slice.take(session, token, 4, 10)))
                    .containsExactly("1", "\0\3heada" + "bbccc", "\0\2headdeeeee");
            assertThat(strings(slice.look(session))).startsWith("5", "2", "0", "0", "0", "2", "0", "w1");
        });
    }

    @ParameterizedTest
    @MethodSource("engines")
    void pagesOfOneCallHaveFramesOfTheirOwn(File program) {
        with(program, session -> {
            TestSlice slice = new TestSlice(session.run().id, "w1", "{a}0");
            slice.push(session, 1, List.of("old"));

            List<List<String>> pages = List.of(List.of("a", "old"), List.of(), List.of("bb", "ccc"), List.of("old2"));
            String mask = slice.pushPages(session, 2, pages);

            assertThat(mask).isEqualTo("10111");
            long token = slice.claim(session);
            assertThat(strings(slice.take(session, token, 3, 10)))
                    .containsExactly("1", "\0\1headold", "\0\1heada", "\0\2headbbccc", "\0\1headold2");
            assertThat(slice.pushPages(session, 2, pages)).isEqualTo(mask);
        });
    }

    @ParameterizedTest
    @MethodSource("engines")
    void aCallHasAsManyUrlsAsARoundTrip(File program) {
        with(program, session -> {
            TestSlice slice = new TestSlice(session.run().id, "w1", "{a}0");
            List<List<String>> pages = IntStream.range(0, PushTrip.Part.MAX_URLS)
                    .mapToObj(i -> List.of("u" + i))
                    .toList();

            slice.push(session, 1, List.of("u0"));
            String almostAll = "0" + "1".repeat(pages.size() - 1);

            assertThat(slice.pushPages(session, 2, pages)).isEqualTo(almostAll);
            assertThat(command(session, "LLEN", "{a}0q")).isEqualTo((long) pages.size());
            assertThat(slice.pushPages(session, 2, pages)).isEqualTo(almostAll);
            assertThat(slice.pushPages(session, 3, pages)).isEqualTo("0".repeat(pages.size()));
        });
    }

    @ParameterizedTest
    @MethodSource("engines")
    void aRepeatedCallGetsTheSameAnswer(File program) {
        with(program, session -> {
            TestSlice slice = new TestSlice(session.run().id, "w1", "{a}0");
            assertThat(slice.push(session, 1, List.of("a", "b"))).isEqualTo("11");
            assertThat(slice.push(session, 1, List.of("a", "b"))).isEqualTo("11");
            assertThat(slice.push(session, 2, List.of("b", "c"))).isEqualTo("01");
            assertThat(slice.push(session, 2, List.of("b", "c"))).isEqualTo("01");
            // A number that starts with the stored one is another.
            assertThat(slice.push(session, 21, List.of("a", "b"))).isEqualTo("00");
            long token = slice.claim(session);
            List<String> taken = strings(slice.take(session, token, 3, 1));
            assertThat(strings(slice.take(session, token, 3, 1)))
                    .isEqualTo(taken)
                    .hasSize(2);
            assertThat(strings(slice.take(session, token, 4, 9))).hasSize(2).doesNotContainAnyElementsOf(taken);
            assertThat(strings(slice.take(session, token, 5, 9))).containsExactly("0");
            assertThat(slice.done(session, token, 6, 1, "", 2)).isEqualTo(1);
            assertThat(slice.done(session, token, 6, 1, "", 2)).isZero();
            assertThat(slice.done(session, token, 7, 2, "x", 1)).isEqualTo(1);
            assertThat(strings(slice.look(session))).startsWith("3", "2", "3", "0", "0", "1");
            assertThat(strings(command(session, "HGETALL", "{a}0d"))).containsExactly("2", "x");
        });
    }

    @ParameterizedTest
    @MethodSource("engines")
    void urlsOfHostsAreCountedOncePerCallAndOnlyInTheirRun(File program) {
        with(program, session -> {
            TestSlice slice = new TestSlice(session.run().id, "w1", "{a}0");
            long token = slice.claim(session);

            assertThat(slice.doneOf(session, token, 1, "run 1", "a", 2)).isEqualTo(1);
            assertThat(slice.doneOf(session, token, 1, "run 1", "a", 2)).isZero();
            assertThat(slice.doneOf(session, token, 2, "run 1", "a", 3)).isEqualTo(1);
            assertThat(Replies.map(command(session, "HGETALL", "{a}0h"))).isEqualTo(Map.of("/", "run 1", "a", "5"));

            assertThat(slice.doneOf(session, token, 3, "run 2", "b", 1)).isEqualTo(1);
            assertThat(Replies.map(command(session, "HGETALL", "{a}0h"))).isEqualTo(Map.of("/", "run 2", "b", "1"));
            assertThat(slice.doneOf(session, token - 1, 4, "run 2", "b", 1)).isEqualTo(-1);
        });
    }

    @ParameterizedTest
    @MethodSource("engines")
    void aPushThatArrivesAfterALaterOneChangesNothing(File program) {
        with(program, session -> {
            TestSlice slice = new TestSlice(session.run().id, "w1", "{a}0");
            assertThat(slice.push(session, 10, List.of("a"))).isEqualTo("1");
            assertThat(slice.push(session, 9, List.of("b"))).isEqualTo("0");
            assertThat(slice.push(session, 10, List.of("a"))).isEqualTo("1");
            assertThat(command(session, "LLEN", "{a}0q")).isEqualTo(1L);
        });
    }

    @ParameterizedTest
    @MethodSource("engines")
    void aCallThatArrivesAfterALaterOneChangesNothing(File program) {
        with(program, session -> {
            TestSlice slice = new TestSlice(session.run().id, "w1", "{a}0");
            for (int i = 1; i <= 4; i++) {
                slice.push(session, i, List.of("url" + i));
            }
            long token = slice.claim(session);
            assertThat((List<?>) slice.take(session, token, 9, 1)).hasSize(2);
            assertThat((List<?>) slice.take(session, token, 10, 1)).hasSize(2);
            assertThat(slice.done(session, token, 9, 1, "a", 1)).isEqualTo(1);
            assertThat(slice.done(session, token, 10, 1, "b", 1, 2, "", 1)).isEqualTo(1);

            // Both of these would be numbers that are greater as texts.
            assertThat(strings(slice.take(session, token, 9, 2))).containsExactly("0");
            assertThat(slice.done(session, token, 9, 1, "a", 1)).isZero();

            assertThat(strings(slice.look(session))).startsWith("4", "2", "3", "0", "2", "1");
            assertThat(strings(command(session, "HGETALL", "{a}0d"))).containsExactly("1", "b");
        });
    }

    @ParameterizedTest
    @MethodSource("engines")
    void anErrorOfTheEngineNamesItAndNoScript(File program) {
        with(program, session -> {
            TestSlice slice = new TestSlice(session.run().id, "w1", "{a}0");
            command(session, "SET", "{a}0q", "text");
            assertThatThrownBy(() -> slice.push(session, 1, List.of("a")))
                    .isInstanceOf(EngineException.class)
                    .message()
                    .matches("the engine redis://127.0.0.1:[0-9]+ refuses a command:"
                            + " WRONGTYPE Operation against a key holding the wrong kind of value"
                            + " \\('sieve state' names the key, .*");
            command(session, "HSET", "{a}0o", "worker", "w2", "until", "x");
            assertThatThrownBy(() -> slice.claim(session))
                    .message()
                    .matches("the engine redis://127.0.0.1:[0-9]+ refuses a command: [^_]*");
        });
    }

    @ParameterizedTest
    @MethodSource("engines")
    void onlyTheOwnerOfThisRunChangesASlice(File program) {
        with(program, session -> {
            String run = session.run().id;
            TestSlice first = new TestSlice(run, "w1", "{a}0");
            TestSlice second = new TestSlice(run, "w2", "{a}0");
            first.push(session, 1, List.of("a"));
            first.push(session, 2, List.of("b"));
            long token = first.claim(session);
            assertThat(strings(first.take(session, token, 3, 1))).hasSize(2);
            List<?> refused = second.claimed(session);
            assertThat(refused.get(0)).isEqualTo(0L);
            assertThat((Long) refused.get(1)).isBetween(1L, 15_000L);
            // The owner claims again, as after a lost answer: the calls of the earlier token are refused.
            long next = first.claim(session);
            assertThat(next).isEqualTo(token + 1);
            for (TestSlice late : List.of(first, second, new TestSlice("other run", "w1", "{a}0"))) {
                long held = late == first ? token : next;
                assertThat(late.take(session, held, 4, 1)).isEqualTo(-1L);
                assertThat(late.done(session, held, 5, 1, "", 1)).isEqualTo(-1);
                assertThat(late.renew(session, held, true, 3)).isEqualTo(-1L);
                assertThat(late.release(session, held)).isEqualTo(-1);
            }
            assertThat(first.release(session, next)).isEqualTo(1);
            assertThat(first.take(session, next, 6, 1)).isEqualTo(-1L);
            List<?> claimed = second.claimed(session);
            assertThat(strings(claimed.subList(0, 5))).containsExactly(next + 1 + "", "1", "[1]", "[]", "[]");
            // The answer was lost: the second one says as well that the slice had another owner.
            assertThat(strings(second.claimed(session)).subList(0, 2)).containsExactly(next + 2 + "", "1");
            // The owner may be cut off from the engine, so that it believes in its time in the next run as well.
            assertThat(new TestSlice("next run", "w1", "{a}0").claim(session)).isZero();
            assertThat(new TestSlice("next run", "w2", "{a}0").claim(session)).isEqualTo(next + 3);
        });
    }

    @ParameterizedTest
    @MethodSource("engines")
    void aSliceIsFreeInTimeAlsoIfTheClockWasSetBack(File program) {
        with(program, session -> {
            String run = session.run().id;
            TestSlice first = new TestSlice(run, "w1", "{a}0");
            TestSlice second = new TestSlice(run, "w2", "{a}0");
            assertThat(first.claim(session)).isEqualTo(1);
            long until = Long.parseLong(
                    strings(command(session, "HMGET", "{a}0o", "until")).get(0));
            assertThat(second.claim(session)).isZero();
            command(session, "HSET", "{a}0o", "until", String.valueOf(until - 15_000));
            assertThat(second.claim(session)).isEqualTo(2);
            assertThat(first.claim(session)).isZero();
            command(session, "HSET", "{a}0o", "until", String.valueOf(until + 3_600_000));
            assertThat(first.claim(session)).isEqualTo(3);
        });
    }

    @ParameterizedTest
    @MethodSource("engines")
    void aSliceIsIdleUntilAFrameIsTaken(File program) {
        with(program, session -> {
            TestSlice slice = new TestSlice(session.run().id, "w1", "{a}0");
            long token = slice.claim(session);
            assertThat(strings(slice.renew(session, token, true, 4))).containsExactly("0", "0", "0", "0", "4");
            assertThat(slice.look(session).get(6)).isEqualTo(1L);
            slice.push(session, 1, List.of("a"));
            assertThat(strings(slice.renew(session, token, true, 0))).containsExactly("1", "0", "1", "0", "4");
            assertThat(slice.look(session).get(6)).isEqualTo(0L);
            slice.take(session, token, 2, 1);
            slice.renew(session, token, true, 0);
            assertThat(slice.look(session).get(6)).isEqualTo(1L);
            slice.push(session, 3, List.of("b"));
            slice.take(session, token, 4, 1);
            assertThat(slice.look(session).get(6)).isEqualTo(0L);
            assertThat(new TestSlice("other run", "w1", "{a}0").look(session).get(6))
                    .isEqualTo(0L);
        });
    }

    @ParameterizedTest
    @MethodSource("engines")
    void aLateRenewalDoesNotMakeTheOwnerIdle(File program) {
        with(program, session -> {
            TestSlice slice = new TestSlice(session.run().id, "w1", "{a}0");
            long token = slice.claim(session);
            assertThat(seen(session, slice, token, 1, 9, 3)).isEqualTo(3);
            assertThat(seen(session, slice, token, 1, 9, 3)).isEqualTo(3);
            slice.push(session, 10, List.of("a"));
            slice.take(session, token, 11, 1);
            assertThat(seen(session, slice, token, 0, 12, 1)).isEqualTo(4);

            assertThat(seen(session, slice, token, 1, 9, 3)).isEqualTo(4);

            assertThat(slice.look(session).get(6)).isEqualTo(0L);
            long next = slice.claim(session);
            assertThat(seen(session, slice, next, 1, 1, 2)).isEqualTo(6);
            assertThat(slice.look(session).get(6)).isEqualTo(1L);
        });
    }

    private static long seen(Session session, TestSlice slice, long token, int idle, int call, int seen) {
        byte[][] args = TestSlice.args(slice.run, token, slice.worker, 15_000, idle, seen, call);
        session.send(Script.RENEW, slice.keys("o q f m"), args);
        return (Long) ((List<?>) session.receive()).get(4);
    }

    @ParameterizedTest
    @MethodSource("engines")
    void pausesOfHostsMoveUntilTheyEnd(File program) {
        with(program, session -> {
            command(session, "HSET", "{a}0p", "old", "5000 1", "new", "5000 99999999999999", "damaged", "x");
            List<?> claimed = new TestSlice(session.run().id, "w1", "{a}0").claimed(session);
            assertThat(strings(claimed.get(4))).containsExactly("new", "5000 99999999999999");
            assertThat(strings(command(session, "HKEYS", "{a}0p"))).containsExactly("new");
        });
    }

    @ParameterizedTest
    @MethodSource("engines")
    void countsMoveAndTheHighestIsKept(File program) {
        with(program, session -> {
            TestSlice slice = new TestSlice(session.run().id, "w1", "{a}0");
            command(session, "HSET", "{a}", "id", "1");
            byte[][] keys = {slice.keys("t")[0], slice.settings()};
            for (Object[] args : new Object[][] {
                {"a", 500, 1}, {"a", 1000, 1}, {"a", 500, 1}, {"-b", 7, 1}, {"a", 1000, 1}, {"c", 9, "other"}
            }) {
                session.send(Script.COUNT, keys, TestSlice.args(args));
            }
            assertThat(IntStream.range(0, 6).mapToObj(i -> session.receive())).containsExactly(1L, 1L, 0L, 1L, 0L, 0L);
            assertThat(Replies.map(slice.claimed(session).get(6))).isEqualTo(Map.of("a", "1000", "-b", "7"));
        });
    }

    @ParameterizedTest
    @MethodSource("engines")
    void aScriptHasArgumentsForManyUrlsAndFrames(File program) {
        with(program, session -> {
            TestSlice slice = new TestSlice(session.run().id, "w1", "{a}0");
            List<String> urls = new ArrayList<>();
            for (int i = 0; i < 1024; i++) {
                urls.add(i + "x".repeat(i));
            }
            String all = "1".repeat(1024);
            assertThat(slice.push(session, 1, urls)).isEqualTo(all);
            assertThat(slice.push(session, 1, urls)).isEqualTo(all);
            assertThat(slice.push(session, 2, urls)).isEqualTo("0".repeat(1024));
            for (int i = 0; i < 1023; i++) {
                slice.push(session, i + 3, List.of("short" + i));
            }
            long token = slice.claim(session);
            List<?> taken = (List<?>) slice.take(session, token, 2000, 1024);
            assertThat(taken).hasSize(1025);
            assertThat(TestSlice.texts(taken.get(1))).isEqualTo(String.join("", urls));
            assertThat(TestSlice.texts(taken.get(1024))).isEqualTo("short1022");
            assertThat((List<?>) slice.take(session, token, 2000, 1024)).hasSize(1025);
            List<Object> done = new ArrayList<>();
            for (int i = 1; i <= 1024; i++) {
                done.addAll(List.of(i, i % 2 == 0 ? "" : "bits", 1));
            }
            assertThat(slice.done(session, token, 2001, done.toArray())).isEqualTo(1);
            assertThat(slice.look(session).subList(4, 6)).isEqualTo(List.of(0L, 512L));
            assertThat((List<?>) slice.claimed(session).get(3)).hasSize(1024);
        });
    }

    @ParameterizedTest
    @MethodSource("engines")
    void aRepeatedPushOfManyUrlsHasTheSameAnswer(File program) {
        with(program, session -> {
            TestSlice slice = new TestSlice(session.run().id, "w", "{a}0");
            List<String> urls = IntStream.range(0, 300).mapToObj(i -> "u" + i).toList();
            slice.push(session, 1, urls.subList(1, 299));
            String mask = "1" + "0".repeat(298) + "1";

            assertThat(slice.push(session, 2, urls)).isEqualTo(mask);
            assertThat(slice.push(session, 2, urls)).isEqualTo(mask);
        });
    }

    @ParameterizedTest
    @MethodSource("engines")
    void answersToWorkersThatEndedAreRemoved(File program) {
        with(program, session -> {
            TestSlice slice = new TestSlice(session.run().id, "w1", "{a}0");
            for (int i = 0; i < 100; i++) {
                command(session, "HSET", "{a}0m", "old." + i, "1:", "w1." + i, "1:", "w2." + i, "1:");
            }
            slice.claim(session);
            assertThat(command(session, "HLEN", "{a}0m")).isEqualTo(301L);
            for (int i = 0; i < 2; i++) {
                session.send(Script.CLAIM, slice.keys("o m f d p t"), TestSlice.args(slice.run, "w1", 10, "w1", "w2"));
                assertThat((List<?>) session.receive()).hasSize(7);
                assertThat(strings(command(session, "HKEYS", "{a}0m")))
                        .hasSize(201)
                        .contains("token")
                        .noneMatch(lane -> lane.startsWith("old"));
            }
        });
    }

    @ParameterizedTest
    @MethodSource("engines")
    void workersAreAliveWhileTheyBeat(File program) {
        with(program, session -> {
            byte[][] keys = {TestSlice.bytes("{a}w"), TestSlice.bytes("{a}")};
            command(session, "HSET", "{a}", "id", "1");
            // The clock of the engine was set back after its last sign of life.
            command(session, "ZADD", "{a}w", "99999999999999", "dead");
            session.send(Script.BEAT, keys, TestSlice.args("w3", 0, 0, 1));
            session.send(Script.BEAT, keys, TestSlice.args("w1", 60_000, 0, 1));
            session.send(Script.BEAT, keys, TestSlice.args("w2", 60_000, 0, 1));
            session.send(Script.BEAT, keys, TestSlice.args("w1", 60_000, 0, 1));
            session.send(Script.BEAT, keys, TestSlice.args("w2", 60_000, 1, 1));
            session.receive();
            assertThat(IntStream.range(0, 4).mapToObj(i -> session.receive())).containsExactly(1L, 2L, 2L, 1L);
            assertThat(strings(command(session, "ZRANGE", "{a}w", "0", "-1"))).containsExactly("w1");
        });
    }

    @ParameterizedTest
    @MethodSource("engines")
    void nothingIsStoredForAnotherCrawl(File program) {
        with(program, session -> {
            command(session, "HSET", "{a}", "id", "1");
            byte[][] list = {TestSlice.bytes("{a}"), TestSlice.bytes("{a}l:seeds")};
            session.send(Script.STORE, list, TestSlice.args(1, "RPUSH", "one", "two"));
            session.send(Script.STORE, list, TestSlice.args("other", "RPUSH", "three"));
            session.send(
                    Script.BUDGET,
                    new byte[][] {TestSlice.bytes("{a}b"), TestSlice.bytes("{a}w"), TestSlice.bytes("{a}")},
                    TestSlice.args("other", "w1", 10, 1, 1, 1));
            assertThat(IntStream.range(0, 3).mapToObj(i -> session.receive())).containsExactly(2L, -3L, -3L);
            assertThat(strings(command(session, "LRANGE", "{a}l:seeds", "0", "-1")))
                    .containsExactly("one", "two");
            assertThat(command(session, "EXISTS", "{a}b")).isEqualTo(0L);
        });
    }

    @ParameterizedTest
    @MethodSource("engines")
    void whatIsDoneAfterTheTimeOfTheOwnerIsRefused(File program) {
        with(program, session -> {
            TestSlice slice = new TestSlice(session.run().id, "w1", "{a}0");
            slice.push(session, 1, List.of("u"));
            long token = slice.claim(session);
            slice.take(session, token, 1, 1);
            command(session, "HSET", "{a}0o", "until", "1");
            assertThat(slice.done(session, token, 1, 1, "", 1)).isEqualTo(-1);
            assertThat(slice.renew(session, token, false, 1)).isInstanceOf(List.class);
            assertThat(slice.done(session, token, 1, 1, "", 1)).isEqualTo(1);
        });
    }

    @ParameterizedTest
    @MethodSource("engines")
    void aMarkIsWonByOne(File program) {
        with(program, session -> {
            byte[][] keys = {TestSlice.bytes("{a}e"), TestSlice.bytes("{a}")};
            command(session, "HSET", "{a}", "id", "1");
            for (Object[] args : new Object[][] {
                {"80", "w1", 1}, {"80", "w2", 1}, {"e", 5, 1, 1}, {"e", 5, 1, 1}, {"e", 6, 1, 1}, {"e", 7, "other", 1}
            }) {
                session.send(Script.MARK, keys, TestSlice.args(args));
            }
            assertThat(IntStream.range(0, 6).mapToObj(i -> session.receive())).containsExactly(1L, 0L, 1L, 0L, 1L, 0L);
            assertThat(strings(command(session, "HGETALL", "{a}e"))).containsExactly("80", "w1", "e", "6");
        });
    }

    @ParameterizedTest
    @MethodSource("engines")
    void aFullEngineRefusesPushesWholeAndTheRestGoesOn(File program) {
        with(
                program,
                session -> {
                    TestSlice slice = new TestSlice(session.run().id, "w1", "{a}0");
                    // Redis 6.2 needs 10 MB while it rewrites its log.
                    Await.until(() -> new String(
                                    (byte[]) command(session, "INFO", "persistence"), StandardCharsets.US_ASCII)
                            .matches("(?s).*aof_rewrite_in_progress:0.*aof_last_rewrite_time_sec:[0-9].*"));
                    long told = 0;
                    long call = 0;
                    while (true) {
                        long page = ++call;
                        List<String> urls = IntStream.range(0, 64)
                                .mapToObj(i -> page + "/" + i + "x".repeat(200))
                                .toList();
                        try {
                            told += slice.push(session, page, urls)
                                    .chars()
                                    .filter(c -> c == '1')
                                    .count();
                        } catch (EngineException.Full e) {
                            assertThat(e.getMessage())
                                    .matches(
                                            "the engine redis://127.0.0.1:[0-9]+ has no memory left: raise its maxmemory");
                            assertThat(slice.look(session).get(0)).isEqualTo(told);
                            // A repetition of what was accepted is answered.
                            assertThat(slice.push(session, page - 1, List.of("?")))
                                    .contains("1");
                            break;
                        }
                    }
                    assertThat(told).isGreaterThan(1000);
                    long token = slice.claim(session);
                    slice.take(session, token, ++call, 3);
                    assertThat(slice.done(session, token, ++call, 1, "", 64, 2, "bits", 7))
                            .isEqualTo(1);
                    assertThat((List<?>) slice.renew(session, token, true, 3)).hasSize(5);
                    session.send(
                            Script.BEAT,
                            new byte[][] {TestSlice.bytes("{a}w"), slice.settings()},
                            TestSlice.args("new worker", 10_000, 0, 1));
                    assertThat(session.receive()).isEqualTo(1L);
                    session.send(
                            Script.MARK,
                            new byte[][] {TestSlice.bytes("{a}e"), slice.settings()},
                            TestSlice.args("100", "w1", 1));
                    assertThat(session.receive()).isEqualTo(1L);
                    session.send(
                            Script.BUDGET,
                            new byte[][] {TestSlice.bytes("{a}b"), TestSlice.bytes("{a}w"), slice.settings()},
                            TestSlice.args(1, "new worker", 10, 2, 1, 1));
                    assertThat((List<?>) session.receive()).isEqualTo(List.of(3L, 0L, 0L));
                    List<?> look = slice.look(session);
                    assertThat(look.subList(0, 4)).isEqualTo(List.of(told, 3L, 71L, 3L));
                    assertThat(slice.release(session, token)).isEqualTo(1);
                },
                "--maxmemory",
                "10mb");
    }

    @ParameterizedTest
    @MethodSource("engines")
    void aWorkerWithAnOldReadingMakesNoOtherReadingOld(File program) {
        with(program, session -> {
            command(session, "HSET", "{a}", "id", "1");
            command(session, "ZADD", "{a}w", "1", "w1", "1", "w2");
            assertThat(budget(session, "w1", 3, 0, "0")).isEqualTo(3L);
            assertThat(budget(session, "w2", 2, 0, "0")).isEqualTo(2L);

            // Both have read version 0, and each has fewer pages begun than before.
            assertThat(budget(session, "w1", 2, 0, "0")).isEqualTo(2L);
            assertThat(budget(session, "w2", 1, 0, "0")).isEqualTo(-1L);
            // What the first one has read in the meantime is not old.
            assertThat(budget(session, "w1", 1, 0, "1")).isEqualTo(1L);
            assertThat(budget(session, "w2", 1, 0, "2")).isEqualTo(1L);
        });
    }

    /** Returns how many pages the worker may have begun; -1 when its reading is old. */
    private static Object budget(Session session, String worker, int begun, int wanted, String version) {
        session.send(
                Script.BUDGET,
                new byte[][] {TestSlice.bytes("{a}b"), TestSlice.bytes("{a}w"), TestSlice.bytes("{a}")},
                TestSlice.args(1, worker, 10, begun, wanted, 0, 0, version));
        Object reply = session.receive();
        return reply instanceof List<?> list ? list.get(0) : reply;
    }
}
