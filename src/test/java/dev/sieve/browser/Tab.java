package dev.sieve.browser;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sieve.browser.Cdp.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * A tab of a {@link Browser}. It collects what goes wrong in its pages and what they request. Everything in it is done
 * when the method returns.
 */
public final class Tab implements AutoCloseable {
    private static final Duration MOST = Duration.ofSeconds(60);

    private final Cdp cdp;
    private final String session;
    private final String context;
    private final List<String> problems = new ArrayList<>();
    private final List<String> requests = new ArrayList<>();
    private String opened = "";
    private CompletableFuture<Json> loaded = new CompletableFuture<>();

    Tab(Cdp cdp) throws IOException {
        this.cdp = cdp;
        context = cdp.call("", "Target.createBrowserContext", Map.of(), MOST).text("browserContextId");
        Map<String, ?> blank = Map.of("url", "about:blank", "browserContextId", context);
        String target = cdp.call("", "Target.createTarget", blank, MOST).text("targetId");
        session = cdp.call("", "Target.attachToTarget", Map.of("targetId", target, "flatten", true), MOST)
                .text("sessionId");
        cdp.sessions.put(session, this::event);
        for (String domain : List.of("Page", "Runtime", "Log", "Network")) {
            call(domain + ".enable", Map.of());
        }
        // The script outlives neither the tab nor the policy of a page: it is not part of the page.
        call("Runtime.addBinding", Map.of("name", "reportViolation"));
        String report = "document.addEventListener('securitypolicyviolation', e =>"
                + " reportViolation(e.violatedDirective + ' ' + e.blockedURI))";
        call("Page.addScriptToEvaluateOnNewDocument", Map.of("source", report));
        size(1280, 900);
    }

    private Json call(String method, Map<String, ?> params) {
        try {
            return cdp.call(session, method, params, MOST);
        } catch (IOException e) {
            throw new UncheckedIOException(method + " " + params, e);
        }
    }

    /** Opens a URL and waits until it is loaded; forgets the problems and requests of the page before. */
    public Tab open(String url) {
        CompletableFuture<Json> load = new CompletableFuture<>();
        synchronized (this) {
            problems.clear();
            requests.clear();
            opened = url;
            loaded = load;
        }
        String error = call("Page.navigate", Map.of("url", url)).text("errorText");
        if (!error.isEmpty()) {
            throw new IllegalStateException(url + ": " + error);
        }
        try {
            Cdp.get(load, MOST);
        } catch (IOException e) {
            throw new UncheckedIOException(url, e);
        }
        return this;
    }

    /** Sets the size of the viewport in CSS pixels. */
    public Tab size(int width, int height) {
        call(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
        return this;
    }

    /** Sets the medium, {@code screen} or {@code print}, and the preferred color scheme, {@code light} or {@code dark}. */
    public Tab media(String medium, String scheme) {
        Map<String, ?> colors = Map.of("name", "prefers-color-scheme", "value", scheme);
        call("Emulation.setEmulatedMedia", Map.of("media", medium, "features", List.of(colors)));
        return this;
    }

    /** Switches JavaScript on or off for the pages that are opened next. */
    public Tab scripts(boolean on) {
        call("Emulation.setScriptExecutionDisabled", Map.of("value", !on));
        return this;
    }

    /** Returns the value of an expression; a promise is waited for. */
    public JsonNode eval(String expression) {
        Json result =
                call("Runtime.evaluate", Map.of("expression", expression, "returnByValue", true, "awaitPromise", true));
        if (result.fields().containsKey("exceptionDetails")) {
            throw new IllegalStateException(expression + ": " + result.at("exceptionDetails"));
        }
        return Browser.JSON.valueToTree(result.at("result").fields()).path("value");
    }

    /** Waits until an expression is true. */
    public void await(String condition) {
        eval("new Promise(done => { const check = () => (" + condition
                + ") ? done(true) : setTimeout(check, 10); check(); })");
    }

    /** Clicks on the centre of the first element that matches, as a user would. */
    public void click(String selector) {
        JsonNode at = eval("(() => { const e = document.querySelector(" + quoted(selector)
                + "); e.scrollIntoView({block: 'center', behavior: 'instant'}); const r = e.getBoundingClientRect();"
                + " return [r.left + r.width / 2, r.top + r.height / 2]; })()");
        // A click counts for what was shown last: this shows the page as it is scrolled now.
        screenshot(false);
        for (String type : List.of("mouseMoved", "mousePressed", "mouseReleased")) {
            boolean isMove = type.equals("mouseMoved");
            Map<String, ?> event = Map.of(
                    "type",
                    type,
                    "x",
                    at.get(0).asDouble(),
                    "y",
                    at.get(1).asDouble(),
                    "button",
                    isMove ? "none" : "left",
                    "clickCount",
                    isMove ? 0 : 1);
            call("Input.dispatchMouseEvent", event);
        }
    }

    /** Replaces the text of a field, as a user would. */
    public void type(String selector, String text) {
        eval("document.querySelector(" + quoted(selector) + ").select()");
        call("Input.insertText", Map.of("text", text));
    }

    /** Returns the visible part of the page, or all of it, as a PNG. */
    public byte[] screenshot(boolean all) {
        return data("Page.captureScreenshot", Map.of("format", "png", "captureBeyondViewport", all));
    }

    /** Returns the page as a PDF, printed on A4. */
    public byte[] pdf() {
        return data("Page.printToPDF", Map.of("paperWidth", 8.27, "paperHeight", 11.69));
    }

    private byte[] data(String method, Map<String, ?> params) {
        return Base64.getDecoder().decode(call(method, params).text("data"));
    }

    /** Returns what the console, the browser's log and the security policy said about the page, and its dialogs. */
    public synchronized List<String> problems() {
        return List.copyOf(problems);
    }

    /** Returns what the page requested, without itself. */
    public synchronized List<String> requests() {
        return List.copyOf(requests);
    }

    private static String quoted(String text) {
        return Browser.JSON.valueToTree(text).toString();
    }

    private synchronized void event(String method, Json params) {
        switch (method) {
            case "Page.loadEventFired" -> loaded.complete(params);
            case "Runtime.consoleAPICalled" ->
                problems.add("console " + params.text("type") + ": "
                        + params.fields().get("args"));
            case "Runtime.exceptionThrown" -> problems.add("exception: " + params.at("exceptionDetails"));
            case "Runtime.bindingCalled" -> problems.add("policy: " + params.text("payload"));
            case "Log.entryAdded" -> {
                Json entry = params.at("entry");
                problems.add("log: " + entry.text("text") + " " + entry.text("url"));
            }
            case "Page.javascriptDialogOpening" -> {
                problems.add("dialog: " + params.text("message"));
                cdp.send(session, "Page.handleJavaScriptDialog", Map.of("accept", false));
            }
            case "Page.windowOpen" -> problems.add("window: " + params.text("url"));
            case "Network.webSocketCreated" -> requests.add(params.text("url"));
            case "Network.requestWillBeSent" -> {
                String url = params.at("request").text("url");
                if (!url.equals(opened)) {
                    requests.add(url);
                }
            }
            default -> {
                // Of no interest.
            }
        }
    }

    @Override
    public void close() {
        cdp.end(session);
        cdp.send("", "Target.disposeBrowserContext", Map.of("browserContextId", context));
    }
}
