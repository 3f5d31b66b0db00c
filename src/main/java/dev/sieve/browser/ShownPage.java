package dev.sieve.browser;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.sieve.browser.Cdp.Json;
import dev.sieve.fetch.Exchange;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.io.BundledFile;
import dev.sieve.io.LruMap;
import dev.sieve.url.UrlNormalizer;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A page that a tab shows until it is ready. Each of its requests is paused, and answered here or not at all: only one
 * whose document is known to be that of the page, or a frame in it, is answered. An earlier page of the tab may still
 * run until the document of this one takes its place, and what it does then is not taken for what this one does.
 */
final class ShownPage {
    /** A script that runs for longer is like a request. */
    private static final Duration LONG = Duration.ofMillis(250);
    /** How long a page may take for each step after it is ready: it may be large, and a script may still run. */
    private static final Duration STEP = Duration.ofSeconds(5);

    /** With timers that run all the time there may be no idle moment. */
    private static final String IDLE = "new Promise(run => requestIdleCallback(() => run(), {timeout: 100}))";

    private static final Set<String> NEEDED = Set.of("Script", "Stylesheet", "XHR", "Fetch");

    /** A page that requests more is taken as it is: all pages share what the browser needs to pause requests. */
    private static final int MAX_REQUESTS = 1000;

    /** What the page shows or plays. It is not requested, and not counted as refused. */
    private static final Set<String> MEDIA = Set.of(
            "Image", "Font", "Media", "TextTrack", "Ping", "Manifest", "Other", "Prefetch", "CSPViolationReport");

    private static final int MEDIA_PER_REQUEST = 5;

    /** How often a script may load the page again, as after it has set a cookie. */
    private static final int MAX_RELOADS = 2;

    /** How many characters of the page are taken from the browser at a time. */
    private static final int PIECE = 128 << 10;

    private static final String DOCUMENT = "Document";

    private static final byte[] NONE = {};
    private static final Json NOTHING = new Json(Map.of());

    /** How many windows that a page opens are links of it. */
    private static final int MAX_WINDOWS = 100;

    /** A function that returns the document as its scripts have made it, of at most so many bytes. */
    private static final String WRITE_DOCUMENT = BundledFile.text(ShownPage.class, "write.js");

    private final String url;
    private final PageParts parts;
    private final PageTab tab;
    private final LongSupplier nanoTime;

    // Guarded by this:
    private final Readiness readiness;
    /** The document, without its body after it was requested again. */
    private Page page;
    /** The cookies with which it was requested. */
    private String cookies = "";

    private int reloads;
    /** The loader of the first document. */
    private String first = "";
    /** That of the document, once it was answered; then whether the tab shows it, and the frames in it. */
    private String loader = "";

    private boolean isShown;
    private final Set<String> frames = new HashSet<>();
    /**
     * Requests of which only one of two events has come, by their ids: that one is paused, or its type, which is empty
     * if another document has made it.
     */
    private final LruMap<Json> halves = new LruMap<>(1 << 20, ShownPage::size, half -> false, this::dropped);
    /** Whether a request was refused because it may be that of an earlier page. */
    private boolean isUnclear;

    private int requests;
    /** The ids of requests of which the page has not got the responses. */
    private final Set<String> open = new HashSet<>();

    private boolean isReady;
    /** Done when something has happened that may make the page ready. */
    private volatile CompletableFuture<Json> change = new CompletableFuture<>();

    private @Nullable String movedTo;
    /** The URLs of windows that it tried to open. */
    private final Set<String> windows = new LinkedHashSet<>();

    /** Begins a page, whose document is passed to the tab, and whose other requests its parts answer. */
    ShownPage(String url, Page page, PageParts parts, PageTab tab, RenderWait wait, LongSupplier nanoTime) {
        this.url = url;
        this.page = page;
        this.parts = parts;
        this.tab = tab;
        this.nanoTime = nanoTime;
        readiness = new Readiness(wait, nanoTime.getAsLong());
    }

    /** Returns the page as its scripts have made it, of at most {@code limit} bytes. */
    Page render(int limit) throws IOException {
        parts.cookies().forEach(tab::set);
        try {
            String shown = tab.show(url, this::event, left().plus(STEP));
            checkOwn(shown);
            do {
                awaitReady();
            } while (!isIdle());
            Page written = written(limit);
            checkOwn(shown);
            return written;
        } catch (InterruptedIOException e) {
            // If it has crashed, that is why there was no response.
            checkPresent();
            throw e;
        }
    }

    /** Returns whether the page was ready before the longest time, so that nothing is missing that it has begun. */
    synchronized boolean isReady() {
        return isReady;
    }

    /** Makes sure that an earlier page of the tab has not taken the place of this one, or got what is not for it. */
    private synchronized void checkOwn(String shown) throws IOException {
        if (!shown.equals(first) || isUnclear) {
            throw new IOException("an earlier page of the tab goes on");
        }
    }

    private Page written(int limit) throws IOException {
        String script = WRITE_DOCUMENT + "(" + JSON.std.asString(url) + ", " + limit + ")";
        int world = world(STEP);
        Json result = evaluate(script, world).at("value");
        StringBuilder html = taken(world, result.number("length"));
        String now = UrlNormalizer.parse(result.text("url"));
        synchronized (this) {
            if (!isShown || now == null) {
                throw new IOException("the browser does not show the page");
            } else if (result.number("wrong") > 0) {
                throw new IOException("the page is not well-formed XML");
            }
            windows.forEach(each ->
                    html.append("<a href=\"").append(each.replace("&", "&amp;")).append("\"></a>"));
            byte[] kept = html.toString().getBytes(UTF_8);
            boolean isCut = result.number("cut") > 0;
            Map<String, List<String>> headers = new LinkedHashMap<>(page.headers());
            headers.put("content-type", List.of(result.text("type") + "; charset=utf-8"));
            if (movedTo != null || !now.equals(url)) {
                // Where a page leads without a click is a link in this field.
                headers.put("refresh", List.of("0; url=" + (movedTo == null ? now : movedTo)));
            }
            Exchange sent = page.exchange();
            Exchange exchange = sent == null ? null : sent.rendered(kept, isCut);
            return new Page(page.status(), headers, page.type(), kept, kept.length, isCut, null, null, exchange);
        }
    }

    /** Takes the written page from the browser, in pieces so that messages are short; few large ones at once. */
    private StringBuilder taken(int world, int length) throws IOException {
        StringBuilder text = new StringBuilder(Math.min(length, PIECE));
        boolean isLarge = length > PIECE;
        if (isLarge) {
            parts.shared.large.acquireUninterruptibly();
        }
        try {
            while (text.length() < length) {
                String piece = evaluate("written.substr(" + text.length() + ", " + PIECE + ")", world)
                        .text("value");
                if (piece.isEmpty() || piece.length() > PIECE) {
                    throw new IOException("the browser does not show the page");
                }
                text.append(piece);
            }
            return text;
        } finally {
            if (isLarge) {
                parts.shared.large.release();
            }
        }
    }

    private Json evaluate(String script, int world) throws IOException {
        Map<String, ?> evaluation = Map.of("expression", script, "contextId", world, "returnByValue", true);
        return tab.call("Runtime.evaluate", evaluation, STEP).at("result");
    }

    /**
     * Returns whether no script has run for long, or the longest time is over. A page is not ready while a long script
     * runs, although it requests nothing; on a busy machine all scripts are long.
     */
    private boolean isIdle() throws IOException {
        long startNanos = nanoTime.getAsLong();
        try {
            Map<String, ?> idle = Map.of("expression", IDLE, "contextId", world(left()), "awaitPromise", true);
            tab.call("Runtime.evaluate", idle, left());
        } catch (InterruptedIOException e) {
            return true;
        }
        synchronized (this) {
            long nowNanos = nanoTime.getAsLong();
            if (nowNanos - startNanos > LONG.toNanos()) {
                readiness.latestNanos = nowNanos;
            }
            isReady = readiness.isReady(nowNanos);
            return readiness.waitNanos(nowNanos) <= 0;
        }
    }

    private synchronized Duration left() {
        return Duration.ofNanos(Math.max(1, readiness.endNanos - nanoTime.getAsLong()));
    }

    /** Returns where scripts of ours run, which those of the page do not see. */
    private int world(Duration most) throws IOException {
        return tab.call("Page.createIsolatedWorld", Map.of("frameId", tab.target), most)
                .number("executionContextId");
    }

    private void awaitReady() throws IOException {
        for (Duration wait = untilReady(); wait.toNanos() > 0; wait = untilReady()) {
            try {
                Json unused = Cdp.get(change, wait);
            } catch (InterruptedIOException e) {
                // It is ready, unless something has happened just now.
            }
        }
    }

    private synchronized Duration untilReady() throws IOException {
        change = new CompletableFuture<>();
        checkPresent();
        return Duration.ofNanos(readiness.waitNanos(nanoTime.getAsLong()));
    }

    private void checkPresent() throws IOException {
        if (tab.isGone) {
            throw new IOException(tab.browser.cdp.isOpen() ? "the page has crashed" : "the browser has ended");
        }
    }

    /** Returns whether nothing of the page is under way. */
    synchronized boolean isQuiet() {
        return readiness.isStill();
    }

    private void event(String method, Json params) {
        if (method.equals(Cdp.CRASHED)) {
            // Without the lock, since another page may hold its own while the browser ends.
            tab.isGone = true;
        } else {
            happened(method, params);
        }
        change.complete(params);
    }

    private synchronized void happened(String method, Json params) {
        switch (method) {
            case "Page.javascriptDialogOpening" -> tab.send("Page.handleJavaScriptDialog", Map.of("accept", false));
            case "Target.attachedToTarget" -> tab.hasWorkers = true;
            case Cdp.UNREADABLE -> readiness.began(); // It may be a request, which is never answered.
            case "Page.frameNavigated" -> {
                Json frame = params.at("frame");
                if (frame.text("id").equals(tab.target)) {
                    isShown = frame.text("loaderId").equals(loader);
                    frames.clear();
                    // So that no script goes back to what the tab has shown before.
                    tab.send("Page.resetNavigationHistory", Map.of());
                }
            }
            case "Fetch.requestPaused" -> paused(params);
            case "Network.loadingFinished", "Network.loadingFailed" -> answered(params.text("requestId"));
            case "Network.requestWillBeSent" -> {
                boolean isOwn = params.text("loaderId").equals(loader) || frames.contains(params.text("frameId"));
                String type = isOwn ? params.text("type") : "";
                String id = params.text("requestId");
                // Events of the page are in their order, while the request itself may come after it has loaded and was
                // still.
                if (isAnswered(type, params.at("request")) && open.size() < MAX_REQUESTS && open.add(id)) {
                    readiness.began();
                }
                join(id, new Json(Map.of("type", type)));
            }
            default -> {
                if (isShown) {
                    shown(method, params);
                }
            }
        }
    }

    /** Receives an event of the document that the tab shows: those of one are all sent before those of the next one. */
    private void shown(String method, Json params) {
        String url = UrlNormalizer.parse(params.text("url"));
        switch (method) {
            case "Page.frameAttached" -> frames.add(params.text("frameId"));
            case "Page.frameDetached" -> frames.remove(params.text("frameId"));
            case "Page.loadEventFired" -> readiness.loaded(nanoTime.getAsLong());
            case "Page.windowOpen" -> {
                if (url != null && windows.size() < MAX_WINDOWS) {
                    windows.add(url);
                }
            }
            case "Page.frameRequestedNavigation" -> {
                // A navigation by a script is like a redirect, which is a link. There may be no other event.
                if (params.text("frameId").equals(tab.target)) {
                    boolean isLink = url != null
                            && !url.equals(this.url)
                            && !params.text("reason").equals("formSubmissionPost");
                    movedTo = movedTo == null && isLink ? url : movedTo;
                    readiness.loaded(nanoTime.getAsLong());
                }
            }
            default -> {
                // Of no interest.
            }
        }
    }

    private void paused(Json params) {
        String id = params.text("requestId");
        String type = params.text("resourceType");
        String networkId = params.text("networkId");
        requests += MEDIA.contains(type) ? 1 : MEDIA_PER_REQUEST;
        if (requests > MAX_REQUESTS * MEDIA_PER_REQUEST) {
            // It is not answered, so that no page makes more messages than the browser can take.
            readiness.endNanos = Math.min(readiness.endNanos, nanoTime.getAsLong());
            readiness.began();
        } else if (type.equals(DOCUMENT)) {
            boolean isTop = params.text("frameId").equals(tab.target);
            boolean isPage =
                    isTop && url.equals(UrlNormalizer.parse(params.at("request").text("url")));
            String sent = params.at("request").at("headers").text("Cookie");
            if (isPage && loader.isEmpty()) {
                loader = networkId;
                first = networkId;
                cookies = sent;
                CompletableFuture<?> unused = tab.answer(id, type, page);
            } else if (isPage && isShown && reloads < MAX_RELOADS) {
                reload(id, networkId, sent);
            } else if (isTop) {
                tab.refuse(id, type);
            } else {
                parts.refuse();
                tab.refuse(id, "Frame");
            }
        } else if (networkId.isEmpty()) {
            // That of a worker.
            isUnclear |= !tab.isNew;
            answer(params, tab.isNew ? type : "");
        } else {
            join(networkId, params);
        }
    }

    /** Answers a request when both of its events have come: that it is paused, and which document has made it. */
    private void join(String networkId, Json half) {
        Json other = halves.get(networkId);
        boolean isPaused = half.fields().containsKey("request");
        if (other == null || isPaused == other.fields().containsKey("request")) {
            halves.put(networkId, half);
        } else {
            halves.remove(networkId);
            answer(isPaused ? half : other, (isPaused ? other : half).text("type"));
        }
    }

    private void dropped(String networkId, Json half) {
        if (half.fields().containsKey("request")) {
            parts.refuse();
            tab.refuse(half.text("requestId"), half.text("resourceType"));
        }
    }

    private void answer(Json params, String type) {
        String id = params.text("requestId");
        Json request = params.at("request");
        if (isAnswered(type, request)) {
            if (params.text("networkId").isEmpty() && open.add(id)) {
                readiness.began();
            }
            String asked = Objects.requireNonNull(UrlNormalizer.parse(request.text("url")));
            parts.request(asked, type, request.at("headers").fields(), part -> {
                tab.answer(id, type, part).join();
                answered(id);
            });
        } else {
            // That a preflight is of the page is not said.
            boolean isOwn = !type.isEmpty() || request.text("method").equals("OPTIONS");
            if (isOwn && !MEDIA.contains(type)) {
                parts.refuse();
            }
            tab.refuse(id, type);
        }
    }

    private static boolean isAnswered(String type, Json request) {
        return NEEDED.contains(type)
                && request.text("method").equals("GET")
                // The response to such a request has no end.
                && !request.at("headers").text("Accept").equals("text/event-stream")
                && UrlNormalizer.parse(request.text("url")) != null;
    }

    /** Notes that the page has got a response, or that a worker was sent one: what a page gets is said by the browser. */
    private synchronized void answered(String key) {
        if (open.remove(key)) {
            readiness.answered(nanoTime.getAsLong());
            change.complete(NOTHING);
        }
    }

    /**
     * Answers a navigation to the page itself: with other cookies it may be another one, so it is requested again; else
     * it is the same.
     */
    private void reload(String id, String next, String sent) {
        reloads++;
        readiness.isLoaded = false;
        if (sent.equals(cookies) && page.body().length > 0) {
            loader = next;
            CompletableFuture<?> unused = tab.answer(id, DOCUMENT, page);
            return;
        }
        cookies = sent;
        if (open.add(id)) {
            readiness.began();
        }
        parts.request(url, DOCUMENT, sent.isEmpty() ? Map.of() : Map.of("Cookie", sent), again -> {
            Page used = again != null && again.isSuccess() && again.isHtml() ? again : null;
            reloaded(next, used);
            tab.answer(id, DOCUMENT, used).join();
            answered(id);
        });
    }

    private synchronized void reloaded(String next, @Nullable Page again) {
        if (again == null) {
            readiness.loaded(nanoTime.getAsLong());
            change.complete(NOTHING);
        } else {
            loader = next;
            page = new Page(again.status(), again.headers(), again.type(), NONE, 0, false).with(page.exchange());
        }
    }

    private static long size(Json half) {
        Json request = half.at("request");
        return PageParts.size(
                request.text("url") + request.text("postData"),
                request.at("headers").fields());
    }
}
