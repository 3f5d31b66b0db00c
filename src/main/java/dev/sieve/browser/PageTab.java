package dev.sieve.browser;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sieve.browser.Cdp.Json;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

/**
 * A tab of a browser, for the pages of one origin, one after another. It shares no cookies, storage or cache with other tabs, and
 * nothing of a page is left for the next one. Opening a tab takes longer than most pages.
 */
final class PageTab implements Closeable {
    /** How long the browser may take for what does not depend on a page. */
    private static final Duration OPEN = Duration.ofSeconds(10);

    /** How long an empty document may take for each step. */
    private static final Duration STEP = Duration.ofSeconds(2);

    /** How many pages a tab shows, since memory of its process may leak. */
    private static final int MAX_PAGES = 25;

    final Chromium browser;
    final String origin;
    private final Cdp cdp;
    private final String context;
    final String target;
    private final String session;
    private int pages;

    /** Opens an empty tab for the pages of an origin. */
    PageTab(Chromium browser, String origin) throws IOException {
        this.browser = browser;
        this.origin = origin;
        cdp = browser.cdp;
        context = open("Target.createBrowserContext", Map.of()).text("browserContextId");
        cdp.send("", "Browser.setDownloadBehavior", Map.of("behavior", "deny", "browserContextId", context));
        cdp.send("", "Browser.grantPermissions", Map.of("permissions", List.of(), "browserContextId", context));
        target = open("Target.createTarget", Map.of("url", "about:blank", "browserContextId", context))
                .text("targetId");
        session = open("Target.attachToTarget", Map.of("targetId", target, "flatten", true))
                .text("sessionId");
        send("Fetch.enable", Map.of());
        send("Page.enable", Map.of());
        send("Inspector.enable", Map.of());
    }

    /** Calls a method of the browser, which is ended if that fails. */
    private Json open(String method, Map<String, ?> params) throws IOException {
        try {
            return cdp.call("", method, params, OPEN);
        } catch (IOException e) {
            cdp.fail(method + ": " + e.getMessage());
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Passes the events of the tab on; their receiver must not wait. */
    void listen(BiConsumer<String, Json> events) {
        cdp.sessions.put(session, events);
    }

    /** Calls a method of the tab without waiting for its result. */
    void send(String method, Map<String, ?> params) {
        cdp.send(session, method, params);
    }

    /** Calls a method of the tab, which the page can delay, though not for longer than a time. */
    Json call(String method, Map<String, ?> params, Duration most) throws IOException {
        return cdp.call(session, method, params, most);
    }

    private Json call(String method, Map<String, ?> params) throws IOException {
        return call(method, params, STEP);
    }

    /**
     * Removes what the last page has left: an empty document takes its place, and then whatever the origin has stored is deleted.
     * Returns whether the tab can be used again.
     */
    boolean empty() {
        pages++;
        String title = UUID.randomUUID().toString();
        CompletableFuture<Json> loaded = new CompletableFuture<>();
        listen((method, params) -> showEmpty(method, params, title, loaded));
        try {
            if (pages == MAX_PAGES
                    || !call("Page.navigate", Map.of("url", origin + "/"))
                            .text("errorText")
                            .isEmpty()) {
                return false;
            }
            Cdp.get(loaded, STEP);
            Json result = call(
                    "Runtime.evaluate",
                    Map.of("expression", "name = ''; sessionStorage.clear(); document.title", "returnByValue", true));
            send("Page.resetNavigationHistory", Map.of());
            send("Storage.clearCookies", Map.of("browserContextId", context));
            call("Storage.clearDataForOrigin", Map.of("origin", origin, "storageTypes", "all"));
            // The page before does not know the title.
            return result.at("result").text("value").equals(title);
        } catch (IOException e) {
            return false;
        }
    }

    private void showEmpty(String method, Json params, String title, CompletableFuture<Json> loaded) {
        String id = params.text("requestId");
        if (method.equals("Page.loadEventFired")) {
            loaded.complete(params);
        } else if (method.equals("Fetch.requestPaused")
                && params.text("resourceType").equals("Document")
                && params.text("frameId").equals(target)) {
            byte[] body = ("<!DOCTYPE html><title>" + title).getBytes(US_ASCII);
            answer(id, 200, List.of(Map.of("name", "content-type", "value", "text/html")), body);
        } else if (method.equals("Fetch.requestPaused")) {
            refuse(id, params.text("resourceType"));
        }
    }

    /** Answers a paused request. */
    void answer(String id, int status, List<Map<String, String>> headers, byte[] content) {
        String body = Base64.getEncoder().encodeToString(content);
        send(
                "Fetch.fulfillRequest",
                Map.of("requestId", id, "responseCode", status, "responseHeaders", headers, "body", body));
    }

    /** Refuses a paused request. A page stays as it is if a navigation is aborted; for scripts, other requests fail. */
    void refuse(String id, String type) {
        String reason = type.equals("Document") ? "Aborted" : "Failed";
        send("Fetch.failRequest", Map.of("requestId", id, "errorReason", reason));
    }

    /** Closes the tab and everything that its page has begun or, if that fails, ends the browser. */
    @Override
    public void close() {
        cdp.sessions.remove(session);
        try {
            open("Target.disposeBrowserContext", Map.of("browserContextId", context));
        } catch (IOException e) {
            // It has ended.
        }
    }
}
