package dev.sieve.browser;

import dev.sieve.OptionalLibrary;
import dev.sieve.crawl.Stage;
import dev.sieve.crawl.StageVisit;
import dev.sieve.crawl.VisitContext;
import dev.sieve.fetch.FetchRequest;
import dev.sieve.fetch.FetchResult;
import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.fetch.PageFetcher;
import dev.sieve.io.LruMap;
import dev.sieve.output.VisitField;
import dev.sieve.url.Printable;
import dev.sieve.url.UrlParts;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Has a browser render the pages that a {@link RenderRule} selects: what their scripts have made of them takes the place of their
 * documents. A page that cannot be rendered stays as it is, and its record says why. The browser is started when it is needed.
 */
public final class RenderStage implements Stage {
    /** How many pages are rendered at once: a page mostly waits, and takes about a hundred MiB. */
    private static final int TABS = Math.min(16, 4 * Runtime.getRuntime().availableProcessors());

    /** Larger documents are not rendered: they have their content. */
    private static final int MAX_DOCUMENT = 4 << 20;

    private final RenderRule rule;
    private final Path program;
    private final int limit;
    private final LongSupplier nanoTime;
    private final boolean isRelaxed;
    private final RenderWait wait;
    private final PageParts.Shared shared = new PageParts.Shared();
    private final Semaphore tabs = new Semaphore(TABS, true);
    /** More tabs for origins whose last page was not ready in time: others do not wait for them, and keep most of the processor. */
    private final Semaphore slowTabs = new Semaphore(TABS / 4, true);

    private final LruMap<Boolean> slow = new LruMap<>(1 << 20, each -> 0);
    private volatile boolean isStopped;
    /** Guarded by this. */
    private @Nullable Chromium browser;
    /** Empty tabs of the browser, for other pages. Guarded by this. */
    private final List<PageTab> idle = new ArrayList<>();

    /**
     * Returns what creates the stage. It has to be the first one of the options, so that it sees what is sent for a document.
     *
     * @param choice the browser; null for the first one on the PATH
     * @param isRelaxed whether scripts and style sheets are requested whatever robots.txt says
     * @throws IllegalArgumentException if no browser is found; the message says what to install
     */
    public static Creation of(
            RenderRule rule, @Nullable Path choice, int bodyLimit, boolean isRelaxed, RenderWait wait) {
        OptionalLibrary.require("com.fasterxml.jackson.jr.ob.JSON", "com.fasterxml.jackson.jr:jackson-jr-objects");
        Path program = choice == null ? Chromium.find() : choice;
        if (program == null) {
            throw new IllegalArgumentException("no " + String.join(", ", Chromium.NAMES)
                    + " on the PATH; install Chromium, for example with 'apt install chromium'");
        } else if (Files.isDirectory(program) || !Files.isExecutable(program)) {
            throw new IllegalArgumentException("not a program: " + program);
        }
        return (job, scope, clock) -> new RenderStage(rule, program, bodyLimit, isRelaxed, wait, clock.nanos());
    }

    RenderStage(
            RenderRule rule, Path program, int bodyLimit, boolean isRelaxed, RenderWait wait, LongSupplier nanoTime) {
        this.rule = rule;
        this.program = program;
        this.nanoTime = nanoTime;
        limit = Math.min(bodyLimit, MAX_DOCUMENT);
        this.isRelaxed = isRelaxed;
        this.wait = wait;
    }

    @Override
    public StageVisit visit(VisitContext visit) {
        return new StageVisit() {
            @Override
            public FetchResult fetch(FetchRequest request, PageFetcher next) {
                return RenderStage.this.fetch(request, next, made -> visit.add(VisitField.RENDERED, made));
            }
        };
    }

    FetchResult fetch(FetchRequest request, PageFetcher fetcher, Consumer<Map<String, Object>> record) {
        String url = request.url();
        boolean isPage = request.body() == FetchRequest.Body.DOCUMENT;
        // What the scripts of a page show may have changed although its document has not.
        FetchResult result = fetcher.fetch(isPage && rule.mayRender(url) ? request.onlyIf(Map.of()) : request);
        boolean isRendered = isPage
                && result instanceof Page page
                && page.isSuccess()
                && page.isHtml()
                && !page.isCut()
                && page.body().length <= MAX_DOCUMENT
                && rule.needs(url, page.body());
        if (!isRendered) {
            return result;
        }
        Semaphore places = slow.get(UrlParts.origin(url)) == null ? tabs : slowTabs;
        places.acquireUninterruptibly();
        try {
            return render(request, (Page) result, fetcher, record);
        } finally {
            places.release();
        }
    }

    private FetchResult render(
            FetchRequest request, Page page, PageFetcher fetcher, Consumer<Map<String, Object>> record) {
        long startNanos = nanoTime.getAsLong();
        Map<String, Object> made = new LinkedHashMap<>();
        FetchResult result = page;
        PageParts parts = new PageParts(request, fetcher, isRelaxed, shared, nanoTime);
        try (parts) {
            result = render(request.url(), page, parts);
        } catch (IOException e) {
            made.put("error", Printable.of(String.valueOf(e.getMessage())));
            if (isStopped) {
                result = new Failed(page.status(), Reason.STOPPED, "while the page was rendered", page.exchange());
            }
        }
        if (result != page) {
            fetcher.release(page.with(null));
        }
        made.put("requests", parts.requests.get());
        made.put("bytes", parts.bytes.get());
        if (parts.refused.get() > 0) {
            made.put("refused", parts.refused.get());
        }
        made.put("ms", TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - startNanos));
        record.accept(made);
        return result;
    }

    /** Renders a page: a second time if it has crashed, or the browser. */
    private Page render(String url, Page page, PageParts parts) throws IOException {
        try {
            return renderOnce(url, page, parts);
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            return renderOnce(url, page, parts);
        }
    }

    private Page renderOnce(String url, Page page, PageParts parts) throws IOException {
        String origin = UrlParts.origin(url);
        PageTab tab = tab(origin);
        boolean isQuiet = false;
        try {
            ShownPage shown = new ShownPage(url, page, parts, tab, wait, nanoTime);
            Page rendered = shown.render(limit);
            isQuiet = shown.isQuiet();
            rule.learn(url, page.body(), rendered, isQuiet);
            return rendered;
        } finally {
            if (isQuiet) {
                slow.remove(origin);
            } else {
                slow.put(origin, true);
            }
            if (!isQuiet || !tab.empty() || !keep(tab)) {
                tab.close();
            }
        }
    }

    /** Returns an idle tab, or opens one. */
    private PageTab tab(String origin) throws IOException {
        Optional<PageTab> tab = idleTab(origin);
        while (tab.isPresent() && !tab.get().reopen()) {
            tab.get().close();
            tab = idleTab(origin);
        }
        return tab.isPresent() ? tab.get() : new PageTab(browser());
    }

    /** Removes an idle tab, at best one that shows the origin without a new process. */
    private synchronized Optional<PageTab> idleTab(String origin) throws IOException {
        browser();
        Optional<PageTab> tab =
                idle.stream().filter(each -> each.origin.equals(origin)).findFirst();
        if (tab.isEmpty() && idle.size() > tabs.availablePermits()) {
            // Any one: where more origins than tabs take turns, each would come after its tab was the oldest one.
            tab = Optional.of(idle.get(ThreadLocalRandom.current().nextInt(idle.size())));
        }
        tab.ifPresent(idle::remove);
        return tab;
    }

    /** Keeps a tab for other pages, if its browser is the present one. */
    private synchronized boolean keep(PageTab tab) {
        return tab.browser == browser && idle.add(tab);
    }

    private synchronized Chromium browser() throws IOException {
        if (isStopped) {
            throw new InterruptedIOException("the crawl has ended");
        }
        if (browser == null || !browser.cdp.isOpen()) {
            closeBrowser();
            idle.clear();
            try {
                browser = new Chromium(program);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return browser;
    }

    private synchronized void closeBrowser() {
        if (browser != null) {
            browser.close();
        }
    }

    @Override
    public void stop() {
        isStopped = true;
        closeBrowser();
    }
}
