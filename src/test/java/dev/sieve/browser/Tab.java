package dev.sieve.browser;

import static dev.sieve.browser.Browser.args;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A tab of a {@link Browser}. It collects what goes wrong in its pages and what they request. Everything in it is done
 * when the method returns.
 */
public final class Tab implements AutoCloseable {
    private final Browser browser;
    private final String session;
    private final String context;
    private final List<String> problems = new ArrayList<>();
    private final List<String> requests = new ArrayList<>();
    private String opened = "";
    private CompletableFuture<Void> loaded = new CompletableFuture<>();

    Tab(Browser browser, String session, String context) {
        this.browser = browser;
        this.session = session;
        this.context = context;
    }

    void prepare() {
        for (String domain : List.of("Page", "Runtime", "Log", "Network")) {
            call(domain + ".enable", args());
        }
        // The script outlives neither the tab nor the policy of a page: it is not part of the page.
        call("Runtime.addBinding", args().put("name", "reportViolation"));
        call(
                "Page.addScriptToEvaluateOnNewDocument",
                args().put(
                                "source",
                                "document.addEventListener('securitypolicyviolation', e =>"
                                        + " reportViolation(e.violatedDirective + ' ' + e.blockedURI))"));
        size(1280, 900);
    }

    /** Opens a URL and waits until it is loaded; forgets the problems and requests of the page before. */
    public Tab open(String url) {
        CompletableFuture<Void> load = new CompletableFuture<>();
        synchronized (this) {
            problems.clear();
            requests.clear();
            opened = url;
            loaded = load;
        }
        JsonNode result = call("Page.navigate", args().put("url", url));
        if (result.hasNonNull("errorText")) {
            throw new IllegalStateException(url + ": " + result.get("errorText").asText());
        }
        Browser.get(load, "loading " + url);
        return this;
    }

    /** Sets the size of the viewport in CSS pixels. */
    public Tab size(int width, int height) {
        call(
                "Emulation.setDeviceMetricsOverride",
                args().put("width", width)
                        .put("height", height)
                        .put("deviceScaleFactor", 1)
                        .put("mobile", false));
        return this;
    }

    /** Sets the medium, {@code screen} or {@code print}, and the preferred color scheme, {@code light} or {@code dark}. */
    public Tab media(String medium, String scheme) {
        ObjectNode args = args().put("media", medium);
        args.putArray("features")
                .addObject()
                .put("name", "prefers-color-scheme")
                .put("value", scheme);
        call("Emulation.setEmulatedMedia", args);
        return this;
    }

    /** Switches JavaScript on or off for the pages that are opened next. */
    public Tab scripts(boolean on) {
        call("Emulation.setScriptExecutionDisabled", args().put("value", !on));
        return this;
    }

    /** Returns the value of an expression; a promise is waited for. */
    public JsonNode eval(String expression) {
        JsonNode result = call(
                "Runtime.evaluate",
                args().put("expression", expression).put("returnByValue", true).put("awaitPromise", true));
        if (result.has("exceptionDetails")) {
            throw new IllegalStateException(
                    expression + ": " + result.get("exceptionDetails").toString());
        }
        return result.get("result").path("value");
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
            call(
                    "Input.dispatchMouseEvent",
                    args().put("type", type)
                            .put("x", at.get(0).asDouble())
                            .put("y", at.get(1).asDouble())
                            .put("button", type.equals("mouseMoved") ? "none" : "left")
                            .put("clickCount", type.equals("mouseMoved") ? 0 : 1));
        }
    }

    /** Replaces the text of a field, as a user would. */
    public void type(String selector, String text) {
        eval("document.querySelector(" + quoted(selector) + ").select()");
        call("Input.insertText", args().put("text", text));
    }

    /** Returns the visible part of the page, or all of it, as a PNG. */
    public byte[] screenshot(boolean all) {
        String data = call("Page.captureScreenshot", args().put("format", "png").put("captureBeyondViewport", all))
                .get("data")
                .asText();
        return Base64.getDecoder().decode(data);
    }

    /** Returns the page as a PDF, printed on A4. */
    public byte[] pdf() {
        JsonNode result = call("Page.printToPDF", args().put("paperWidth", 8.27).put("paperHeight", 11.69));
        return Base64.getDecoder().decode(result.get("data").asText());
    }

    /** Returns what the console, the browser's log and the security policy said about the page, and its dialogs. */
    public synchronized List<String> problems() {
        return List.copyOf(problems);
    }

    /** Returns what the page requested, without itself. */
    public synchronized List<String> requests() {
        return List.copyOf(requests);
    }

    /** Returns a text as a JavaScript literal. */
    public static String quoted(String text) {
        return Browser.JSON.valueToTree(text).toString();
    }

    private JsonNode call(String method, ObjectNode args) {
        return browser.call(session, method, args);
    }

    synchronized void event(String method, JsonNode params) {
        switch (method) {
            case "Page.loadEventFired" -> loaded.complete(null);
            case "Runtime.consoleAPICalled" ->
                problems.add("console " + params.get("type").asText() + ": " + params.get("args"));
            case "Runtime.exceptionThrown" ->
                problems.add("exception: " + params.get("exceptionDetails").toString());
            case "Runtime.bindingCalled" ->
                problems.add("policy: " + params.get("payload").asText());
            case "Log.entryAdded" -> {
                JsonNode entry = params.get("entry");
                problems.add("log: " + entry.get("text").asText() + " "
                        + entry.path("url").asText());
            }
            case "Page.javascriptDialogOpening" -> {
                problems.add("dialog: " + params.get("message").asText());
                CompletableFuture<JsonNode> unused =
                        browser.send(session, "Page.handleJavaScriptDialog", args().put("accept", false));
            }
            case "Page.windowOpen" ->
                problems.add("window: " + params.get("url").asText());
            case "Network.webSocketCreated" -> requests.add(params.get("url").asText());
            case "Network.requestWillBeSent" -> {
                String url = params.get("request").get("url").asText();
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
        browser.close(this, session, context);
    }
}
