package dev.sieve.shared;

import dev.sieve.Lease;
import dev.sieve.UrlBatch;
import dev.sieve.polite.HostSchedule;
import dev.sieve.polite.ScheduleOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A worker of a simulated crawl: the real frontier and the real schedule, with one thread that crawls and one that keeps the
 * slices. A request takes some virtual time, and the page is computed.
 */
final class SimWorker {
    private static final int PARALLEL = 24;
    private static final int LEASES = 400;
    private static final long SECOND = 1_000_000_000L;

    private record Request(Lease lease, long endNanos) {}

    private final Simulation simulation;
    private final SimTime time;
    private final String name;
    private final Random random;
    private final HostSchedule<Lease> schedule;
    private final PriorityQueue<Request> underWay = new PriorityQueue<>(Comparator.comparingLong(Request::endNanos));
    /** What was taken and has not begun. */
    private final List<Lease> waiting = new ArrayList<>();

    private @Nullable SharedSieve frontier;
    private final List<SimTime.Fiber> fibers = new ArrayList<>();
    private boolean isOver;
    /** Whether the thread that keeps the slices has ended. */
    private boolean isKept;

    private boolean isDead;

    SimWorker(Simulation simulation, String name, long seed) {
        this.simulation = simulation;
        this.name = name;
        time = simulation.time;
        random = new Random(seed);
        schedule = new ScheduleOptions<Lease>()
                .delay(Duration.ofNanos(SimPromises.DELAY_NANOS))
                .build(time.now());
        fibers.add(time.start(this::crawl));
    }

    /** After a wait, goes on only when that cannot block: the lock of the round trips may be held by the other thread. */
    private void settle() {
        SharedSieve opened = frontier;
        long pause = 300_000;
        while (opened != null
                && opened.self().trip().isLocked()
                && !opened.self().trip().isHeldByCurrentThread()) {
            time.sleepUntil(time.now() + pause);
            pause = Math.min(2 * pause, SECOND / 20);
        }
    }

    private void sleep(long nanos) {
        time.sleepUntil(time.now() + Math.max(nanos, 1_000_000));
        settle();
    }

    private SharedSieve open() {
        Network network = new Network() {
            @Override
            public Link link(EngineAddress address, EngineAddress.Server node, Duration timeout) {
                return new SimLink(simulation.cluster, address, node, timeout, SimWorker.this::settle);
            }

            @Override
            public boolean await(Object monitor, long nanos) throws InterruptedException {
                time.await(monitor, nanos);
                return true;
            }
        };
        while (true) {
            try {
                return simulation
                        .options
                        .apply(SharedSieve.builder(simulation.address())
                                .capacity(1_000_000_000)
                                .slices(simulation.size.slices())
                                .seed(11)
                                .rest(Duration.ofNanos(SimPromises.DELAY_NANOS))
                                .cacheBytes(64 << 10)
                                .clock(time::now)
                                .withoutKeeper()
                                .simulated(name, network, time::now))
                        .open();
            } catch (IOException e) {
                time.sleepUntil(time.now() + SECOND);
            }
        }
    }

    private void crawl() {
        SharedSieve sieve = open();
        frontier = sieve;
        simulation.opened(sieve);
        fibers.add(time.start(this::keep));
        while (true) {
            while (!underWay.isEmpty() && underWay.peek().endNanos <= time.now()) {
                finish(sieve, underWay.peek());
            }
            take(sieve);
            begin(sieve);
            if (underWay.isEmpty() && sieve.isOver(0)) {
                break;
            }
            settle();
            long now = time.now();
            long wait = Math.min(SECOND, waiting.size() < LEASES ? sieve.waitNanos(now) : SECOND);
            if (wait == 0 && underWay.isEmpty()) {
                // A worker whose slices may not be asked is told to ask at once, again and again.
                simulation.asksInVain++;
                wait = SECOND / 10;
            }
            if (underWay.size() < PARALLEL) {
                wait = Math.min(wait, schedule.waitNanos(now));
            }
            sleep(underWay.isEmpty() ? wait : Math.min(wait, underWay.peek().endNanos - now));
        }
        isOver = true;
        while (!isKept) {
            sleep(SECOND / 10);
        }
        settle();
        sieve.close();
        simulation.over(this);
    }

    private void take(SharedSieve sieve) {
        while (waiting.size() < LEASES) {
            settle();
            Lease lease = sieve.take(time.now());
            if (lease == null) {
                return;
            }
            waiting.add(lease);
            schedule.add(SimWeb.host(SimWeb.hostOf(lease.url())), lease);
        }
    }

    private void begin(SharedSieve sieve) {
        while (underWay.size() < PARALLEL) {
            Lease lease = schedule.poll(time.now());
            if (lease == null) {
                return;
            }
            waiting.remove(lease);
            if (!sieve.begin(lease)) {
                schedule.skipped(SimWeb.host(SimWeb.hostOf(lease.url())), time.now(), time.now());
                continue;
            }
            long end = time.now() + SECOND / 5 + (long) (SECOND * random.nextDouble());
            underWay.add(new Request(lease, end));
            simulation.promises.requests(this, lease.url(), end);
        }
    }

    private void finish(SharedSieve sieve, Request request) {
        String url = request.lease.url();
        if (random.nextInt(300) == 0) {
            simulation.promises.retries++;
            sieve.retry(request.lease, time.now() + 2 * SECOND);
        } else {
            UrlBatch links = new UrlBatch(request.lease.depth() + 1, 0, url);
            simulation.web.links(url, links);
            sieve.pushAll(links);
            for (int i = 0; i < links.size(); i++) {
                if (links.isNew(i)) {
                    simulation.promises.toldNew(this, links.url(i));
                }
            }
            simulation.promises.done(url);
            sieve.done(request.lease);
        }
        // Only now: a page whose worker dies before is one under way.
        underWay.remove(request);
        schedule.finished(SimWeb.host(SimWeb.hostOf(url)), time.now());
    }

    private void keep() {
        while (!isOver) {
            sleep(SECOND);
            if (!isOver) {
                frontier.beat();
            }
        }
        isKept = true;
    }

    /** Dies, with all that is on its way to it. */
    void kill(List<Integer> slices) {
        isDead = true;
        List<String> begun = new ArrayList<>();
        underWay.forEach(each -> begun.add(each.lease.url()));
        List<String> pages = new ArrayList<>(begun);
        waiting.forEach(each -> pages.add(each.url()));
        simulation.promises.died(slices, pages, begun);
        fibers.forEach(SimTime.Fiber::kill);
        // When the threads have ended, and with these their locks.
        SharedSieve sieve = frontier;
        if (sieve != null) {
            time.at(time.now() + 1, sieve::abandon);
        }
    }

    void suspend(long nanos) {
        fibers.forEach(each -> each.suspend(time.now() + nanos));
    }

    /** Returns whether it takes part in the crawl. */
    boolean isAtWork() {
        return !isDead && !isOver && frontier != null;
    }

    String name() {
        return name;
    }

    @Override
    public String toString() {
        return name;
    }
}
