package dev.sieve.browser;

import dev.sieve.fetch.Cookie;
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
import java.util.TreeMap;
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
 * What the scripts of a page need: requested as pages are, by the same fetcher, if robots.txt allows it, and counted
 * for the delay of each host. {@link #close} cancels what is being requested. Safe for use by many threads.
 */
final class PageParts implements AutoCloseable {
    /** Concurrent requests per page; per host, twice that over all pages. */
    static final int AT_ONCE = 3;

    private static final int MAX_PARTS = 300;
    private static final int MAX_PART_BYTES = 8 << 20;
    private static final long MAX_BYTES = 16 << 20;
    /** Most bytes of requests that wait, with their header fields. */
    private static final int MAX_WAITING = 1 << 20;
    /** The heap of the objects of a request, or of a header field. */
    private static final int OBJECT_BYTES = 200;

    private static final Pattern MAX_AGE =
            Pattern.compile("(?i)(?!.*(?:no-store|no-cache|private)).*\\bmax-age=\"?([0-9]{1,6}).*");

    /** Fields of the browser in place of which the fetcher has its own. Others are what scripts set, and the cookies. */
    private static final Pattern NOT_SENT = Pattern.compile(
            "(?i)user-agent|accept-encoding|host|connection|upgrade-insecure-requests|(?:sec|proxy)-.*");

    /** What a redirect says besides its target. */
    private static final List<String> OF_REDIRECTS = List.of(
            "access-control-allow-origin",
            "access-control-allow-credentials",
            "cross-origin-resource-policy",
            "referrer-policy",
            "set-cookie",
            "timing-allow-origin");

    /** What other pages need as well. */
    private static final Set<String> LIBRARIES = Set.of("Script", "Stylesheet");

    private final FetchRequest page;
    private final PageFetcher fetcher;
    /** Whether scripts and style sheets are requested whatever robots.txt says. */
    private final boolean isRelaxed;

    final Shared shared;
    private final LongSupplier nanoTime;
    private final ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE, task -> {
        Thread thread = new Thread(task, "sieve-browser-part");
        thread.setDaemon(true);
        return thread;
    });
    private final Set<Runnable> cancels = ConcurrentHashMap.newKeySet();
    /** How many requests the browser has asked for, each of which may need a robots.txt. */
    private final AtomicInteger asked = new AtomicInteger();
    /** How many bytes those take that wait for a thread. */
    private final AtomicLong waiting = new AtomicLong();
    /** How many requests were sent. */
    final AtomicInteger requests = new AtomicInteger();
    /** How many requests of scripts and frames were not sent, or their responses not passed on: by a rule or a limit. */
    final AtomicInteger refused = new AtomicInteger();
    /** How many bytes of bodies the page has received. */
    final AtomicLong bytes = new AtomicLong();

    private volatile boolean isClosed;

    /** A response that may be used for other pages until a moment. */
    record Kept(Page response, long untilNanos) {}

    /**
     * What all pages share: responses by the site of their page and by all that they were requested with, and the
     * requests that each host may still receive at once.
     */
    static final class Shared {
        /** How many pages that are larger than a piece may be taken from the browser at once. */
        final Semaphore large = new Semaphore(2, true);

        private final LruMap<Kept> kept = new LruMap<>(16 << 20, Shared::bytes);
        private final LruMap<Semaphore> hosts = new LruMap<>(1 << 20, each -> 100);

        private static long bytes(Kept kept) {
            return kept.response.body().length + size("", kept.response.headers());
        }
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
     * @param answer receives the response once, and returns when it was passed on; null without one
     */
    void request(String url, String type, Map<?, ?> fields, Consumer<@Nullable Page> answer) {
        long taken = size(url, fields);
        if (asked.incrementAndGet() > MAX_PARTS || waiting.get() + taken > MAX_WAITING) {
            answer.accept(refuse());
            return;
        }
        waiting.addAndGet(taken);
        try {
            threads.execute(() -> {
                waiting.addAndGet(-taken);
                get(url, LIBRARIES.contains(type), fields(url, fields), answer);
            });
        } catch (RejectedExecutionException e) {
            answer.accept(null);
        }
    }

    /** Returns the heap that a request takes while it waits. */
    static long size(String text, Map<?, ?> fields) {
        long size = OBJECT_BYTES + 2L * text.length();
        for (Map.Entry<?, ?> field : fields.entrySet()) {
            int length = field.getKey().toString().length()
                    + String.valueOf(field.getValue()).length();
            size += OBJECT_BYTES + 2L * length;
        }
        return size;
    }

    List<Cookie> cookies() {
        return page.cookies();
    }

    /** Counts a request that is not sent, or whose response is not passed on. */
    @Nullable
    Page refuse() {
        refused.incrementAndGet();
        return null;
    }

    private Map<String, String> fields(String url, Map<?, ?> fields) {
        Map<String, String> sent = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        fields.forEach((name, value) -> {
            if (!NOT_SENT.matcher(name.toString()).matches()) {
                sent.put(name.toString(), value.toString());
            }
        });
        String origin = UrlParts.origin(page.url());
        if (!UrlParts.origin(url).equals(origin)) {
            // The fetcher sends it none of the fields that the user has set.
            sent.putIfAbsent("Origin", origin);
        }
        return sent;
    }

    private void get(String url, boolean isLibrary, Map<String, String> fields, Consumer<@Nullable Page> answer) {
        Map<String, String> others = new TreeMap<>(fields);
        others.remove("Referer");
        String key = UrlParts.domain(page.url()) + others + url;
        FetchResult result = null;
        Page part = null;
        try {
            Kept known = isLibrary ? shared.kept.get(key) : null;
            if (known != null && known.untilNanos - nanoTime.getAsLong() > 0) {
                part = known.response;
            } else if (!isClosed
                    && bytes.get() < MAX_BYTES
                    && page.watch().allows(url, !isLibrary || !isRelaxed, this::begins)) {
                Map<String, List<String>> head = new LinkedHashMap<>();
                result = fetch(url, fields, head);
                part = passed(result, head);
                if (isLibrary && part != null) {
                    keep(key, part);
                }
            }
            boolean isWrong = part == null && !(result instanceof Failed);
            if (part != null && bytes.addAndGet(part.body().length) > MAX_BYTES) {
                bytes.addAndGet(-part.body().length);
                isWrong = true;
            }
            part = isWrong ? refuse() : part;
        } catch (RuntimeException e) {
            // What has failed also fails for the page.
            part = null;
        } finally {
            answer.accept(part);
            if (result != null) {
                fetcher.release(result);
            }
        }
    }

    private FetchResult fetch(String url, Map<String, String> fields, Map<String, List<String>> head) {
        FetchRequest request = new FetchRequest(url)
                .onlyIf(fields)
                .reading(FetchRequest.Body.upTo((int) Math.min(MAX_PART_BYTES, MAX_BYTES - bytes.get())))
                .watchedBy(new Passing())
                .headTo(values -> OF_REDIRECTS.forEach(name -> head.put(name, values.apply(name))));
        FetchResult result = send(request);
        return result instanceof Failed failed && failed.reason() == Reason.CLOSED ? send(request) : result;
    }

    /** Returns the response that the browser receives; null for none. */
    private static @Nullable Page passed(FetchResult result, Map<String, List<String>> head) {
        if (result instanceof Redirect redirect) {
            head.put("location", List.of(redirect.target()));
            return new Page(redirect.status(), head, "", new byte[0], 0, false);
        }
        return result instanceof Page part && !part.isCut() ? part.with(null) : null;
    }

    private FetchResult send(FetchRequest request) {
        Semaphore made = new Semaphore(2 * AT_ONCE, true);
        Semaphore host = shared.hosts.merge(UrlParts.host(request.url()), made, (old, unused) -> old);
        host.acquireUninterruptibly();
        try {
            return fetcher.fetch(request);
        } finally {
            host.release();
        }
    }

    /** Keeps a response if its server and its kind allow it. */
    private void keep(String key, Page part) {
        Matcher age = MAX_AGE.matcher(String.join(",", part.headers().getOrDefault("cache-control", List.of())));
        String vary = String.join(",", part.headers().getOrDefault("vary", List.of("accept-encoding")));
        boolean isSame = vary.equalsIgnoreCase("accept-encoding") && part.header("set-cookie") == null;
        if (part.isSuccess() && isSame && age.matches()) {
            long seconds = Long.parseLong(age.group(1));
            shared.kept.put(key, new Kept(part, nanoTime.getAsLong() + TimeUnit.SECONDS.toNanos(seconds)));
        }
    }

    /** Notes what ends with the page. */
    private void begins(Runnable cancel) {
        cancels.add(cancel);
        if (isClosed) {
            cancel.run();
        }
    }

    /** Passes requests on to the watch of the page. */
    private final class Passing implements FetchRequest.Watch {
        @Override
        public void begins(Runnable cancel) {
            PageParts.this.begins(cancel);
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
