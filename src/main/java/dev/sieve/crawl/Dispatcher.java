package dev.sieve.crawl;

import dev.sieve.Frontier;
import dev.sieve.Lease;
import dev.sieve.polite.HostSchedule;
import dev.sieve.polite.Trust;
import dev.sieve.url.UrlParts;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands out URLs to the workers: joins the frontier, the schedule of hosts and the limits of a crawl under one lock. It
 * is the only class in which a crawl waits.
 *
 * <p>URLs are taken from the frontier when no host with queued URLs may be requested, or before each request if their
 * {@link dev.sieve.scope.UrlOrder} matters; URLs that have to wait stay in the schedule, which spills to disk, and
 * those of later {@link Levels} in their own files. The crawl has finished when no URL of the frontier is pending or in
 * flight: a count, never a pause.
 *
 * <p>Each {@link Task} is {@linkplain #end ended} once, with the outcome of its request, and then {@linkplain #finished
 * finished}, when its links are in the frontier.
 */
final class Dispatcher {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.crawl");

    /** URLs that are taken from the frontier at a time, so that no worker waits long for the lock. */
    private static final int TAKEN_AT_ONCE = 256;

    /** How long to wait for other processes, one of which may have begun what is not a page. */
    private static final Duration BUDGET_PAUSE = Duration.ofSeconds(1);

    /** How often a page that waits for a host is asked whether it still does. */
    private static final long TURN_CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final CrawlJob job;
    private final Frontier frontier;
    private final HostSchedule<Target> schedule;
    private final Levels levels;
    private final LongSupplier nanoClock;
    private final Recorder recorder;
    private long startNanos;
    private final long maxNanos;
    private final PageBudget budget;
    /** Until when other processes have begun all pages that the budget permits. */
    private long budgetNanos;

    private final int workers;
    private final UnprovenLimit unproven;
    private final HostResults results;
    final Reachability reachability;

    /** Tasks that have not ended, by identity. */
    private final Set<Task> requests = Collections.newSetFromMap(new IdentityHashMap<>());

    /** Whether a URL may have to be requested before those that were found earlier. */
    private final boolean takesAll;

    /** How many workers there are, and how many of them have a task. */
    private int present;

    private int active;
    /** Leases so far. */
    private long taken;

    private @Nullable Ending ending;
    /** Whether a worker has failed and is about to end the crawl. The lease that it leaves behind is not a second failure. */
    private boolean isFailing;

    private final LoadMeter load;

    /** Creates a dispatcher for a crawl that starts now, or continues. The recorder counts leases, under the lock of this. */
    Dispatcher(
            CrawlJob job,
            HostSchedule<Target> schedule,
            LongSupplier nanoClock,
            Recorder recorder,
            CrawlOptions options,
            boolean continues) {
        this.job = job;
        frontier = job.frontier();
        this.schedule = schedule;
        this.nanoClock = nanoClock;
        this.recorder = recorder;
        levels = new Levels(schedule, recorder, options.keys(), job.sharing().ownLimit(options.maxDepth));
        budget = job.sharing().budget(options.maxPages);
        workers = options.concurrency;
        reachability = new Reachability(continues, Math.max(20, 2 * workers));
        load = new LoadMeter(workers, Runtime.getRuntime().availableProcessors());
        present = workers;
        maxNanos = nanos(options.maxTime);
        unproven = UnprovenLimit.of(options);
        results = new HostResults(schedule, unproven, options, nanos(options.timeout) / 2);
        takesAll = options.order.size() > 0;
        budgetNanos = nanoClock.getAsLong();
        start();
    }

    private static long nanos(Duration time) {
        return TimeUnit.NANOSECONDS.convert(time);
    }

    /** Counts the limit of time from now on. */
    final synchronized void start() {
        startNanos = nanoClock.getAsLong() - nanos(budget.age());
    }

    /** Waits for a URL whose host may be requested now; returns null to a worker that has to leave, as at the end. */
    synchronized @Nullable Task next() throws InterruptedException {
        try {
            return awaitTask();
        } catch (RuntimeException | Error e) {
            isFailing = true;
            throw e;
        }
    }

    private @Nullable Task awaitTask() throws InterruptedException {
        while (true) {
            long now = nanoClock.getAsLong();
            unproven.age(now);
            if (isOver(now) || present > workers + unproven.furtherWorkers()) {
                workerLeft();
                return null;
            }
            boolean mayStart = budgetNanos - now <= 0 && occupied() < workers && budget.mayBegin();
            Task task = mayStart ? poll(now) : null;
            if (task != null) {
                requests.add(task);
                if (task.mayBePage() && !budget.begin()) {
                    budgetNanos = now + BUDGET_PAUSE.toNanos();
                    release(task, new Outcome(Outcome.Kind.POSTPONED, BUDGET_PAUSE, task.target()));
                    continue;
                }
                active++;
                loadChanged(now);
                return task;
            }
            await(mayStart, now);
        }
    }

    /** Returns how many workers do more than wait for a host that may never respond. */
    private int occupied() {
        return active - unproven.waiting();
    }

    /** Returns whether another worker has to be started: all have a task, and some of these only wait. */
    synchronized boolean addsWorker() {
        unproven.age(nanoClock.getAsLong());
        boolean isMissing = active == present && present < workers + unproven.furtherWorkers();
        present += isMissing ? 1 : 0;
        return isMissing;
    }

    /** Notes that the worker that had to be started was not, so that no others will be. */
    synchronized void addsNoMore() {
        workerLeft();
        unproven.limitFurther(Math.max(0, present - workers));
    }

    /** Returns the oldest of the URLs that are being processed; null when there is none. */
    synchronized @Nullable OpenRequest oldestRequest() {
        long now = nanoClock.getAsLong();
        return requests.stream()
                .max(Comparator.comparingLong(task -> now - task.startNanos()))
                .map(task -> new OpenRequest(task.lease().url(), Duration.ofNanos(now - task.startNanos())))
                .orElse(null);
    }

    private boolean isOver(long now) {
        if (budget.isSpent()) {
            end(Ending.MAX_PAGES);
        } else if (leftNanos(now) <= 0) {
            end(Ending.MAX_TIME);
        } else if (active == 0 && frontier.isOver(recorder.leftUndone())) {
            end(reachability.isInDoubt() ? Ending.UNREACHABLE : Ending.DRAINED);
        }
        return ending != null;
    }

    /** Returns how long until the limit of time. */
    private long leftNanos(long now) {
        return maxNanos - (now - startNanos);
    }

    private @Nullable Task poll(long now) {
        Target target = takesAll ? null : scheduled(now);
        int steps = 0;
        for (; target == null && steps < TAKEN_AT_ONCE && (levels.hasDue() || take(now)); steps++) {
            Target next = levels.poll();
            if (next == null) {
                continue;
            }
            String host = UrlParts.host(next.url());
            if (next.lease().attempt() > 0) {
                schedule.addAgain(host, next);
            } else if (!budget.admit(next.lease()) || !schedule.add(host, next)) {
                return new Task(next, host, now, Task.Action.SKIP, Trust.PROVEN, Duration.ZERO);
            }
            target = takesAll ? null : scheduled(now);
        }
        if (takesAll && steps < TAKEN_AT_ONCE) {
            target = scheduled(now);
        }
        return target == null ? null : task(target, now);
    }

    /** Takes a lease from the frontier, or begins the next level; returns false when there is nothing to do now. */
    private boolean take(long now) {
        Lease next = frontier.take(now);
        if (next == null) {
            boolean isFinished = levels.kept() > 0 && active == 0 && held() == levels.kept() && frontier.pending() == 0;
            return isFinished && levels.next();
        }
        taken++;
        // Those of its host were known before it was handed out.
        job.store.takePauses().forEach((host, pause) -> schedule.backOff(host, now + pause.toNanos()));
        levels.add(Target.of(next));
        return true;
    }

    /** Returns how many leases this crawl has taken and has not finished. */
    private long held() {
        return taken - recorder.settled();
    }

    /** Returns the next target whose host may be requested now; drops those whose leases have ended while they waited. */
    private @Nullable Target scheduled(long now) {
        for (int i = 0; i < TAKEN_AT_ONCE; i++) {
            Target target = schedule.poll(now, leastTrust(now));
            if (target == null || target.is(Target.Kind.ERRAND) || frontier.begin(target.lease())) {
                return target;
            }
            schedule.dropped(UrlParts.host(target.url()), target.lease().attempt() > 0, now);
            recorder.dropped();
        }
        return null;
    }

    private Trust leastTrust(long now) {
        return unproven.least(active, schedule.atWork(Trust.PROVEN), schedule.atWork(Trust.RESPONDED), now);
    }

    private Task task(Target target, long now) {
        String host = UrlParts.host(target.url());
        Task.Action action = schedule.isGivenUp(host) ? Task.Action.LEAVE : Task.Action.REQUEST;
        Task task = new Task(target, host, now, action, schedule.trust(host), schedule.waited(host));
        results.started(task);
        unproven.started(task.lease().id(), task.trust(), now);
        return task;
    }

    private void await(boolean mayStart, long now) throws InterruptedException {
        long nanos = Long.MAX_VALUE;
        if (mayStart) {
            nanos = Math.min(schedule.waitNanos(now, leastTrust(now)), frontier.waitNanos(now));
        }
        if (schedule.holdsUnproven() || occupied() >= workers) {
            nanos = Math.min(nanos, unproven.waitNanos(now));
        }
        nanos = levels.hasDue() ? 0 : nanos;
        if (budgetNanos - now > 0) {
            nanos = Math.min(nanos, budgetNanos - now);
        }
        if (!isFailing) {
            requireProgress(nanos);
        }
        nanos = Math.min(nanos, leftNanos(now));
        TimeUnit.NANOSECONDS.timedWait(this, Math.max(nanos, TimeUnit.MICROSECONDS.toNanos(1)));
    }

    /**
     * Fails the crawl if it would wait forever: it holds leases, but no worker is active, and no host and no retry is
     * due later. In a shared frontier something may always be due later, so there the schedule has to be empty instead.
     * Leases of others do not count, since they may still push links.
     */
    private void requireProgress(long waitNanos) {
        boolean isIdle = job.sharing().isIdle(waitNanos, schedule.size());
        if (active == 0 && held() > 0 && isIdle) {
            throw new IllegalStateException(
                    "the crawl cannot continue: no worker processes " + held()
                            + " of the URLs that were handed out; they are not done, and the next run of the job requests them");
        }
    }

    /**
     * Sets the delay of a host before a request. Each time, since the schedule may have dropped the host in
     * between, and another origin of the same host may set another delay.
     */
    synchronized void delay(String host, Duration crawlDelay) {
        results.delay(host, crawlDelay);
    }

    /** Returns the present delay of a host; null when it is not known. */
    synchronized @Nullable Duration delay(String host) {
        return results.delay(host);
    }

    /**
     * Notes which address the request of a task uses, null if it is not known; returns whether its server may be
     * requested now. Without a connection, a task that has waited for the server of its host keeps that one.
     */
    boolean mayUse(Task task, @Nullable InetAddress address, boolean isConnected) {
        if (!results.limitsServers) {
            return true;
        }
        String server = HostResults.server(address);
        synchronized (this) {
            // An attempt to connect may come after the end of its task.
            return results.mayUse(task, requests.contains(task), server, isConnected, nanoClock.getAsLong());
        }
    }

    /** Notes a request, a further one, or one that a host lends to another site, for a target; returns whether it may be sent. */
    boolean maySend(Target target, String host, boolean isFurther, boolean isLent) {
        if (!target.is(Target.Kind.ERRAND) && !frontier.begin(target.lease())) {
            return false;
        }
        synchronized (this) {
            long now = nanoClock.getAsLong();
            if (isLent) {
                schedule.lent(host, now);
            } else {
                schedule.sent(host, isFurther, now);
            }
        }
        return true;
    }

    /** Waits until a host may receive a request for a page of another site; returns false if it never may, or the wait is over. */
    synchronized boolean awaitTurn(String host, boolean isWithin, BooleanSupplier isOver) throws InterruptedException {
        long nanos = schedule.lend(host, isWithin, nanoClock.getAsLong());
        while (nanos > 0 && nanos < Long.MAX_VALUE && !isOver.getAsBoolean()) {
            TimeUnit.NANOSECONDS.timedWait(this, Math.min(nanos, TURN_CHECK_NANOS));
            nanos = schedule.lend(host, isWithin, nanoClock.getAsLong());
        }
        return nanos == 0;
    }

    /** Ends the request of a task, exactly once; the URL stays in work until it is {@link #finished}. */
    void end(Task task, Outcome outcome) {
        if (release(task, outcome)) {
            LOG.warn("{}: host given up after {}", task.host(), results.reason(task.host()));
        }
    }

    /** Returns whether this gives up the host. */
    private synchronized boolean release(Task task, Outcome outcome) {
        if (!requests.remove(task)) {
            throw new IllegalStateException("ended twice: " + task);
        }
        notifyAll();
        long now = nanoClock.getAsLong();
        loadChanged(now);
        if (task.action() == Task.Action.SKIP) {
            return false;
        }
        return results.ended(task, outcome, now);
    }

    /** Returns after what a host was given up. */
    String reason(String host) {
        return results.reason(host);
    }

    /** Notes that the response for a target has begun. A further worker waits then until a usual one is free, for memory. */
    synchronized void responded(Target target) throws InterruptedException {
        reachability.responded(nanoClock.getAsLong());
        long id = target.lease().id();
        while (unproven.isWaiting(id) && occupied() >= workers) {
            wait();
        }
        unproven.receives(id);
    }

    /**
     * Notes that a host does not respond, so that the URL of a task stays in flight. In a crawl that continues, where
     * most hosts have responded before, many such hosts and no response at all end it.
     */
    synchronized void silent(String host) {
        if (reachability.silent(host)) {
            end(Ending.UNREACHABLE);
        }
    }

    /** Notes, after the {@link #end} of a task, that its URL was processed and the links are in the frontier. */
    synchronized void finished(Task task, boolean isPage) {
        if (requests.contains(task)) {
            throw new IllegalStateException("not ended: " + task);
        }
        left(task, isPage);
    }

    /** Notes that what is processed is a page, before its lease ends. */
    void page(Lease lease) {
        budget.page(lease);
    }

    /** Notes that the processing of a URL was stopped by an exception, whether its task has ended or not. */
    synchronized void abandoned(Task task) {
        left(task, false);
    }

    private void left(Task task, boolean isPage) {
        if (task.mayBePage()) {
            budget.end(isPage);
        }
        requests.remove(task);
        active--;
        loadChanged(nanoClock.getAsLong());
        notifyAll();
    }

    /** Ends the crawl once the active tasks are finished; returns false when it has ended before. */
    synchronized boolean end(Ending reason) {
        boolean isFirst = ending == null;
        ending = isFirst ? reason : ending;
        notifyAll();
        return isFirst;
    }

    /** Notes that a worker has left, other than by {@link #next}. */
    synchronized void workerLeft() {
        present--;
        notifyAll();
    }

    /**
     * Waits up to {@code time} until the crawl is over, and ends it at the limit of time, since all workers may be busy
     * then; returns whether it is over.
     */
    synchronized boolean awaitEnding(Duration time) throws InterruptedException {
        long now = nanoClock.getAsLong();
        for (long until = now + time.toNanos(); ending == null && until - now > 0; now = nanoClock.getAsLong()) {
            if (leftNanos(now) <= 0) {
                end(Ending.MAX_TIME);
            } else {
                TimeUnit.NANOSECONDS.timedWait(this, Math.min(until - now, leftNanos(now)));
            }
        }
        return ending != null;
    }

    /** Notes that URLs were marked as done outside of a task. */
    synchronized void frontierChanged() {
        notifyAll();
    }

    /** Waits up to {@code time} for the workers; returns whether all have left. */
    synchronized boolean awaitWorkers(Duration time) throws InterruptedException {
        long now = nanoClock.getAsLong();
        for (long until = now + time.toNanos(); present > 0 && until - now > 0; now = nanoClock.getAsLong()) {
            TimeUnit.NANOSECONDS.timedWait(this, until - now);
        }
        return present == 0;
    }

    private void loadChanged(long now) {
        load.changed(requests.size() - unproven.waiting(), active - requests.size(), now);
    }

    synchronized CrawlReport.Load load() {
        long now = nanoClock.getAsLong();
        return new CrawlReport.Load(load.busy(now), load.processing(now), schedule.stats());
    }

    /** Returns why the crawl is over; null while it runs. */
    synchronized @Nullable Ending ending() {
        return ending;
    }
}
