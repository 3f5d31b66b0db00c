package dev.sieve.report;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Redirects, and the chains that they form. The first ones are kept, the others only counted. */
final class Redirects {
    private final Map<Long, Step> steps = new LinkedHashMap<>();
    /** Rules out most URLs that are not the target of a redirect. */
    private final BitSet targets = new BitSet(1 << 16);

    private static final class Step {
        private final String url;
        private final int status;
        private final String target;
        private final long targetHash;
        private boolean isFollowUp;
        private @Nullable String result;

        private Step(Entry entry, String target, boolean isFollowUp) {
            url = Bounds.cut(entry.url());
            status = entry.status();
            this.target = Bounds.cut(target);
            targetHash = Entry.hash(target);
            this.isFollowUp = isFollowUp;
        }

        private Step(Kept kept) {
            url = kept.url;
            status = kept.status;
            target = kept.target;
            targetHash = Entry.hash(target);
            isFollowUp = kept.follows;
            result = kept.result;
        }

        private Kept kept() {
            return new Kept(url, status, target, isFollowUp, result);
        }
    }

    /** A redirect as it is stored. */
    record Kept(
            String url,
            int status,
            String target,
            boolean follows,
            @Nullable String result) {}

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
            before.result = entry.redirectTo() == null ? entry.reason() : null;
        }
        String target = entry.redirectTo();
        if (target != null) {
            if (steps.size() < Bounds.REDIRECTS) {
                steps.put(Entry.hash(entry.url()), new Step(entry, target, before != null));
                targets.set(bit(target));
            }
        }
    }

    /** Returns the redirect that led to an entry; null without one. */
    private @Nullable Step before(Entry entry) {
        String referrer = entry.referrer();
        Step step = referrer != null && targets.get(bit(entry.url())) ? steps.get(Entry.hash(referrer)) : null;
        return step != null && step.target.equals(Bounds.cut(entry.url())) ? step : null;
    }

    private static int bit(String url) {
        return url.hashCode() & 0xffff;
    }

    /** Returns the first redirects, as they are stored. */
    List<Kept> kept(int most) {
        return steps.values().stream().limit(most).map(Step::kept).toList();
    }

    /** Adds stored redirects, also of others: one that is the target of another one follows it. */
    void add(List<Kept> kept) {
        for (Kept each : kept) {
            if (steps.size() < Bounds.REDIRECTS) {
                steps.put(Entry.hash(each.url), new Step(each));
                targets.set(bit(each.target));
            }
        }
        for (Step step : steps.values()) {
            Step next = steps.get(step.targetHash);
            if (next != null) {
                next.isFollowUp = true;
            }
        }
    }

    /** Returns the chains, the longest first. */
    List<Chain> chains() {
        List<Chain> chains = new ArrayList<>();
        for (Step first : steps.values()) {
            if (!first.isFollowUp) {
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
        for (Step step = first; step != null && passed.add(step); step = steps.get(step.targetHash)) {
            last = step;
            statuses.add(step.status);
            urls.add(step.target);
        }
        return new Chain(urls, statuses, last.result, passed.contains(steps.get(last.targetHash)));
    }
}
