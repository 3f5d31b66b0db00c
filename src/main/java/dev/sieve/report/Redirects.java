package dev.sieve.report;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Redirects, and the chains that they form. The first ones are kept, the others only counted. */
final class Redirects {
    /** The first redirects, by the {@link Entry#id} of their URLs. */
    public Map<String, Step> steps = new LinkedHashMap<>();
    /** Rules out most URLs that are not the target of a redirect. */
    private final BitSet targets = new BitSet(1 << 16);

    private final int limit;

    Redirects() {
        this(Bounds.REDIRECTS);
    }

    Redirects(int limit) {
        this.limit = limit;
    }

    static final class Step {
        public String url = "";
        public int status;
        public String target = "";
        /** The {@link Entry#id} of the target. */
        public String next = "";
        /** Whether it is the target of another one. */
        public boolean follows;
        /** The status or the error of the target; null when it was not requested because of this redirect. */
        public @Nullable String result;

        Step() {}

        private Step(Entry entry, String target, boolean follows) {
            url = Bounds.cut(entry.url());
            status = entry.status();
            this.target = Bounds.cut(target);
            next = Entry.id(target);
            this.follows = follows;
        }

        private Step(Step other) {
            url = Bounds.cut(other.url);
            status = other.status;
            target = Bounds.cut(other.target);
            next = Objects.requireNonNull(other.next);
            follows = other.follows;
            result = Bounds.cutOrNull(other.result);
        }
    }

    /**
     * Redirects that follow one another.
     *
     * @param urls the URLs in their order; the last one is the target of the last redirect
     * @param statuses the status of each URL but the last one
     * @param result the status or the error of the last URL; null when it was not requested because of this chain
     * @param isLoop whether the last URL is one of those before
     */
    record Chain(
            List<String> urls,
            List<Integer> statuses,
            @Nullable String result,
            boolean isLoop) {}

    void add(Entry entry) {
        Step before = before(entry);
        if (before != null) {
            before.result = !entry.verdict().isRedirect() ? entry.reason() : null;
        }
        String target = entry.redirectTo();
        if (target != null) {
            if (steps.size() < limit) {
                steps.put(Entry.id(entry.url()), new Step(entry, target, before != null));
                targets.set(bit(target));
            }
        }
    }

    /** Returns the redirect that led to an entry; null without one. */
    private @Nullable Step before(Entry entry) {
        String referrer = entry.referrer();
        Step step = referrer != null && targets.get(bit(entry.url())) ? steps.get(Entry.id(referrer)) : null;
        return step != null && step.target.equals(Bounds.cut(entry.url())) ? step : null;
    }

    private static int bit(String url) {
        return url.hashCode() & 0xffff;
    }

    /** Adds redirects, also of other workers: one that is the target of another one follows it. */
    void merge(Redirects other) {
        other.steps.forEach((id, step) -> {
            if (steps.size() < limit) {
                steps.put(id, new Step(step));
            }
        });
        for (Step step : steps.values()) {
            Step next = steps.get(step.next);
            if (next != null) {
                next.follows = true;
            }
        }
    }

    /** Returns the chains, the longest first. */
    List<Chain> chains() {
        List<Chain> chains = new ArrayList<>();
        for (Step first : steps.values()) {
            if (!first.follows) {
                chains.add(chain(first));
            }
        }
        Comparator<Chain> byLength = Comparator.comparingInt(chain -> -chain.statuses.size());
        chains.sort(byLength.thenComparing(chain -> chain.urls.get(0)));
        return chains;
    }

    private Chain chain(Step first) {
        List<String> urls = new ArrayList<>(List.of(first.url));
        List<Integer> statuses = new ArrayList<>();
        Set<Step> passed = new HashSet<>();
        Step last = first;
        for (Step step = first; step != null && passed.add(step); step = steps.get(step.next)) {
            last = step;
            statuses.add(step.status);
            urls.add(step.target);
        }
        return new Chain(urls, statuses, last.result, passed.contains(steps.get(last.next)));
    }
}
