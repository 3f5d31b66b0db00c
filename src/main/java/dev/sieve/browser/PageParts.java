package dev.sieve.browser;

import dev.sieve.fetch.FetchRequest;
import dev.sieve.fetch.FetchResult;
import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.fetch.FetchResult.Redirect;
import dev.sieve.fetch.PageFetcher;
import dev.sieve.io.LruMap;
import dev.sieve.url.UrlParts;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the scripts of a page need: requested as pages are, by the same fetcher, if robots.txt allows it, and counted for the delay
 * of each host. {@link #close} cancels what is being requested. Safe for use by many threads.
 */
final class PageParts implements AutoCloseable {
    /** How many parts of a page are requested at once; from a host, twice as many of all pages. */
    private static final int AT_ONCE = 3;

    private static final int MAX_PARTS = 300;
    private static final int MAX_PART_BYTES = 8 << 20;
    private static final long MAX_BYTES = 16 << 20;
    private static final Pattern MAX_AGE =
            Pattern.compile("(?i)(?!.*(?:no-store|no-cache|private)).*\\bmax-age=\"?([0-9]{1,6}).*");

    /** What a script may add to a request; other fields are those of the fetcher. */
    private static final Pattern FIELDS =
            Pattern.compile("(?i)accept|accept-language|authorization|referer|x-[a-z0-9-]+");

    /** What other pages need as well. */
    private static final Set<String> LIBRARIES = Set.of("Script", "Stylesheet");

    private final FetchRequest page;
    private final PageFetcher fetcher;
    /** Whether scripts and style sheets are requested whatever robots.txt says. */
    private final boolean isRelaxed;

    private final Shared shared;
    private final LongSupplier nanoTime;
    private final ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE, task -> {
        Thread thread = new Thread(task, "sieve-browser-part");
        thread.setDaemon(true);
        return thread;
    });
    private final Set<Runnable> cancels = ConcurrentHashMap.newKeySet();
    /** How many requests the browser has asked for, each of which may need a robots.txt. */
    private final AtomicInteger asked = new AtomicInteger();
    /** How many requests were sent. */
    final AtomicInteger requests = new AtomicInteger();
    /** How many bytes of bodies the page has received. */
    final AtomicLong bytes = new AtomicLong();

    private volatile boolean isClosed;

    /** A response that may be used for other pages until a moment. */
    record Kept(Page response, long untilNanos) {}

    /** What all pages share: responses by their URLs, and the requests that each host may still receive at once. */
    static final class Shared {
        private final LruMap<Kept> kept = new LruMap<>(32 << 20, each -> each.response.body().length + 4096L);
        private final LruMap<Semaphore> hosts = new LruMap<>(1 << 20, each -> 100);
    }

    PageParts(FetchRequest page, PageFetcher fetcher, boolean isRelaxed, Shared shared, LongSupplier nanoTime) {
        this.page = page;
        this.fetcher = fetcher;
        this.isRelaxed = isRelaxed;
        this.shared = shared;
        this.nanoTime = nanoTime;
    }

    /**
     * Requests a part, with the header fields of the browser, without waiting for the response.
     *
     * @param answer receives the response once; null without one
     */
    void request(String url, String type, Map<?, ?> fields, Consumer<@Nullable Page> answer) {
        try {
            threads.execute(() -> answer.accept(get(url, LIBRARIES.contains(type), fields)));
        } catch (RejectedExecutionException e) {
            answer.accept(null);
        }
    }

    private @Nullable Page get(String url, boolean isLibrary, Map<?, ?> fields) {
        try {
            Kept known = isLibrary ? shared.kept.get(url) : null;
            Page again = known != null && known.untilNanos - nanoTime.getAsLong() > 0 ? known.response : null;
            boolean isAllowed = !isClosed
                    && bytes.get() < MAX_BYTES
                    && (again != null || asked.incrementAndGet() <= MAX_PARTS)
                    && (again != null
                            || (isLibrary && isRelaxed)
                            || page.watch().allows(url));
            Page part = !isAllowed ? null : again != null ? again : fetch(url, fields);
            bytes.addAndGet(part == null ? 0 : part.body().length);
            if (isLibrary && again == null && part != null) {
                keep(url, part);
            }
            return part;
        } catch (RuntimeException e) {
            // What has failed also fails for the page.
            return null;
        }
    }

    private @Nullable Page fetch(String url, Map<?, ?> fields) {
        Map<String, String> sent = new LinkedHashMap<>();
        fields.forEach((name, value) -> {
            if (FIELDS.matcher(name.toString()).matches()) {
                sent.put(name.toString(), value.toString());
            }
        });
        String origin = UrlParts.origin(page.url());
        if (!UrlParts.origin(url).equals(origin)) {
            sent.put("Origin", origin);
        } else if (page.fields().containsKey("Cookie")) {
            sent.put("Cookie", page.fields().get("Cookie"));
        }
        FetchRequest.Body body = FetchRequest.Body.upTo(MAX_PART_BYTES);
        FetchRequest request = new FetchRequest(url, sent, body, new Passing(), values -> {});
        FetchResult result = send(request);
        if (result instanceof Failed failed && failed.reason() == Reason.CLOSED) {
            result = send(request);
        }
        if (result instanceof Redirect redirect) {
            Map<String, List<String>> headers = Map.of("location", List.of(redirect.target()));
            return new Page(redirect.status(), headers, "", new byte[0], 0, false);
        }
        return result instanceof Page part && !part.isCut() ? part.with(null) : null;
    }

    private FetchResult send(FetchRequest request) {
        Semaphore made = new Semaphore(2 * AT_ONCE, true);
        Semaphore host = shared.hosts.merge(UrlParts.host(request.url()), made, (old, unused) -> old);
        host.acquireUninterruptibly();
        try {
            FetchResult result = fetcher.fetch(request);
            fetcher.release(result);
            return result;
        } finally {
            host.release();
        }
    }

    /** Keeps a response if its server and its kind allow it. */
    private void keep(String url, Page part) {
        Matcher age = MAX_AGE.matcher(String.join(",", part.headers().getOrDefault("cache-control", List.of())));
        String vary = String.join(",", part.headers().getOrDefault("vary", List.of("accept-encoding")));
        boolean isSame = vary.equalsIgnoreCase("accept-encoding") && part.header("set-cookie") == null;
        if (part.isSuccess() && isSame && age.matches()) {
            long seconds = Long.parseLong(age.group(1));
            shared.kept.put(url, new Kept(part, nanoTime.getAsLong() + TimeUnit.SECONDS.toNanos(seconds)));
        }
    }

    /** Passes requests on to the watch of the page. */
    private final class Passing implements FetchRequest.Watch {
        @Override
        public void begins(Runnable cancel) {
            cancels.add(cancel);
            if (isClosed) {
                cancel.run();
            }
        }

        @Override
        public boolean maySend(String host) {
            boolean isWithin = requests.getAndUpdate(sent -> Math.min(MAX_PARTS, sent + 1)) < MAX_PARTS;
            return !isClosed && isWithin && page.watch().maySend(host);
        }
    }

    @Override
    public void close() {
        isClosed = true;
        threads.shutdown();
        cancels.forEach(Runnable::run);
    }
}
