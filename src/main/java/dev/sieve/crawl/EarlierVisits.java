package dev.sieve.crawl;

import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A stage that knows the visits of earlier rounds, and makes them again. */
public interface EarlierVisits extends Stage {
    /** Returns those of some stages that do. */
    static Stream<EarlierVisits> of(List<Stage> stages) {
        return stages.stream().filter(EarlierVisits.class::isInstance).map(EarlierVisits.class::cast);
    }

    /**
     * Queues URLs before the first request, and returns how many. When {@code hasToEnd} returns true, the others are
     * left to the next run.
     */
    long queue(BooleanSupplier hasToEnd);

    /** Returns how many URLs are left to {@link #queue}: an upper bound. */
    long toQueue();

    /** Returns whether a URL needs no request, since its visit is stored. */
    boolean isVisited(Target target);

    /** Returns the key of the page to which an earlier run was redirected from a URL; null for none. */
    @Nullable
    String redirect(boolean isCheck, String key);

    /** Returns what was found out about the crawl as a whole. */
    Object result();
}
