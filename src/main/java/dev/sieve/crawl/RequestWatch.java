package dev.sieve.crawl;

import dev.sieve.fetch.FetchRequest;
import dev.sieve.robots.RobotsCache;
import dev.sieve.url.UrlParts;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Follows the requests for a target: the first one for a URL, and then those for the parts of its page. */
class RequestWatch implements FetchRequest.Watch {
    /** Most requests for the robots.txt of another host that a page needs. */
    private static final int MAX_RULES = 4;

    /** How many parts a page may request from a host of another site before each waits for its turn. */
    private static final int MAX_PARTS = 20;

    /** The classes of a crawl that decide about its requests. */
    record Crawl(Politeness politeness, Dispatcher dispatcher, LinkQueue links, Recorder recorder, CrawlClock clock) {}

    private final Crawl crawl;
    private final Task task;
    private final Target target;
    /** Whether the lease had ended, so that nothing was sent. */
    volatile boolean hasEnded;

    /** Whether the server of the host has to wait, so that nothing was sent. */
    volatile boolean isServerBusy;

    private volatile boolean isSent;
    /** How many parts of its page were needed from each host. */
    private final Map<String, Integer> parts = new ConcurrentHashMap<>();

    private long sentNanos;
    /** How long the server took to begin its response. */
    Duration took = Duration.ZERO;

    RequestWatch(Crawl crawl, Task task, Target target) {
        this.crawl = crawl;
        this.task = task;
        this.target = target;
    }

    @Override
    public boolean mayUse(@Nullable InetAddress address, boolean isConnected) {
        isServerBusy = !isSent && !crawl.dispatcher.mayUse(task, address, isConnected);
        return !isServerBusy;
    }

    /** Nothing is sent once the lease has ended, however long something has been waited for. */
    @Override
    public boolean maySend(String host) {
        hasEnded = !crawl.dispatcher.maySend(target, host, isSent, isSent && isOfOtherSite(host));
        sentNanos = crawl.clock.nanoTime();
        isSent = true;
        return !hasEnded;
    }

    @Override
    public boolean allows(String url, boolean obeysRobots, Consumer<Runnable> cancels) {
        if (crawl.links.endsSession(url) || (obeysRobots && !robotsAllow(url, cancels))) {
            return false;
        }
        String host = UrlParts.host(url);
        AtomicBoolean isOver = new AtomicBoolean();
        cancels.accept(() -> isOver.set(true));
        boolean isWithin = parts.merge(host, 1, Integer::sum) <= MAX_PARTS;
        try {
            return !isOfOtherSite(host) || crawl.dispatcher.awaitTurn(host, isWithin, isOver::get);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private boolean isOfOtherSite(String host) {
        return !UrlParts.domainOfHost(host).equals(UrlParts.domainOfHost(task.host()));
    }

    private synchronized boolean robotsAllow(String url, Consumer<Runnable> cancels) {
        RobotsCache.Found found = crawl.politeness.robotsOf(url);
        for (int i = 0; found.next() != null && i < MAX_RULES; i++) {
            RequestWatch further = new RequestWatch(crawl, task, target) {
                @Override
                public void begins(Runnable cancel) {
                    cancels.accept(cancel);
                }
            };
            further.isSent = true;
            crawl.politeness.requestRobots(found.next(), further, crawl.recorder::exchanged);
            found = crawl.politeness.robotsOf(url);
        }
        RobotsCache.Access access = found.access();
        return access != null && access.isKnown() && access.skipReason(url) == null;
    }

    @Override
    public void responded() {
        took = Duration.ofNanos(crawl.clock.nanoTime() - sentNanos);
        try {
            crawl.dispatcher.responded(target);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
