package dev.sieve.browser;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.jr.ob.JSON;
import dev.sieve.fetch.Exchange;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.url.UrlNormalizer;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A page that a tab shows until it is ready. Each of its requests is paused, and answered here or not at all. */
final class ShownPage {
    private static final Duration CHECK = Duration.ofMillis(250);
    /** How long a page may take for each step after it is ready: it may be large, and a script may still run. */
    private static final Duration STEP = Duration.ofSeconds(5);

    /** With timers that run all the time there may be no idle moment. */
    private static final String IDLE = "new Promise(run => requestIdleCallback(() => run(), {timeout: 100}))";

    private static final Set<String> NEEDED = Set.of("Script", "Stylesheet", "XHR", "Fetch");

    /**
     * What is in open shadow trees becomes part of the document, and its links stay relative to where it has moved. Timers end with
     * it, so that they do not run on when the tab goes to the next page.
     */
    private static final String WRITE_DOCUMENT = """
            ((url, limit) => {
              const open = root => {
                for (const each of root.querySelectorAll('*')) {
                  if (each.shadowRoot) {
                    open(each.shadowRoot);
                    each.append(...[...each.shadowRoot.childNodes].map(node => node.cloneNode(true)));
                  }
                }
              };
              open(document);
              document.querySelectorAll('noscript').forEach(each => each.remove());
              if (document.URL.split('#')[0] !== url && !document.querySelector('base[href]')) {
                const base = document.createElement('base');
                base.href = document.URL;
                (document.head || document.documentElement).prepend(base);
              }
              for (let timer = setTimeout(() => {}); timer > 0; timer--) {
                clearTimeout(timer);
              }
              return {url: document.URL, html: (document.documentElement?.outerHTML ?? '').slice(0, limit)};
            })""";

    private final String url;
    private final Page page;
    private final PageParts parts;
    private final PageTab tab;
    private final LongSupplier nanoTime;

    // Guarded by this:
    private final Readiness readiness;
    private boolean hasDocument;
    /** Whether a script goes back to what the tab has shown before. */
    private boolean goesBack;

    private @Nullable String movedTo;

    /** Decides when a page is ready: loaded, with all requests answered and no new one for a while, or after a longest time. */
    static final class Readiness {
        private final long quietNanos;
        private final long endNanos;
        private long latestNanos;
        private boolean isLoaded;
        private int open;

        Readiness(RenderWait wait, long nowNanos) {
            quietNanos = wait.quiet().toNanos();
            endNanos = nowNanos + wait.most().toNanos();
        }

        void loaded(long nowNanos) {
            isLoaded = true;
            latestNanos = nowNanos;
        }

        void ran(long nowNanos) {
            latestNanos = nowNanos;
        }

        void began() {
            open++;
        }

        void answered(long nowNanos) {
            open--;
            latestNanos = nowNanos;
        }

        /** Returns how long until the page is ready if nothing else happens; 0 or less when it is. */
        long waitNanos(long nowNanos) {
            long most = endNanos - nowNanos;
            return isLoaded && open == 0 ? Math.min(most, latestNanos + quietNanos - nowNanos) : most;
        }
    }

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
        tab.show(url, this::event);
        try {
            do {
                for (Duration wait = untilReady(); wait.toNanos() > 0; wait = untilReady()) {
                    tab.browser.cdp.await(wait.compareTo(CHECK) < 0 ? wait : CHECK);
                }
            } while (!isIdle());
            return written(limit);
        } catch (InterruptedIOException e) {
            // If it has crashed, that is why there was no response.
            untilReady();
            throw e;
        }
    }

    private Page written(int limit) throws IOException {
        String script = WRITE_DOCUMENT + "(" + JSON.std.asString(url) + ", " + limit + ")";
        Map<String, ?> evaluation = Map.of("expression", script, "contextId", world(STEP), "returnByValue", true);
        Cdp.Json result =
                tab.call("Runtime.evaluate", evaluation, STEP).at("result").at("value");
        String now = UrlNormalizer.parse(result.text("url"));
        synchronized (this) {
            if (!hasDocument || now == null || result.text("html").contains(tab.empty)) {
                throw new IOException("the browser does not show the page");
            }
            byte[] html = ("<!DOCTYPE html>" + result.text("html")).getBytes(UTF_8);
            boolean isCut = html.length > limit;
            byte[] kept = isCut ? Arrays.copyOf(html, limit) : html;
            Map<String, List<String>> headers = new LinkedHashMap<>(page.headers());
            headers.put("content-type", List.of("text/html; charset=utf-8"));
            if (movedTo != null || !now.equals(url)) {
                // Where a page leads without a click is a link in this field.
                headers.put("refresh", List.of("0; url=" + (movedTo == null ? now : movedTo)));
            }
            Exchange sent = page.exchange();
            Exchange exchange = sent == null ? null : sent.rendered(kept, isCut);
            return new Page(page.status(), headers, page.type(), kept, kept.length, isCut, null, exchange);
        }
    }

    /**
     * Returns whether no script has run for long, or the longest time is over. A page is not ready while a long script runs,
     * although it requests nothing; on a busy machine all scripts are long.
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
            if (nowNanos - startNanos > CHECK.toNanos()) {
                readiness.ran(nowNanos);
            }
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

    private synchronized Duration untilReady() throws IOException {
        if (tab.isGone) {
            throw new IOException("the page has crashed");
        }
        return Duration.ofNanos(readiness.waitNanos(nanoTime.getAsLong()));
    }

    /** Returns whether the page was ready before the longest time, so that nothing of it is under way. */
    synchronized boolean isQuiet() {
        return readiness.isLoaded && readiness.open == 0;
    }

    private synchronized void event(String method, Cdp.Json params) {
        switch (method) {
            case "Inspector.targetCrashed" -> tab.isGone = true;
            case "Page.javascriptDialogOpening" -> tab.send("Page.handleJavaScriptDialog", Map.of("accept", false));
            case "Target.attachedToTarget" -> tab.hasWorkers = true;
            case "Page.loadEventFired" -> {
                if (hasDocument) {
                    readiness.loaded(nanoTime.getAsLong());
                }
            }
            case "Page.frameStartedNavigating" ->
                goesBack = params.text("navigationType").startsWith("history");
            case "Fetch.requestPaused" -> paused(params);
            default -> {
                // Of no interest.
            }
        }
    }

    private void paused(Cdp.Json params) {
        String id = params.text("requestId");
        Cdp.Json request = params.at("request");
        String type = params.text("resourceType");
        String asked = UrlNormalizer.parse(request.text("url"));
        boolean isDocument = type.equals("Document") && params.text("frameId").equals(tab.target);
        boolean isNeeded = hasDocument ? isDocument || NEEDED.contains(type) : isDocument && url.equals(asked);
        if (asked == null || !isNeeded || !request.text("method").equals("GET")) {
            tab.refuse(id, type);
        } else if (isDocument && !hasDocument) {
            hasDocument = true;
            tab.answer(id, type, page);
        } else if (isDocument) {
            // A navigation by a script is like a redirect, which is a link. There may be no other event.
            movedTo = movedTo == null && !goesBack && !asked.equals(url) ? asked : movedTo;
            readiness.loaded(nanoTime.getAsLong());
            tab.refuse(id, type);
        } else {
            readiness.began();
            parts.request(asked, type, request.at("headers").fields(), part -> {
                tab.answer(id, type, part);
                synchronized (this) {
                    readiness.answered(nanoTime.getAsLong());
                }
            });
        }
    }
}
