package dev.sieve.browser;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.fetch.FetchRequest;
import dev.sieve.fetch.FetchResult;
import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.fetch.FetchResult.Redirect;
import dev.sieve.fetch.PageFetcher;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class PagePartsTest {
    private static final String PAGE = "https://h.test/app/";

    private final List<FetchRequest> sent = Collections.synchronizedList(new ArrayList<>());
    private final List<String> checked = Collections.synchronizedList(new ArrayList<>());
    private final Map<String, FetchResult> results = new HashMap<>();
    private final PageParts.Shared shared = new PageParts.Shared();
    private final Map<String, String> fields = new HashMap<>();
    private String forbidden = "";
    private boolean isRelaxed;
    private long now;

    private final FetchRequest.Watch watch = new FetchRequest.Watch() {
        @Override
        public boolean allows(String url, boolean obeysRobots, Consumer<Runnable> cancels) {
            checked.add(url);
            return !obeysRobots || !url.equals(forbidden);
        }
    };

    private FetchResult fetch(FetchRequest request) {
        sent.add(request);
        request.watch().maySend("h.test");
        return results.getOrDefault(request.url(), new Failed(0, Reason.CLOSED, ""));
    }

    private PageParts page() {
        return page(this::fetch);
    }

    private PageParts page(PageFetcher fetcher) {
        FetchRequest request = new FetchRequest(PAGE).onlyIf(fields).watchedBy(watch);
        return new PageParts(request, fetcher, isRelaxed, shared, () -> now);
    }

    private static Page get(PageParts parts, String url, String type, Map<String, String> headers) {
        CompletableFuture<Page> answer = new CompletableFuture<>();
        parts.request(url, type, headers, answer::complete);
        return answer.join();
    }

    private Page get(String url, String type) {
        try (PageParts parts = page()) {
            return get(parts, url, type, Map.of());
        }
    }

    private void on(String url, String body, String... header) {
        Map<String, List<String>> headers = new HashMap<>();
        for (int i = 0; i < header.length; i += 2) {
            headers.put(header[i], List.of(header[i + 1]));
        }
        results.put(url, new Page(200, headers, "", body.getBytes(UTF_8), body.length(), false));
    }

    @Test
    void aPartIsRequestedWithItsFieldsAndCounted() {
        on("https://h.test/a", "abc", "content-type", "text/plain");
        try (PageParts parts = page()) {
            Map<String, String> headers = Map.of("Accept", "x/y", "X-Key", "1", "User-Agent", "no", "Sec-Ch-Ua", "no");

            Page part = get(parts, "https://h.test/a", "Fetch", headers);

            assertThat(part.body()).isEqualTo("abc".getBytes(UTF_8));
            assertThat(part.headers()).containsOnlyKeys("content-type");
            assertThat(parts.requests).hasValue(1);
            assertThat(parts.bytes).hasValue(3);
        }
        assertThat(sent.get(0).fields()).isEqualTo(Map.of("Accept", "x/y", "X-Key", "1"));
    }

    /** The fetcher sends the fields of the user only where there is no Origin, and scripts cannot take it away. */
    @Test
    void cookiesOfTheBrowserAreSentAndOtherOriginsMarked() {
        fields.put("Cookie", "of=document");
        Map<String, String> none = Map.of();
        Map<String, String> some = Map.of("Cookie", "a=1", "HX-Request", "true", "Sec-Fetch-Mode", "cors");
        Map<String, String> tainted = Map.of("Origin", "null");
        try (PageParts parts = page()) {
            get(parts, "https://h.test/a", "XHR", none);
            get(parts, "https://h.test/b", "XHR", some);
            get(parts, "https://other.test/a", "XHR", some);
            get(parts, "https://other.test/b", "Script", tainted);
            get(parts, "http://h.test/a", "XHR", none);
        }

        assertThat(sent.stream().map(FetchRequest::fields).distinct())
                .containsExactly(
                        Map.of(),
                        Map.of("Cookie", "a=1", "HX-Request", "true"),
                        Map.of("Cookie", "a=1", "HX-Request", "true", "Origin", "https://h.test"),
                        Map.of("Origin", "null"),
                        Map.of("Origin", "https://h.test"));
    }

    @Test
    void robotsForbidPartsButScriptsIfRelaxed() {
        forbidden = "https://h.test/a.js";
        on(forbidden, "a");

        assertThat(get(forbidden, "Script")).isNull();
        assertThat(sent).isEmpty();
        isRelaxed = true;
        assertThat(get(forbidden, "Fetch")).isNull();
        assertThat(get(forbidden, "Script").body()).hasSize(1);
    }

    /** Each may be of a host of its own, whose robots.txt would be requested. */
    @Test
    void aPageThatRobotsForbidAllPartsOfHasTheSameLimit() {
        forbidden = "https://h.test/a";
        try (PageParts parts = page()) {
            for (int i = 0; i < 310; i++) {
                get(parts, forbidden, "Fetch", Map.of());
            }
        }
        assertThat(checked).hasSize(300);
    }

    @Test
    void whatIsRefusedIsCountedAndWhatFailsIsNot() {
        forbidden = "https://h.test/a";
        results.put("https://h.test/large", new Page(200, Map.of(), "", new byte[1], 1, true));
        try (PageParts parts = page()) {
            get(parts, forbidden, "Fetch", Map.of());
            get(parts, "https://h.test/large", "Fetch", Map.of());
            get(parts, "https://h.test/fails", "Fetch", Map.of());

            assertThat(parts.refused).hasValue(2);
        }
    }

    @Test
    void redirectsArePassedOnAndClosedConnectionsRetried() {
        results.put("https://h.test/a", new Redirect(301, "https://h.test/b"));

        assertThat(get("https://h.test/a", "Fetch").header("location")).isEqualTo("https://h.test/b");
        assertThat(get("https://h.test/none", "Fetch")).isNull();
        assertThat(sent).hasSize(3);
    }

    @Test
    void scriptsAreKeptForAsLongAsTheyMayBe() {
        on("https://h.test/a.js", "a", "cache-control", "public, max-age=10", "vary", "Accept-Encoding");

        for (long each : new long[] {0, 9, 10}) {
            now = TimeUnit.SECONDS.toNanos(each);
            assertThat(get("https://h.test/a.js", "Script").body()).hasSize(1);
        }

        assertThat(sent).hasSize(2);
        get("https://h.test/a.js", "Fetch");
        assertThat(sent).hasSize(3);
    }

    /** As that of another site, of another user, or of a page to which the server says more. */
    @Test
    void aKeptResponseBelongsToAllThatItWasRequestedWith() {
        String script = "https://h.test/me.js";
        on(script, "a", "cache-control", "max-age=9");
        FetchRequest other = new FetchRequest("https://other.test/").watchedBy(watch);
        try (PageParts own = page();
                PageParts another = new PageParts(other, this::fetch, false, shared, () -> now)) {
            get(own, script, "Script", Map.of("Cookie", "session=a", "Referer", "https://h.test/1"));
            get(own, script, "Script", Map.of("Cookie", "session=a", "Referer", "https://h.test/2"));
            assertThat(sent).hasSize(1);
            get(another, script, "Script", Map.of("Referer", "https://other.test/"));
            get(own, script, "Script", Map.of());
            get(own, script, "Script", Map.of("Cookie", "session=b"));
        }
        assertThat(sent).hasSize(4);
        assertThat(sent.get(1).fields()).containsOnlyKeys("Referer", "Origin");
    }

    @Test
    void aRedirectKeepsWhatItSaysOfItself() {
        Map<String, List<String>> head =
                Map.of("Set-Cookie", List.of("a=1", "b=2"), "Access-Control-Allow-Origin", List.of("*"));
        PageFetcher fetcher = request -> {
            request.head()
                    .accept(name -> head.entrySet().stream()
                            .filter(field -> field.getKey().equalsIgnoreCase(name))
                            .findFirst()
                            .map(Map.Entry::getValue)
                            .orElse(List.of()));
            return new Redirect(302, "https://h.test/b");
        };
        try (PageParts parts = page(fetcher)) {
            assertThat(get(parts, "https://h.test/a", "Fetch", Map.of()).headers())
                    .containsEntry("location", List.of("https://h.test/b"))
                    .containsEntry("set-cookie", List.of("a=1", "b=2"))
                    .containsEntry("access-control-allow-origin", List.of("*"));
        }
    }

    /** While all threads of the page are busy. */
    @Test
    void whatWaitsOfAPageIsLimitedInBytes() throws Exception {
        CountDownLatch isOver = new CountDownLatch(1);
        CountDownLatch refused = new CountDownLatch(1);
        PageFetcher slow = request -> {
            try {
                isOver.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return new Failed(0, Reason.PROTOCOL, "");
        };
        try (PageParts parts = page(slow)) {
            Map<String, String> fields = Map.of("x-a", "x".repeat(100_000));
            for (int i = 0; i < 30; i++) {
                parts.request("https://h.test/" + i, "Fetch", fields, part -> refused.countDown());
            }
            refused.await();
            assertThat(parts.refused.get()).isBetween(20, 25);
            isOver.countDown();
        }
    }

    @Test
    void aBodyIsReleasedAfterItWasPassedOn() throws Exception {
        on("https://h.test/a", "abc");
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch isReleased = new CountDownLatch(1);
        PageFetcher fetcher = new PageFetcher() {
            @Override
            public FetchResult fetch(FetchRequest request) {
                return PagePartsTest.this.fetch(request);
            }

            @Override
            public void release(FetchResult result) {
                order.add("released");
                isReleased.countDown();
            }
        };
        try (PageParts parts = page(fetcher)) {
            parts.request("https://h.test/a", "Fetch", Map.of(), part -> order.add("passed on"));
            isReleased.await();
        }
        assertThat(order).containsExactly("passed on", "released");
    }

    @Test
    void aLookAtRobotsIsCancelledWithItsPage() throws Exception {
        CountDownLatch looks = new CountDownLatch(1);
        CountDownLatch isCancelled = new CountDownLatch(1);
        FetchRequest request = new FetchRequest(PAGE).watchedBy(new FetchRequest.Watch() {
            @Override
            public boolean allows(String url, boolean obeysRobots, Consumer<Runnable> cancels) {
                cancels.accept(isCancelled::countDown);
                looks.countDown();
                try {
                    isCancelled.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                return false;
            }
        });
        CompletableFuture<Page> answer = new CompletableFuture<>();
        PageParts parts = new PageParts(request, this::fetch, false, shared, () -> now);
        parts.request("https://mute.test/", "Fetch", Map.of(), answer::complete);
        looks.await();
        parts.close();

        assertThat(answer.join()).isNull();
        assertThat(sent).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "no-cache, max-age=9", "max-age=9, private", "max-age=0", "no-store", "s-maxage=9"})
    void otherScriptsAreNotKept(String control) {
        on("https://h.test/a.js", "a", "cache-control", control);
        on("https://h.test/b.js", "a", "cache-control", "max-age=9", "vary", "Origin");
        on("https://h.test/c.js", "a", "cache-control", "max-age=9", "set-cookie", "a=1");
        for (String each : List.of("a", "b", "c", "a", "b", "c")) {
            get("https://h.test/" + each + ".js", "Script");
        }

        assertThat(sent).hasSize(6);
    }

    @Test
    void aPageReceivesNoMoreThanItsLimits() {
        on("https://h.test/small", "");
        results.put("https://h.test/large", new Page(200, Map.of(), "", new byte[1], 1, true));
        on("https://h.test/most", "x".repeat(4 << 20));
        assertThat(get("https://h.test/large", "Fetch")).isNull();
        try (PageParts parts = page()) {
            for (int i = 0; i < 5; i++) {
                get(parts, "https://h.test/most", "Fetch", Map.of());
            }
            assertThat(parts.bytes).hasValue(16 << 20);
        }
        sent.clear();
        try (PageParts parts = page()) {
            for (int i = 0; i < 310; i++) {
                get(parts, "https://h.test/small", "Fetch", Map.of());
            }
        }
        assertThat(sent).hasSize(300);
    }

    /** All three threads of a page may see that one request is left. */
    @Test
    void aPageSendsNoMoreRequestsThanItsLimitAtOnce() throws Exception {
        CyclicBarrier together = new CyclicBarrier(3);
        AtomicInteger let = new AtomicInteger();
        PageFetcher fetcher = request -> {
            try {
                together.await();
            } catch (InterruptedException | BrokenBarrierException e) {
                throw new IllegalStateException(e);
            }
            if (request.watch().maySend("h.test")) {
                let.incrementAndGet();
            }
            return new Failed(0, Reason.PROTOCOL, "");
        };
        try (PageParts parts = page(fetcher)) {
            CountDownLatch answers = new CountDownLatch(3);
            parts.requests.set(299);
            for (int i = 0; i < 3; i++) {
                parts.request("https://h.test/" + i, "Fetch", Map.of(), part -> answers.countDown());
            }
            answers.await();

            assertThat(let).hasValue(1);
            assertThat(parts.requests).hasValue(300);
        }
    }

    @Test
    void allPagesTogetherSendNoMoreRequestsToAHostAtOnce() throws Exception {
        CountDownLatch begun = new CountDownLatch(6);
        CountDownLatch isOver = new CountDownLatch(1);
        CountDownLatch answers = new CountDownLatch(9);
        AtomicInteger open = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        PageFetcher slow = request -> {
            most.accumulateAndGet(open.incrementAndGet(), Math::max);
            begun.countDown();
            try {
                isOver.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            open.decrementAndGet();
            return new Failed(0, Reason.PROTOCOL, "");
        };
        on("https://other.test/", "a");
        List<PageParts> pages = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            if (i % 3 == 0) {
                pages.add(page(slow));
            }
            pages.get(i / 3).request("https://h.test/" + i, "Fetch", Map.of(), part -> answers.countDown());
        }
        begun.await();
        assertThat(get("https://other.test/", "Fetch").body()).hasSize(1);
        isOver.countDown();
        answers.await();
        pages.forEach(PageParts::close);

        assertThat(most).hasValue(6);
    }

    @Test
    void requestsEndWithThePage() throws Exception {
        AtomicInteger cancelled = new AtomicInteger();
        CountDownLatch isOpen = new CountDownLatch(3);
        CountDownLatch isOver = new CountDownLatch(1);
        PageParts parts = page(request -> {
            request.watch().begins(cancelled::incrementAndGet);
            isOpen.countDown();
            try {
                isOver.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return new Failed(0, Reason.TIMEOUT, "");
        });
        for (int i = 0; i < 10; i++) {
            parts.request("https://h.test/" + i, "Fetch", Map.of(), part -> {});
        }
        isOpen.await();
        parts.close();
        isOver.countDown();

        assertThat(cancelled).hasValue(3);
        assertThat(get(parts, "https://h.test/x", "Fetch", Map.of())).isNull();
    }
}
