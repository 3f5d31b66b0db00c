package dev.sieve.judge;

import dev.sieve.demo.DemoRequest;
import dev.sieve.demo.DemoWeb;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the log of a server and reports each request that came too early or, if that can be told, too late. A host requires the longest of: the delay that
 * the crawl was configured with, the Crawl-delay of its robots.txt, and, once, a Retry-After. Every request counts, that for
 * robots.txt included. The servers of the tests have a judge each; {@link Verdict} fails the test whose crawl was too fast.
 *
 * <p>The delay lies between the moments at which two requests are sent. A server sees a request late, never early, so it
 * has two rules, neither of which blames a polite crawl:
 *
 * <ul>
 *   <li>A crawl with one request per host at a time sends none before the one before it is answered. So from that answer
 *       to the request after the next, or the n-th after it, lie at least n - 1 delays. No tolerance is needed.
 *   <li>From a request to the n-th after it lie n delays, less the time by which the first was seen late. Half of the delay
 *       is allowed for that, and at least {@link #LATENESS}.
 * </ul>
 *
 * <p>After a Retry-After, no request is sent until the answer has arrived and the time is over: no tolerance is needed.
 *
 * <p>A judge that is told what the crawl {@link #queued} also reports each request that came too late: by more than a slack after
 * the longest of these, the answer before and the moment at which it was queued.
 */
public final class PolitenessJudge implements Consumer<DemoRequest> {
    static final long LATENESS = Duration.ofMillis(500).toNanos();
    private static final long LONGEST_PAUSE = Duration.ofDays(1).toNanos();
    private static final Pattern CRAWL_DELAY = Pattern.compile("(?im)^Crawl-delay: *(\\d{1,6}(\\.\\d{1,9})?)\\s*$");
    private static final Pattern RETRY_AFTER = Pattern.compile("(?im)^Retry-After: *(\\d{1,9})\\s*$");

    private final Map<String, Host> hosts = new HashMap<>();
    private final Duration delay;
    private final Duration crawlDelay;
    private final Consumer<String> onShortGap;
    private long slack;

    /** What is known of a host, in nanoseconds. */
    private static final class Host {
        private long delay;
        private int requests;
        /** The earliest moment at which the latest request may have been sent. */
        private long sent;
        /** When the latest request was due at a server that sees each at once, and not before it was seen. */
        private long seen;
        /** When the latest answer began. */
        private long answered;

        private boolean isPaused;
        private long pausedUntil;
        /** When the latest request arrived. */
        private long arrived;
        /** When the next requests were queued. */
        private final Queue<Long> queued = new ArrayDeque<>();
    }

    /** Creates the judge of a server whose crawls have a delay. */
    public PolitenessJudge(Duration delay) {
        this(delay, Duration.ZERO, Verdict::shortGap);
    }

    PolitenessJudge(Duration delay, Duration crawlDelay, Consumer<String> onShortGap) {
        this.delay = delay;
        this.crawlDelay = crawlDelay;
        this.onShortGap = onShortGap;
    }

    /** Returns the options of a demo web with a Crawl-delay whose crawls have a delay, and which is judged. */
    public static DemoWeb.Builder web(Duration delay, Duration crawlDelay) {
        return DemoWeb.builder()
                .crawlDelay(crawlDelay)
                .onRequest(new PolitenessJudge(delay, crawlDelay, Verdict::shortGap));
    }

    /** Returns the options of a demo web that is judged, without delays. */
    public static DemoWeb.Builder web() {
        return web(Duration.ZERO, Duration.ZERO);
    }

    @Override
    public void accept(DemoRequest request) {
        boolean hasRules = request.target().equals("/robots.txt") && request.status() == 200;
        arrived(request.host(), request.startNanos());
        answered(request.host(), request.endNanos(), hasRules ? crawlDelay : Duration.ZERO, Duration.ZERO);
    }

    /** Notes an answer that begins now, by its text. */
    public void answered(String host, String head, String body) {
        Matcher crawl = CRAWL_DELAY.matcher(body);
        Matcher retry = RETRY_AFTER.matcher(head);
        boolean isBusy = head.startsWith("HTTP/1.1 429") || head.startsWith("HTTP/1.1 503");
        answered(
                host,
                System.nanoTime(),
                Duration.ofNanos(crawl.find() ? (long) (Double.parseDouble(crawl.group(1)) * 1e9) : 0),
                Duration.ofSeconds(isBusy && retry.find() ? Long.parseLong(retry.group(1)) : 0));
    }

    synchronized void answered(String hostName, long nanos, Duration crawlDelay, Duration retryAfter) {
        Host host = hosts.get(hostName);
        host.delay = Math.max(host.delay, Math.min(crawlDelay.toNanos(), LONGEST_PAUSE));
        host.answered = nanos;
        if (!retryAfter.isZero()) {
            host.isPaused = true;
            host.pausedUntil = nanos + Math.min(retryAfter.toNanos(), LONGEST_PAUSE);
        }
    }

    /**
     * Notes that a crawl which may request a host has queued a URL for it: the next request that does not belong to another one
     * must not come later than its rule says, by more than a slack.
     */
    public synchronized void queued(String hostName, long nanos, Duration slack) {
        this.slack = slack.toNanos();
        hosts.computeIfAbsent(hostName, name -> new Host()).queued.add(nanos);
    }

    private void judgeLateness(String hostName, Host host, long nanos) {
        Long queued = host.queued.poll();
        if (queued == null || host.requests == 0) {
            return;
        }
        long due = Math.max(Math.max(host.arrived + host.delay, host.answered), queued);
        due = host.isPaused ? Math.max(due, host.pausedUntil) : due;
        if (nanos - due > slack) {
            onShortGap.accept("request " + (host.requests + 1) + " to " + hostName + " came " + (nanos - due) / 1e6
                    + " ms too late; its delay is " + host.delay / 1e6 + " ms");
        }
    }

    /** Notes a request that arrived. */
    public synchronized void arrived(String hostName, long nanos) {
        Host host = hosts.computeIfAbsent(hostName, name -> new Host());
        host.delay = Math.max(host.delay, delay.toNanos());
        Verdict.request(host.requests > 0 && (host.delay > 0 || host.isPaused));
        judgeLateness(hostName, host, nanos);
        host.arrived = nanos;
        if (host.requests++ == 0) {
            host.sent = nanos - LONGEST_PAUSE;
            host.seen = nanos;
            host.answered = host.sent;
        } else {
            judge(hostName, host, nanos);
            host.sent = Math.max(host.sent + host.delay, host.answered);
            host.seen = Math.max(host.seen + host.delay, nanos);
        }
    }

    private void judge(String hostName, Host host, long nanos) {
        long early = 0;
        if (host.delay > 0) {
            long lateness = Math.max(LATENESS, host.delay / 2);
            early = Math.max(host.sent + host.delay - nanos, host.seen + host.delay - lateness - nanos);
        }
        if (host.isPaused) {
            early = Math.max(early, host.pausedUntil - nanos);
        }
        host.isPaused = false;
        if (early > 0) {
            onShortGap.accept("request " + host.requests + " to " + hostName + " came " + early / 1e6
                    + " ms too early; its delay is " + host.delay / 1e6 + " ms");
        }
    }
}
