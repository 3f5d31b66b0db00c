package dev.sieve.shared;

import static dev.sieve.shared.CrawlKeys.utf8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The part of this worker in the crawl: it reports that it is alive, owns its share of the slices, renews these in
 * time, and gives back what exceeds its share. Only the engine's clock decides when an ownership ends; this worker ends
 * it earlier, on its own clock. Used with the lock of the round trips, but {@link #workers} and {@link #isAlone}.
 */
final class Ownership {
    /** How long requests that were begun may last when their slice is given back. */
    private static final long HAND_OVER_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Round trips in which slices are claimed, per beat. */
    private static final int MAX_ROUNDS = 16;

    /**
     * A slice that was claimed.
     *
     * @param left numbers of frames that an earlier owner took, with the URLs that are done in them
     * @param pauses how long hosts of it still have to pause
     * @param counts that earlier owners have stored
     * @param hosts how many URLs of its hosts are done; null without a limit
     */
    record Claim(
            Slice slice,
            Slice.Term term,
            Map<Long, BitSet> left,
            boolean mayHaveFrames,
            Map<String, Duration> pauses,
            Map<Long, Integer> counts,
            Slice.@Nullable HostCounts hosts) {}

    private final Worker worker;
    private final Duration ttl;
    private final Duration rest;
    /** How many URLs of a host may be done in a run; null for any number. */
    private final @Nullable Integer mostPerHost;

    private volatile int workers;
    /** Of the last beat: they may not be held yet when the worker ends. */
    private List<Slice> lastClaimed = List.of();

    Ownership(Worker worker, Duration ttl, Duration rest, @Nullable Integer mostPerHost) {
        this.worker = worker;
        this.ttl = ttl;
        this.rest = rest;
        this.mostPerHost = mostPerHost;
    }

    /** Returns how many workers were alive at the last beat. */
    int workers() {
        return workers;
    }

    /** Returns whether no other worker may push or take, as of the last beat. */
    boolean isAlone() {
        return workers == 1 && worker.holdings().owned() == worker.keys().sliceCount();
    }

    private byte[] ttlMillis() {
        return utf8(ttl.toMillis());
    }

    /** Joins the crawl; when no other worker is alive, a crawl that had ended begins again, with the URLs that were left. */
    void join() {
        worker.engine().call((session, number) -> {
            sendBeat(session, false);
            receiveWorkers(session);
            if (workers == 1) {
                session.ask("HDEL", worker.keys().events(), utf8(Survey.ENDED));
            }
            return true;
        });
    }

    /**
     * Reports that this worker is alive, and drops the slices that it has lost. Returns what the look at the slices in
     * the same call has found; null when the engine is away.
     */
    @Nullable
    Survey beat(Function<Session, Survey> look, long clock) {
        assert worker.isInTrip();
        Survey survey = worker.engine().tryCall((session, number) -> {
            sendBeat(session, false);
            receiveWorkers(session);
            return look.apply(session);
        });
        if (survey != null) {
            // A process that was suspended may not see on its clock that its time has ended.
            worker.holdings()
                    .dropLost(
                            slice -> slice.run != survey.run
                                    || !survey.slice(slice.index).worker().equals(worker.name()),
                            clock);
        }
        return survey;
    }

    private void sendBeat(Session session, boolean isLeaving) {
        byte[][] args = {
            utf8(worker.name()),
            ttlMillis(),
            utf8(isLeaving ? 1 : 0),
            utf8(worker.settings().id())
        };
        session.send(
                Script.BEAT,
                new byte[][] {worker.keys().workers(), worker.keys().settings()},
                args);
    }

    private void receiveWorkers(Session session) {
        workers = (int) Replies.number(session.receive());
    }

    /** Renews, gives back and claims slices by the survey of the same beat; returns those that were claimed. */
    List<Claim> keep(Survey survey, long clock, boolean claims) {
        assert worker.isInTrip();
        int share = (worker.keys().sliceCount() + workers - 1) / Math.max(1, workers);
        worker.holdings().giveBack(share, clock + HAND_OVER_NANOS);
        release(worker.holdings().releasable(clock));
        renew(false, clock);
        List<Claim> claimed = claims ? claim(survey, share, clock) : List.of();
        lastClaimed = claimed.stream().map(Claim::slice).toList();
        return claimed;
    }

    /** Gives up slices. What was done in them must have been stored. */
    private void release(List<Slice> released) {
        Worker.Sender<Slice> release = (session, number, slice) ->
                session.send(Script.RELEASE, new byte[][] {slice.keys.owner}, slice.prove());
        if (worker.ask(released, slice -> slice, release) != null) {
            worker.holdings().drop(released);
        }
    }

    /** Renews the slices that are due, and all when whether they are idle changes; false when the engine is away. */
    boolean renew(boolean isIdle, long clock) {
        assert worker.isInTrip();
        List<Slice> due = worker.holdings().renewable(isIdle, clock);
        long seen = worker.totals().unsentSeen();
        List<Slice> renewed = due.isEmpty() && seen > 0
                ? worker.holdings().slices().stream().limit(1).toList()
                : due;
        if (renewed.isEmpty()) {
            return true;
        }
        Slice first = renewed.get(0);
        List<Object> replies = worker.ask(
                renewed,
                slice -> slice,
                (session, number, slice) -> session.send(
                        Script.RENEW,
                        new byte[][] {slice.keys.owner, slice.keys.queue, slice.keys.taken, slice.keys.counters},
                        slice.prove(
                                ttlMillis(),
                                utf8(isIdle || worker.holdings().isIdle(slice) ? 1 : 0),
                                utf8(slice == first ? seen : 0),
                                utf8(number))));
        if (replies == null) {
            return false;
        }
        Set<Slice> refused = new HashSet<>();
        for (int i = 0; i < replies.size(); i++) {
            Slice slice = renewed.get(i);
            if (Replies.isRefused(replies.get(i))) {
                refused.add(slice);
                continue;
            }
            long queued = Replies.number(Replies.list(replies.get(i)).get(0));
            worker.holdings().renewed(slice, Slice.Term.of(clock, ttl.toNanos()), isIdle, queued > 0);
            if (slice == first) {
                worker.totals().storedSeen(seen);
            }
        }
        worker.holdings().drop(refused);
        return true;
    }

    /** Claims slices up to the share, of those that were free when they were read. */
    private List<Claim> claim(Survey survey, int share, long clock) {
        // Those that it had before come first. Workers begin in different places, so that few of them claim the same.
        int start = Math.floorMod(worker.name().hashCode(), worker.keys().sliceCount());
        List<Integer> free = Arrays.stream(survey.read(start))
                .filter(i -> !worker.holdings().owns(i) && survey.slice(i).mayBeClaimedBy(worker.name()))
                .boxed()
                .sorted(Comparator.comparing(i -> !survey.slice(i).worker().equals(worker.name())))
                .toList();
        List<Claim> claims = new ArrayList<>();
        int from = 0;
        for (int round = 0; round < MAX_ROUNDS && from < free.size(); round++) {
            int missing = share - worker.holdings().owned() - claims.size();
            if (missing <= 0) {
                break;
            }
            List<Integer> next = free.subList(from, Math.min(free.size(), from + missing));
            from += next.size();
            claim(survey, next, clock, claims);
        }
        return claims;
    }

    private void claim(Survey survey, List<Integer> indices, long clock, List<Claim> claims) {
        Session.Run run = survey.run;
        List<Claim> claimed = worker.engine().tryCall((session, number) -> {
            if (session.run() != run) {
                return List.of();
            }
            List<byte[]> args = new ArrayList<>(List.of(utf8(run.id), utf8(worker.name()), ttlMillis()));
            session.send("ZRANGE", worker.keys().workers(), utf8(0), utf8(-1));
            session.send("HGET", worker.keys().budget(), SharedBudget.START);
            Replies.list(session.receive()).forEach(name -> args.add((byte[]) name));
            Object crawlRun = session.receive();
            for (int index : indices) {
                CrawlKeys.OfSlice slice = worker.keys().slice(index);
                session.send(
                        Script.CLAIM,
                        new byte[][] {slice.owner, slice.counters, slice.taken, slice.done, slice.pauses, slice.counts},
                        args.toArray(byte[][]::new));
            }
            Map<Integer, List<?>> granted = new LinkedHashMap<>();
            for (int index : indices) {
                List<?> reply = Replies.list(session.receive());
                if (Replies.number(reply.get(0)) > 0) {
                    granted.put(index, reply);
                }
            }
            List<Claim> all = new ArrayList<>();
            granted.forEach((index, reply) -> {
                byte[] key = worker.keys().slice(index).hosts;
                // Read after the claim, when no other worker can change them.
                Slice.HostCounts hosts =
                        mostPerHost == null ? null : Slice.HostCounts.read(session, key, crawlRun, mostPerHost);
                all.add(claimed(survey, index, reply, hosts, clock));
            });
            return all;
        });
        claims.addAll(claimed == null ? List.of() : claimed);
    }

    private Claim claimed(Survey survey, int index, List<?> reply, Slice.@Nullable HostCounts hosts, long clock) {
        byte[][] proof = {utf8(survey.run.id), utf8(Replies.number(reply.get(0))), utf8(worker.name())};
        boolean isMoved = Replies.number(reply.get(1)) == 1;
        Map<Long, BitSet> left = new HashMap<>();
        Replies.list(reply.get(2)).forEach(number -> left.put(Replies.number(number), new BitSet()));
        Replies.map(reply.get(3), Replies::number, bits -> BitSet.valueOf((byte[]) bits))
                .forEach(left::replace);
        return new Claim(
                new Slice(worker.keys().slice(index), survey.run, proof, isMoved ? clock + rest.toNanos() : clock),
                Slice.Term.of(clock, ttl.toNanos()),
                left,
                survey.slice(index).queuedFrames() > 0,
                pauses(reply.get(4), Replies.number(reply.get(5))),
                counts(worker.keys().slice(index), reply.get(6)),
                hosts);
    }

    /** Returns how long hosts still have to pause. Each waits for its whole pause, since its last request is not stored. */
    private static Map<String, Duration> pauses(Object stored, long now) {
        Map<String, Duration> pauses = Replies.map(stored, Replies::text, pause -> {
            String[] numbers = Replies.text(pause).split(" ", 2);
            return Duration.ofMillis(Math.min(Long.parseLong(numbers[0]), Long.parseLong(numbers[1]) - now));
        });
        pauses.values().removeIf(pause -> pause.isNegative() || pause.isZero());
        return pauses;
    }

    private static Map<Long, Integer> counts(CrawlKeys.OfSlice slice, Object stored) {
        try {
            return Replies.map(
                    stored,
                    key -> Long.parseLong(Replies.text(key), Character.MAX_RADIX),
                    count -> Integer.parseInt(Replies.text(count)));
        } catch (NumberFormatException e) {
            throw new UncheckedIOException(new IOException(
                    "the counts in " + Replies.text(slice.counts) + " on the engine are damaged: " + e.getMessage(),
                    e));
        }
    }

    /** Returns the slices that this worker holds, or has claimed in the last beat. */
    Set<Slice> slices() {
        Set<Slice> all = new LinkedHashSet<>(lastClaimed);
        all.addAll(worker.holdings().slices());
        return all;
    }

    /** Releases all slices and reports that this worker ends; does nothing when the engine is away. */
    void leave(long clock) {
        renew(false, clock);
        release(List.copyOf(slices()));
        worker.engine().tryCall((session, number) -> {
            sendBeat(session, true);
            return session.receive();
        });
    }
}
