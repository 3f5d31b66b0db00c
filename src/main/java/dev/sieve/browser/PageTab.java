package dev.sieve.browser;

import dev.sieve.browser.Cdp.Json;
import dev.sieve.fetch.Cookie;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.url.Printable;
import dev.sieve.url.UrlParts;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A tab of a browser, which shows pages of one site, one after another. It shares no cookies, storage, cache or workers
 * with other tabs, and what a page has stored is deleted before the next one. It fills a screen, since the browser
 * would draw its own toolbars for every page.
 */
final class PageTab implements Closeable {
    /** How long the browser may take for what does not depend on a page. */
    private static final Duration OPEN = Duration.ofSeconds(10);

    /** A tab that takes longer to close ends the browser, and so the pages of others. */
    private static final Duration CLOSE = Duration.ofSeconds(30);

    /** How long a page may take for each step of its end. */
    private static final Duration STEP = Duration.ofSeconds(2);

    /** How many pages a tab shows, since memory of its process may leak. */
    private static final int MAX_PAGES = 25;

    /**
     * Runs before the first script of a document. A closed shadow tree is made as an open one, so that it can be
     * written. What the last page may have stored until then is deleted, but not by a reload. Cookies may be those of
     * the page.
     */
    private static final String BEFORE = """
            {
              const {attachShadow} = Element.prototype;
              const {apply} = Reflect;
              Element.prototype.attachShadow = function(init) {
                return apply(attachShadow, this, [init?.mode === 'closed' ? {...init, mode: 'open'} : init]);
              };
            }
            if (self === top && performance.getEntriesByType('navigation')[0]?.type !== 'reload') {
              name = '';
              sessionStorage.clear();
              localStorage.clear();
            }""";

    /** Bodies are passed decoded and whole, and documents are shown. */
    private static final Set<String> NOT_PASSED =
            Set.of("connection", "content-disposition", "content-encoding", "content-length", "transfer-encoding");

    /** What the browser takes as a header field; it refuses a response that has another one. */
    private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

    private static final Pattern NO_VALUE = Pattern.compile("[\\x00\r\n]");

    private static final Set<String> ENDS = Set.of(Cdp.CRASHED, "Target.attachedToTarget");

    final Chromium browser;
    /** The only site whose pages it shows. */
    final String site;

    private String origin = "";
    private final Cdp cdp;
    private final String context;
    final String target;
    private final String session;
    private int pages;
    /** Whether it has not shown an earlier page, so that all that it does is done for the present one. */
    volatile boolean isNew = true;

    /** The sizes of the heap at the end of the last page. */
    private @Nullable Json heap;

    /** Whether the page has had workers, which do not end with it. */
    volatile boolean hasWorkers;
    /** Whether it has crashed, or was closed because something went on after its page. */
    volatile boolean isGone;

    /** Opens an empty tab for a site. */
    PageTab(Chromium browser, String site) throws IOException {
        this.browser = browser;
        this.site = site;
        cdp = browser.cdp;
        context = open("", "Target.createBrowserContext", Map.of()).text("browserContextId");
        cdp.send("", "Browser.setDownloadBehavior", Map.of("behavior", "deny", "browserContextId", context));
        cdp.send("", "Browser.grantPermissions", Map.of("permissions", List.of(), "browserContextId", context));
        Map<String, ?> window = Map.of(
                "url", "about:blank", "browserContextId", context, "newWindow", true, "windowState", "fullscreen");
        target = open("", "Target.createTarget", window).text("targetId");
        session = open("", "Target.attachToTarget", Map.of("targetId", target, "flatten", true))
                .text("sessionId");
        send("Fetch.enable", Map.of());
        send("Page.enable", Map.of());
        // Which document has made a request is said only here. Bodies are not kept.
        send("Network.enable", Map.of("maxTotalBufferSize", 1, "maxResourceBufferSize", 1));
        send("Inspector.enable", Map.of());
        send("Target.setAutoAttach", Map.of("autoAttach", true, "waitForDebuggerOnStart", false, "flatten", true));
        // What is set after a navigation has begun may be lost when another process takes the tab over.
        open(session, "Page.addScriptToEvaluateOnNewDocument", Map.of("source", BEFORE));
    }

    /** Calls a method of the browser or of a new tab; the browser is ended if that fails. */
    private Json open(String where, String method, Map<String, ?> params) throws IOException {
        try {
            return cdp.call(where, method, params, OPEN);
        } catch (IOException e) {
            cdp.fail(method + ": " + e.getMessage());
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Calls a method of the tab without waiting for its result. */
    void send(String method, Map<String, ?> params) {
        cdp.send(session, method, params);
    }

    /** Calls a method of the tab, which the page can delay, though not for longer than a time. */
    Json call(String method, Map<String, ?> params, Duration most) throws IOException {
        return cdp.call(session, method, params, most);
    }

    /** Shows a page, and returns the loader of its document; its events are passed to a receiver, which must not wait. */
    String show(String url, BiConsumer<String, Json> events, Duration most) throws IOException {
        origin = UrlParts.origin(url);
        cdp.sessions.put(session, events);
        Json shown = call("Page.navigate", Map.of("url", url), most);
        if (!shown.text("errorText").isEmpty()) {
            throw new IOException("the browser does not show the page: " + Printable.of(shown.text("errorText")));
        }
        return shown.text("loaderId");
    }

    /** Sets a cookie, of which the browser then decides where to send it, and whether scripts see it. */
    void set(Cookie cookie) {
        String[] line = cookie.line().split("\t", -1);
        String domain = line[0].replace("#HttpOnly_", "");
        boolean isSecure = Boolean.parseBoolean(line[3]);
        Map<String, Object> params = new HashMap<>(Map.of("path", line[2], "name", line[5], "value", line[6]));
        params.put(
                "url",
                (isSecure ? "https://" : "http://") + (domain.contains(":") ? "[" + domain + "]" : domain) + "/");
        params.put("secure", isSecure);
        params.put("httpOnly", line[0].startsWith("#"));
        if (Boolean.parseBoolean(line[1])) {
            params.put("domain", "." + domain);
        }
        send("Network.setCookie", params);
    }

    /**
     * Ends the page, and deletes what it has stored: its scripts stop, and it has no content until the next document
     * takes its place. An empty document in between would take as long as most pages. Returns whether the tab can be
     * used again.
     */
    boolean empty() {
        isNew = false;
        if (++pages == MAX_PAGES || hasWorkers) {
            return false;
        }
        cdp.sessions.put(session, this::ended);
        try {
            send("Emulation.setScriptExecutionDisabled", Map.of("value", true));
            call("Page.setDocumentContent", Map.of("frameId", target, "html", ""), STEP);
            send("Page.resetNavigationHistory", Map.of());
            heap = heap();
            // Also those for a domain.
            cdp.call("", "Storage.clearCookies", Map.of("browserContextId", context), OPEN);
            call("Storage.clearDataForOrigin", Map.of("origin", origin, "storageTypes", "all"), OPEN);
            return isStill();
        } catch (IOException e) {
            return false;
        }
    }

    /** Lets scripts run again for the next page, if nothing of the last one has run since its end; else returns false. */
    boolean reopen() {
        try {
            if (!isStill()) {
                return false;
            }
            // If this was still under way, another process that takes the tab over would not know it.
            call("Emulation.setScriptExecutionDisabled", Map.of("value", false), STEP);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private boolean isStill() throws IOException {
        return !isGone && heap().equals(heap);
    }

    /** Returns the sizes of the heap: promises go on after scripts are stopped, but change them. */
    private Json heap() throws IOException {
        return call("Runtime.getHeapUsage", Map.of(), STEP);
    }

    private void ended(String method, Json params) {
        String type = params.text("resourceType");
        if (method.equals("Fetch.requestPaused")) {
            refuse(params.text("requestId"), type);
        }
        // Workers go on after scripts are stopped.
        if (type.equals("Fetch") || type.equals("XHR") || ENDS.contains(method)) {
            isGone = true;
            cdp.send("", "Target.disposeBrowserContext", Map.of("browserContextId", context));
        }
    }

    /** Answers a paused request with a response; without one, it is refused. Returns what is done when the body is not used any more. */
    CompletableFuture<?> answer(String id, String type, @Nullable Page response) {
        if (response == null) {
            refuse(id, type);
            return CompletableFuture.completedFuture(null);
        }
        List<Map<String, String>> headers = response.headers().entrySet().stream()
                .filter(field -> !NOT_PASSED.contains(field.getKey())
                        && NAME.matcher(field.getKey()).matches())
                .flatMap(
                        field -> field.getValue().stream().map(value -> Map.of("name", field.getKey(), "value", value)))
                .filter(field -> !NO_VALUE.matcher(field.get("value")).find())
                .toList();
        // Without a phrase, it refuses a status that it does not know.
        String phrase = response.status() == 200 ? "OK" : "-";
        Map<String, ?> params = Map.of(
                "requestId", id,
                "responseCode", response.status(),
                "responsePhrase", phrase,
                "responseHeaders", headers);
        return cdp.begin(session, "Fetch.fulfillRequest", params, response.body())
                .exceptionally(problem -> {
                    refuse(id, type);
                    return new Json(Map.of());
                });
    }

    /**
     * Refuses a paused request. A page stays as it is if its navigation is aborted; for scripts, other requests fail,
     * and so do frames, for which the browser needs no other process then.
     */
    void refuse(String id, String type) {
        String reason = type.equals("Document") ? "Aborted" : "BlockedByClient";
        send("Fetch.failRequest", Map.of("requestId", id, "errorReason", reason));
    }

    /** Closes the tab and everything that its page has begun or, if that fails, ends the browser. */
    @Override
    public void close() {
        cdp.end(session);
        try {
            cdp.call("", "Target.disposeBrowserContext", Map.of("browserContextId", context), CLOSE);
        } catch (InterruptedIOException e) {
            cdp.fail("a tab does not close");
        } catch (IOException e) {
            // It has ended.
        }
    }
}
