package dev.sieve.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.Await;
import dev.sieve.OnFull;
import dev.sieve.SieveFullException;
import dev.sieve.UrlBatch;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What pushes that wait for the engine at the same time keep. */
@Tag("engine")
@Timeout(60)
class PushTripsTest {
    /** Round trips of pushes at a time. */
    private static final int LANES = 2;

    private TestEngine engine;
    private SharedSieve frontier;

    @BeforeEach
    void open() throws Exception {
        engine = TestEngine.start();
        frontier = builder(engine.address("trips")).open();
    }

    private static SharedSieve.Builder builder(EngineAddress address) {
        return SharedSieve.builder(address)
                .capacity(100_000)
                .slices(1)
                .cacheBytes(0)
                .patience(Duration.ofMinutes(1))
                .withoutKeeper();
    }

    @AfterEach
    void close() {
        frontier.abandon();
        engine.close();
    }

    /** A thread that pushes a page. */
    private final class Page {
        private final FutureTask<Integer> push;
        private final Thread thread;

        Page(String... urls) {
            UrlBatch batch = new UrlBatch();
            Stream.of(urls).forEach(batch::add);
            push = new FutureTask<>(() -> frontier.pushAll(batch));
            thread = new Thread(push);
            thread.start();
        }

        boolean isWaiting() {
            return thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING;
        }

        int isNew() throws Exception {
            return push.get();
        }
    }

    private Page page(int number) {
        return new Page("http://a.test/" + number, "http://a.test/other/" + number, "http://a.test/of-all");
    }

    private static void await(Stream<Page> pages) {
        pages.forEach(page -> {
            Await.until(() -> page.isWaiting() || page.push.isDone());
            assertThat(page.push.isDone()).isFalse();
        });
    }

    private long calls() {
        String stats = engine.text("INFO", "commandstats");
        return stats.lines()
                .filter(line -> line.startsWith("cmdstat_evalsha:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll(".*:calls=(\\d+).*", "$1")))
                .sum();
    }

    /** Pushes as many pages as there are round trips at a time, and waits until their threads are in a method. */
    private List<Page> busy(String method) {
        List<Page> pages = new ArrayList<>();
        for (int i = 0; i < LANES; i++) {
            Page page = page(i);
            pages.add(page);
            awaitIn(page, method);
        }
        return pages;
    }

    /** Has two pages wait for the next round trip, which the thread of the first one will make. */
    private List<Page> sharing() {
        Page first = page(LANES);
        await(Stream.of(first));
        Page second = page(LANES + 1);
        await(Stream.of(second));
        return List.of(first, second);
    }

    private static void awaitIn(Page page, String method) {
        Await.until(() -> Stream.of(page.thread.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals(method)));
    }

    @Test
    void pagesThatWaitAtTheSameTimeShareARoundTrip() throws Exception {
        engine.command("CONFIG", "RESETSTAT");
        engine.suspend();
        List<Page> pages = busy("receive");
        IntStream.range(LANES, 12).forEach(i -> pages.add(page(i)));
        await(pages.stream().skip(LANES));

        engine.resume();

        int accepted = 0;
        for (Page page : pages) {
            int isNew = page.isNew();
            assertThat(isNew).isBetween(2, 3);
            accepted += isNew;
        }
        assertThat(accepted).isEqualTo(12 * 2 + 1);
        assertThat(calls()).isEqualTo(LANES + 1);
        assertThat(frontier.pending()).isEqualTo(accepted);
    }

    @Test
    void anInterruptedThreadLeavesItsRoundTripToAnother() throws Exception {
        engine.stop();
        List<Page> pages = busy("awaitEnd");
        List<Page> sharing = sharing();
        Page first = sharing.get(0);
        Page second = sharing.get(1);

        interrupt(pages.get(0));
        awaitIn(first, "awaitEnd");
        interrupt(first);
        engine.restart();

        int rest = second.isNew() + pages.get(1).isNew();
        assertThat(rest).isBetween(2 * 2, 2 * 2 + 1);
        // The page that shared the round trip was accepted too.
        assertThat(frontier.pushAll(List.of("http://a.test/" + LANES, "http://a.test/of-all")))
                .isZero();
    }

    private static void interrupt(Page page) {
        page.thread.interrupt();
        assertThatThrownBy(page::isNew).rootCause().isInstanceOf(InterruptedIOException.class);
    }

    @Test
    void aRoundTripThatAnotherThreadRepeatsHasTheSameResult() throws Exception {
        try (LossyWire wire = new LossyWire(engine)) {
            frontier.abandon();
            frontier = builder(wire.address("trips")).open();
            engine.suspend();
            List<Page> connecting = busy("receive");
            engine.resume();
            assertThat(connecting.get(0).isNew() + connecting.get(1).isNew()).isEqualTo(2 * 2 + 1);
            engine.suspend();
            List<Page> pages = busy("receive");
            List<Page> sharing = sharing();
            Page first = sharing.get(0);
            Page second = sharing.get(1);

            // The engine runs the call of the first page, whose response is lost.
            wire.cutAfter(LANES);
            engine.resume();
            awaitIn(first, "awaitEnd");
            interrupt(first);
            wire.restore();

            assertThat(second.isNew()).isEqualTo(2);
            for (Page page : pages) {
                assertThat(page.isNew()).isZero();
            }
        }
    }

    @Test
    void urlsOfAnInterruptedPushThatWasNotSentAreNewLater() throws Exception {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> frontier.push("http://a.test/")).isInstanceOf(UncheckedIOException.class);
        assertThat(Thread.interrupted()).isTrue();

        assertThat(frontier.push("http://a.test/")).isTrue();
    }

    @Test
    void aPageWithoutNewUrlsIsNotRefusedWithAnother() throws Exception {
        frontier.abandon();
        frontier = SharedSieve.builder(engine.address("full"))
                .capacity(5)
                .slices(1)
                .onFull(OnFull.FAIL)
                .cacheBytes(0)
                .withoutKeeper()
                .open();
        // 2 * 2 + 1 URLs
        assertThat(page(0).isNew() + page(1).isNew()).isEqualTo(5);
        engine.suspend();
        List<Page> busy = busy("receive");
        Page seen = page(1);
        await(Stream.of(seen));
        List<Page> refused = List.of(page(2), page(2));
        await(refused.stream());

        engine.resume();

        for (Page page : List.of(busy.get(0), busy.get(1), seen)) {
            assertThat(page.isNew()).isZero();
        }
        for (Page page : refused) {
            assertThatThrownBy(page::isNew).cause().isInstanceOf(SieveFullException.class);
        }
    }

    @Test
    void aThreadThatIsInterruptedBeforeItsTurnEndsAtOnce() throws Exception {
        engine.stop();
        List<Page> pages = busy("awaitEnd");
        List<Page> sharing = sharing();

        interrupt(sharing.get(1));
        interrupt(sharing.get(0));
        engine.restart();

        assertThat(pages.get(0).isNew() + pages.get(1).isNew()).isEqualTo(2 * 2 + 1);
        assertThat(new Page("http://b.test/").isNew()).isEqualTo(1);
    }

    @Test
    void aFailureEndsAllThatShareTheRoundTrip() throws Exception {
        engine.stop();
        List<Page> pages = busy("awaitEnd");
        IntStream.range(LANES, 5).forEach(i -> pages.add(page(i)));
        await(pages.stream().skip(LANES));

        frontier.impatient();

        for (Page page : pages) {
            assertThatThrownBy(page::isNew)
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isInstanceOf(UncheckedIOException.class);
        }
    }
}
