package dev.sieve.crawl;

import dev.sieve.crawl.Outcome.Kind;
import dev.sieve.fetch.Exchange;
import dev.sieve.fetch.FetchRequest;
import dev.sieve.fetch.FetchResult;
import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.fetch.Origins;
import dev.sieve.polite.AdaptiveDelay;
import dev.sieve.polite.BackOff;
import dev.sieve.polite.HostSchedule;
import dev.sieve.polite.ScheduleOptions;
import dev.sieve.robots.RobotsCache;
import dev.sieve.robots.RobotsRules;
import dev.sieve.robots.RobotsStatus;
import dev.sieve.scope.UrlOrder;
import dev.sieve.url.UrlParts;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides how hosts are treated: what their robots.txt allows, how long they pause, and which of these pauses are
 * stored for the next run. Safe for use by many threads.
 */
final class Politeness {
    /** The result for an origin without rules. */
    private static final RobotsCache.Found OPEN = new RobotsCache.Found(RobotsCache.OPEN, null);

    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.crawl");

    /** How long until a URL that failed is requested again, the first time. */
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

    /** The longest pause of a host that is overloaded or does not respond, unless it requests a longer one. */
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(10);

    /** The cache of robots.txt; null if it is ignored. */
    private final @Nullable RobotsCache robots;

    private final Origins origins;
    private final Duration delay;
    private final CrawlJob job;
    private final CrawlClock clock;

    Politeness(CrawlOptions options, Origins origins, CrawlJob job, CrawlClock clock) {
        robots = options.obeyRobots ? new CrawlParts(options).robots(origins, clock.dates()) : null;
        this.origins = origins;
        delay = options.delay;
        this.job = job;
        this.clock = clock;
    }

    /**
     * Returns the schedule for the hosts of a crawl, with the pauses of earlier runs, if there were any: then any host
     * may have been requested just before.
     */
    static HostSchedule<Target> schedule(CrawlOptions options, CrawlJob job, boolean continues, long nowNanos) {
        ScheduleOptions<Target> builder = new ScheduleOptions<Target>()
                .delay(options.adaptsDelay ? AdaptiveDelay.SHORTEST : options.delay)
                .perHost(options.perHost)
                .probeFirst(options.obeyRobots)
                .backOff(new BackOff(FIRST_PAUSE, LONGEST_PAUSE))
                .budget(job.sharing().ownLimit(options.maxPerHost))
                .tellTrust(true)
                .spill(job.folder, new Target.Codec(), new CrawlParts(options).leaseMemory());
        if (options.perDomain != Integer.MAX_VALUE) {
            builder.groups(UrlParts::domainOfHost, Duration.ZERO, options.perDomain, Integer.MAX_VALUE);
        }
        if (limitsAddresses(options)) {
            builder.servers(options.addressDelay, options.perAddress);
        }
        UrlOrder order = options.order;
        if (order.size() > 0) {
            // An errand is what other URLs wait for.
            builder.lanes(order.size(), target -> target.is(Target.Kind.ERRAND) ? 0 : order.lane(target.url()));
        }
        long longest = Math.max(options.delay.toNanos(), options.addressDelay.toNanos());
        HostSchedule<Target> schedule = builder.build(nowNanos + (continues ? longest : 0));
        job.store.takePauses().forEach((host, pause) -> schedule.backOff(host, nowNanos + pause.toNanos()));
        return schedule;
    }

    /** Returns whether hosts with the same address share limits. */
    static boolean limitsAddresses(CrawlOptions options) {
        return options.perAddress < Short.MAX_VALUE || !options.addressDelay.isZero();
    }

    /** Returns what robots.txt allows on an origin or, if that is not known, what to request next. */
    RobotsCache.Found robots(String origin) {
        return robots == null ? OPEN : robots.find(origin, clock.nanoTime());
    }

    /** Does the same for the origin of a URL, about which it says nothing if no request is sent for that. */
    RobotsCache.Found robotsOf(String url) {
        return origins.isRemote(url) ? robots(UrlParts.origin(url)) : OPEN;
    }

    /**
     * Returns what robots.txt allows on the origin of a target, or what to request next. It is closed if robots.txt was
     * requested so often for the target that the responses must have been dropped from the cache.
     */
    RobotsCache.Found robots(Target target) {
        RobotsCache.Found found = robotsOf(target.url());
        boolean isDropped = robots != null
                && found.access() == null
                && target.rule() == null
                && target.robotsRequests() >= robots.maxRequests();
        return isDropped ? new RobotsCache.Found(RobotsCache.DROPPED, null) : found;
    }

    /** Returns the delay that robots.txt sets; zero when it sets none. */
    static Duration crawlDelay(RobotsCache.Access access) {
        RobotsRules rules = access.rules();
        return rules == null ? Duration.ZERO : rules.crawlDelay().orElse(Duration.ZERO);
    }

    /** Requests a robots.txt, or the target of its redirect, unless the watch prevents it; returns how long its host has to pause then. */
    Duration requestRobots(String url, FetchRequest.Watch watch, Consumer<Exchange> exchanges) {
        Duration pause = Objects.requireNonNull(robots).request(url, clock.nanoTime(), watch, exchanges);
        if (pause.compareTo(RobotsCache.UNREACHABLE_FOR) > 0) {
            LOG.info("{} is unavailable, its host pauses for {}", url, pause);
        } else if (!pause.isZero()) {
            LOG.debug("{} is unavailable, its host pauses for {}", url, pause);
        }
        store(UrlParts.host(url), pause, Duration.ZERO);
        return pause;
    }

    /** Notes that a robots.txt, or the target of its redirect, cannot be requested since its host was given up. */
    void closeRobots(String url) {
        Objects.requireNonNull(robots).close(url, Reason.GIVEN_UP.text(), clock.nanoTime());
    }

    /** Returns the delay that the robots.txt of an origin sets for its host, which is stored; zero when it sets none. */
    Duration newCrawlDelay(String origin, RobotsCache.Access access) {
        if (!access.isKnown()) {
            LOG.info("{}: robots.txt unavailable ({}); its URLs are not requested now", origin, access.problem());
            return Duration.ZERO;
        }
        Duration crawlDelay = crawlDelay(access);
        if (crawlDelay.equals(RobotsRules.MAX_CRAWL_DELAY)) {
            LOG.warn("{} sets a Crawl-delay of a day or more; a day is used", origin);
        }
        store(UrlParts.host(origin + "/"), crawlDelay, RobotsStatus.MAX_AGE);
        return crawlDelay;
    }

    /**
     * Returns what the result of a request means for its host, whose server took a time to begin its response:
     * overload, silence and the errors of a gateway concern all of it, a broken page does not. After a stop, the URL
     * waits for its host as before, and once if a kept connection was closed.
     */
    Outcome outcome(Task task, FetchResult result, Duration took) {
        if (result instanceof Failed failed && failed.reason() == Reason.STOPPED) {
            return new Outcome(Kind.POSTPONED, Duration.ZERO, task.target());
        }
        if (result instanceof Failed failed
                && failed.reason() == Reason.CLOSED
                && !task.target().isRepeated()) {
            // The server may not have received it, so it counts for the delay, but not as a failure.
            return new Outcome(Kind.POSTPONED, Duration.ZERO, task.target().repeated());
        }
        if (!origins.isRemote(task.target().url())) {
            return Outcome.NOT_REQUESTED;
        }
        String host = task.host();
        boolean isServerError = result.status() == 500;
        if (result instanceof Page page && page.isWorthRetrying() && !isServerError) {
            Duration retryAfter = page.retryAfter(clock.now());
            if (retryAfter.compareTo(LONGEST_PAUSE) > 0) {
                LOG.warn("{} requests a pause of {} (Retry-After); honoured", host, retryAfter);
            }
            store(host, retryAfter, Duration.ZERO);
            return new Outcome(Kind.OVERLOADED, retryAfter, null);
        }
        if (isSilence(result)) {
            return new Outcome(Kind.NO_RESPONSE);
        } else if (isServerError) {
            return new Outcome(Kind.FAILED);
        }
        if (result instanceof Page page && page.login() != null) {
            return new Outcome(Kind.TURNED_AWAY);
        }
        Target target = task.target();
        boolean isCompared = (target.is(Target.Kind.PAGE) || target.is(Target.Kind.CHECK))
                && result instanceof Page page
                && page.isSuccess()
                && !page.isCut();
        return new Outcome(Kind.RESPONDED, isCompared ? took : Duration.ZERO, null);
    }

    /** Returns whether there was no complete response, which may be due to the page, to its host, or to the network. */
    static boolean isSilence(FetchResult result) {
        return result instanceof Failed failed && failed.isWorthRetrying();
    }

    /** Stores a pause that is longer than the delay of all hosts, for requests that are made from now on. */
    private void store(String host, Duration pause, Duration use) {
        if (pause.compareTo(delay) > 0) {
            job.store.addPause(host, pause, use, clock.now());
        }
    }

    /** Returns when a URL that has failed this many times before may be requested again. */
    long retryNanos(int attempt) {
        return clock.nanoTime() + (FIRST_PAUSE.toNanos() << Math.min(attempt, 8));
    }
}
