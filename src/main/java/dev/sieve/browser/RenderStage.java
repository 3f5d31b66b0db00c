package dev.sieve.browser;

import dev.sieve.OptionalLibrary;
import dev.sieve.crawl.CrawlClock;
import dev.sieve.crawl.CrawlJob;
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
import dev.sieve.scope.Scope;
import dev.sieve.url.Printable;
import dev.sieve.url.UrlParts;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Has a browser render the pages that a {@link RenderRule} selects: what their scripts have made of them takes the
 * place of their documents. A page that cannot be rendered stays as it is, and its record says why. The browser is
 * started when it is needed.
 */
public final class RenderStage implements Stage {
    /** How many pages are rendered at once: a page mostly waits, and takes about a hundred MiB. */
    private static final int TABS = Math.min(16, 4 * Runtime.getRuntime().availableProcessors());

    /** Larger documents are not rendered: they have their content. */
    private static final int MAX_DOCUMENT = 4 << 20;

    /** How often a page is rendered that has crashed, or whose browser has ended: the last time alone, since others may end it. */
    private static final int TRIES = 3;

    /** How long a browser that did not start is not tried again. */
    private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final RenderRule rule;
    private final Path program;
    private final String userAgent;
    private final int limit;
    private final LongSupplier nanoTime;
    private final boolean isRelaxed;
    private final RenderWait wait;
    private final PageParts.Shared shared = new PageParts.Shared();
    private final Semaphore tabs = new Semaphore(TABS, true);
    /** More tabs for {@link #slow} origins: others do not wait for them, and keep most of the processor. */
    private final Semaphore slowTabs = new Semaphore(TABS / 4, true);

    /** Written for a page that is rendered alone, and read for others. */
    private final ReadWriteLock alone = new ReentrantReadWriteLock(true);

    /**
     * How many more pages of an origin had requests open at their end than had not, of the last ones; from -2 to 1, at
     * which it is slow: a page may be late because those of others take the processor, but not page after page.
     */
    private final LruMap<Integer> slow = new LruMap<>(1 << 20, each -> 0);

    private volatile boolean isStopped;
    private volatile @Nullable Chromium browser;
    /** Empty tabs of browsers for other pages of their sites, the last one used at the end. Guarded by this. */
    private final List<PageTab> idle = new ArrayList<>();

    private final Object starting = new Object();
    // Guarded by starting:
    /** Why the browser did not start; null if it did. */
    private @Nullable IOException failure;

    private long failedNanos;

    /**
     * Returns what creates the stage. It has to be the first one of the options, so that it sees what is sent for a
     * document.
     *
     * @param choice the browser; null for the first one on the PATH
     * @param userAgent returns what the crawl is called in its requests
     * @param isRelaxed whether scripts and style sheets are requested whatever robots.txt says
     * @throws IllegalArgumentException if no browser is found; the message says what to install
     */
    public static Creation of(
            RenderRule rule,
            @Nullable Path choice,
            Supplier<String> userAgent,
            int bodyLimit,
            boolean isRelaxed,
            RenderWait wait) {
        Path program = program(choice);
        return new Creation() {
            @Override
            public Stage of(CrawlJob job, Scope scope, CrawlClock clock) {
                return new RenderStage(rule, program, userAgent.get(), bodyLimit, isRelaxed, wait, clock.nanos());
            }

            @Override
            public int parts() {
                return PageParts.AT_ONCE;
            }
        };
    }

    /**
     * Starts the browser and ends it, so that a crawl does not find out late that it cannot be used.
     *
     * @throws IllegalArgumentException if it does not start; the message says what to do
     */
    public static void check(@Nullable Path choice) {
        try (Chromium tried = new Chromium(program(choice), List.of())) {
            tried.awaitStart();
        } catch (IOException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private static Path program(@Nullable Path choice) {
        OptionalLibrary.require("com.fasterxml.jackson.jr.ob.JSON", "com.fasterxml.jackson.jr:jackson-jr-objects");
        Path program = choice == null ? Chromium.find() : choice;
        if (program == null) {
            throw new IllegalArgumentException("no " + String.join(", ", Chromium.NAMES)
                    + " on the PATH; install Chromium, for example with 'apt install chromium'");
        } else if (Files.isDirectory(program) || !Files.isExecutable(program)) {
            throw new IllegalArgumentException("not a program: " + program);
        }
        return program;
    }

    RenderStage(
            RenderRule rule,
            Path program,
            String userAgent,
            int bodyLimit,
            boolean isRelaxed,
            RenderWait wait,
            LongSupplier nanoTime) {
        this.rule = rule;
        this.program = program;
        this.userAgent = userAgent;
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
        return render(request, (Page) result, fetcher, record);
    }

    private FetchResult render(
            FetchRequest request, Page page, PageFetcher fetcher, Consumer<Map<String, Object>> record) {
        long startNanos = nanoTime.getAsLong();
        Map<String, Object> made = new LinkedHashMap<>();
        FetchResult result = page;
        PageParts parts = new PageParts(request, fetcher, isRelaxed, shared, nanoTime);
        try (parts) {
            result = render(request.url(), page, parts, made);
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

    /** Renders a page: once more if it has crashed, and twice if the browser has ended. */
    private Page render(String url, Page page, PageParts parts, Map<String, Object> made) throws IOException {
        for (int tries = 1; ; tries++) {
            Lock turn = tries == TRIES ? alone.writeLock() : alone.readLock();
            Integer lateness = slow.get(UrlParts.origin(url));
            Semaphore places = lateness == null || lateness < 1 ? tabs : slowTabs;
            places.acquireUninterruptibly();
            turn.lock();
            try {
                Chromium present = browser();
                try {
                    return renderOnce(url, page, parts, present, tries == 1, made);
                } catch (InterruptedIOException e) {
                    throw e;
                } catch (IOException e) {
                    if (tries == TRIES || (tries > 1 && present.cdp.isOpen())) {
                        throw e;
                    }
                }
            } finally {
                turn.unlock();
                places.release();
            }
        }
    }

    private Page renderOnce(
            String url, Page page, PageParts parts, Chromium present, boolean isFirst, Map<String, Object> made)
            throws IOException {
        String origin = UrlParts.origin(url);
        // What a page of http has stored is not for those of https.
        String site = url.substring(0, url.indexOf(':')) + ' ' + UrlParts.domain(url);
        PageTab tab = isFirst ? tab(present, site) : new PageTab(present, site);
        boolean isQuiet = false;
        try {
            ShownPage shown = new ShownPage(url, page, parts, tab, wait, nanoTime);
            Page rendered = shown.render(limit);
            isQuiet = shown.isQuiet();
            if (!shown.isReady()) {
                made.put("ready", false);
            }
            rule.learn(url, page.body(), rendered, isQuiet);
            return rendered;
        } finally {
            slow.merge(origin, isQuiet ? -1 : 1, (sum, step) -> Math.max(-2, Math.min(1, sum + step)));
            if (!isQuiet || !tab.empty() || !keep(tab)) {
                tab.close();
            }
        }
    }

    /** Returns an idle tab of a site, or opens one. */
    private PageTab tab(Chromium present, String site) throws IOException {
        for (Optional<PageTab> tab = idleTab(site); tab.isPresent(); tab = idleTab(site)) {
            if (tab.get().site.equals(site) && tab.get().reopen()) {
                return tab.get();
            }
            tab.get().close();
        }
        return new PageTab(present, site);
    }

    /** Removes an idle tab of a site; else, if there is no place for another one, the tab that was not used for longest. */
    private synchronized Optional<PageTab> idleTab(String site) {
        Optional<PageTab> tab =
                idle.stream().filter(each -> each.site.equals(site)).findFirst();
        if (tab.isEmpty() && idle.size() > tabs.availablePermits()) {
            tab = Optional.of(idle.get(0));
        }
        tab.ifPresent(idle::remove);
        return tab;
    }

    /** Keeps a tab for other pages, if its browser is the present one. */
    private synchronized boolean keep(PageTab tab) {
        return tab.browser == browser && idle.add(tab);
    }

    /** Returns the browser, once it has started. All wait for one that starts; a stop ends it. */
    private Chromium browser() throws IOException {
        synchronized (starting) {
            Chromium last = browser;
            if (isStopped) {
                throw new InterruptedIOException("the crawl has ended");
            } else if (last != null && last.cdp.isOpen()) {
                return last;
            } else if (failure != null && nanoTime.getAsLong() - failedNanos < PAUSE_NANOS) {
                throw new InterruptedIOException(failure.getMessage());
            } else if (last != null) {
                last.close();
            }
            try {
                Chromium next = new Chromium(program, List.of("user-agent=" + userAgent));
                browser = next;
                if (isStopped) {
                    next.close();
                }
                next.awaitStart();
                failure = null;
                return next;
            } catch (IOException e) {
                failure = e;
                failedNanos = nanoTime.getAsLong();
                throw e;
            }
        }
    }

    @Override
    public void stop() {
        isStopped = true;
        Chromium last = browser;
        if (last != null) {
            last.close();
        }
    }
}
