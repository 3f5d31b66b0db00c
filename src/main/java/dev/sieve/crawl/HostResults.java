package dev.sieve.crawl;

import dev.sieve.fetch.AddressPolicy;
import dev.sieve.io.LruMap;
import dev.sieve.polite.AdaptiveDelay;
import dev.sieve.polite.HostSchedule;
import dev.sieve.polite.Trust;
import java.net.InetAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Passes the outcomes of requests on to the schedule of hosts: back-off, delays, trust, the servers of hosts, and
 * errands to other hosts. Guarded by the lock of {@link Dispatcher}.
 */
final class HostResults {
    /** So many failures in a row, a host that has responded before is still preferred to unknown ones. */
    private static final int FORGIVEN = 3;

    /** How long until an errand to a host that waits itself is tried again. */
    private static final Duration ERRAND_PAUSE = Duration.ofSeconds(2);

    /** After so many requests to log in in a row, the other URLs of a host are left for the next run. */
    private static final int MOST_TURNED_AWAY = 20;

    private static final long TURNED_AWAY_BYTES = 1 << 18;
    /** What delays may take if they adapt; a host that is dropped begins again. */
    private static final long DELAY_BYTES = 4 << 20;

    private final HostSchedule<Target> schedule;
    private final UnprovenLimit unproven;
    /** Whether delays follow the responses. */
    private final boolean adapts;

    private final LruMap<AdaptiveDelay> adaptive = new LruMap<>(DELAY_BYTES, delay -> AdaptiveDelay.BYTES);
    private final int maxFailures;
    /** How many responses of a host in a row were requests to log in. */
    private final LruMap<Integer> turnedAway = new LruMap<>(TURNED_AWAY_BYTES, times -> 0);
    /** A host that responds later than this is not proven. */
    private final long soonNanos;

    /** Whether hosts on one server share limits. */
    final boolean limitsServers;
    /** The servers of requests that have not ended, by their tasks, by identity. */
    private final IdentityHashMap<Task, String> servers = new IdentityHashMap<>();

    /** How many slots of each host are taken until an errand has ended. */
    private final Map<String, Integer> waitingHosts = new HashMap<>();

    private long errands;

    HostResults(HostSchedule<Target> schedule, UnprovenLimit unproven, CrawlOptions options, long soonNanos) {
        this.schedule = schedule;
        this.unproven = unproven;
        this.soonNanos = soonNanos;
        adapts = options.adaptsDelay;
        maxFailures = options.maxFailures;
        limitsServers = Politeness.limitsAddresses(options);
    }

    /** Returns after what a host is given up. Needs no lock. */
    String reason(String host) {
        if (Objects.requireNonNullElse(turnedAway.get(host), 0) >= MOST_TURNED_AWAY) {
            return MOST_TURNED_AWAY + " requests to log in in a row";
        }
        return maxFailures == 1 ? "a failed request" : maxFailures + " failed requests in a row";
    }

    /** Sets the delay of a host by its robots.txt, before a request. */
    void delay(String host, Duration crawlDelay) {
        Duration delay = crawlDelay;
        if (adapts) {
            AdaptiveDelay adapted = adapted(host);
            adapted.atLeast(crawlDelay);
            delay = adapted.delay();
        }
        schedule.delay(host, delay);
        schedule.open(host);
    }

    private AdaptiveDelay adapted(String host) {
        return adaptive.merge(host, new AdaptiveDelay(), (known, unused) -> known);
    }

    /** Returns the present delay of a host; null when the host is not known, or not any more. */
    @Nullable
    Duration delay(String host) {
        AdaptiveDelay adapted = adaptive.get(host);
        return adapted == null ? schedule.delay(host) : adapted.delay();
    }

    /** Notes the server of a task that begins. */
    void started(Task task) {
        String server = schedule.server(task.host());
        if (server != null) {
            servers.put(task, server);
        }
    }

    /** Returns the name of the server at an address; null if it is not public, or not known. Needs no lock. */
    static @Nullable String server(@Nullable InetAddress address) {
        return address == null || AddressPolicy.publicOnly().objection(address) != null
                ? null
                : address.getHostAddress();
    }

    /**
     * Notes which server the request of a task uses; returns whether that may be requested now. Without a connection, a
     * task that has waited for the server of its host keeps that one.
     */
    boolean mayUse(Task task, boolean isUnderWay, @Nullable String server, boolean isConnected, long now) {
        String before = servers.remove(task);
        String used = isConnected || before == null ? server : before;
        boolean mayUse = isUnderWay && schedule.usesServer(task.host(), before, used, now);
        if (mayUse && used != null) {
            servers.put(task, used);
        }
        return mayUse;
    }

    /** Ends the request of a task; returns whether this gives up the host. */
    boolean ended(Task task, Outcome outcome, long now) {
        unproven.ended(task.lease().id(), outcome.hasResponse(), now);
        schedule.leftServer(servers.remove(task), now);
        Target.Errand errand = outcome.kind() == Outcome.Kind.SERVER_BUSY ? null : Target.Errand.of(task.target());
        if (errand != null) {
            waitingHosts.computeIfPresent(errand.waiting(), (host, slots) -> slots == 1 ? null : slots - 1);
            schedule.release(errand.waiting(), now);
        }
        if (outcome.hasResponse() && schedule.trust(task.host()) == Trust.UNKNOWN) {
            schedule.trust(task.host(), Trust.RESPONDED);
        }
        AdaptiveDelay adapted = adapts ? adapted(task.host()) : null;
        if (adapted != null && outcome.adapt(adapted)) {
            schedule.delay(task.host(), adapted.delay());
        }
        switch (outcome.kind()) {
            case RESPONDED, FAILED -> {
                turnedAway.remove(task.host());
                responded(task, now);
            }
            case TURNED_AWAY -> {
                responded(task, now);
                return turnedAway.merge(task.host(), 1, Integer::sum) >= MOST_TURNED_AWAY && givesUp(task.host());
            }
            case OVERLOADED -> schedule.failed(task.host(), outcome.time(), now);
            case NO_RESPONSE -> {
                return failed(task.host(), now);
            }
            case NOT_REQUESTED -> schedule.skipped(task.host(), task.startNanos(), now);
            case SERVER_BUSY -> {
                schedule.skipped(task.host(), task.startNanos(), now);
                schedule.putBack(task.host(), task.target());
            }
            case ROBOTS_READ -> {
                schedule.finished(task.host(), now);
                delay(task.host(), outcome.time());
                schedule.putBack(task.host(), Objects.requireNonNull(outcome.next()));
            }
            case POSTPONED, ROBOTS_REDIRECTED -> postpone(task.host(), outcome.time(), outcome.next(), now);
            case ELSEWHERE ->
                sendElsewhere(
                        task.host(),
                        Objects.requireNonNull(outcome.next()),
                        Objects.requireNonNull(outcome.errand()),
                        now);
        }
        return false;
    }

    private void postpone(String host, Duration pause, @Nullable Target next, long now) {
        schedule.finished(host, now);
        schedule.backOff(host, now + pause.toNanos());
        if (next != null) {
            schedule.putBack(host, next);
        }
    }

    /**
     * Makes an errand the next item of the other host. While that waits itself, it is tried again, after the other
     * items of this host, one of which may be what the other host waits for.
     */
    private void sendElsewhere(String host, Target next, Target.Errand errand, long now) {
        if (waitingHosts.containsKey(errand.host())) {
            postpone(host, ERRAND_PAUSE, null, now);
            schedule.addAgain(host, next);
            return;
        }
        schedule.hold(host);
        waitingHosts.merge(host, 1, Integer::sum);
        schedule.putBack(host, next);
        schedule.putBack(errand.host(), errand.target(--errands));
    }

    private void responded(Task task, long now) {
        long took = now - task.startNanos();
        if (task.trust() == Trust.PROVEN) {
            unproven.provenTook(took);
        }
        schedule.trust(task.host(), took < soonNanos ? Trust.PROVEN : Trust.RESPONDED);
        schedule.finished(task.host(), now);
    }

    private boolean failed(String host, long now) {
        int failures = schedule.failed(host, Duration.ZERO, now);
        if (failures > FORGIVEN) {
            schedule.trust(host, Trust.UNKNOWN);
        }
        return failures >= maxFailures && givesUp(host);
    }

    /** Gives up a host; returns false if it was given up before. */
    private boolean givesUp(String host) {
        boolean isNew = !schedule.isGivenUp(host);
        if (isNew) {
            schedule.giveUp(host);
        }
        return isNew;
    }
}
