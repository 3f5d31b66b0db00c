package dev.sieve.crawl;

import dev.sieve.Lease;
import java.time.Duration;

/** How many pages, and URLs of each host, a crawl may visit. Used with the dispatcher's lock but for {@link #page}. */
public interface PageBudget {
    /** Returns how long ago the run began that this process takes part in. */
    default Duration age() {
        return Duration.ZERO;
    }

    /** Returns whether it may be possible to begin another page now. */
    default boolean mayBegin() {
        return !isSpent();
    }

    /** Counts a URL for its host when it is handed out first; returns false if it is beyond the limit of all processes. */
    default boolean admit(Lease lease) {
        return true;
    }

    /** Begins what may turn out to be a page; returns false if it has to wait for those of other processes. */
    boolean begin();

    /** Notes that what was begun is a page, before its lease ends. */
    default void page(Lease lease) {}

    /** Notes the end of what was begun. */
    void end(boolean isPage);

    /** Returns whether all pages are done. */
    boolean isSpent();

    /** The budget of a crawl of one process, whose {@link Politeness#schedule schedule} counts the URLs of a host. */
    static PageBudget of(long most) {
        return new PageBudget() {
            private long begun;
            private long pages;

            @Override
            public boolean mayBegin() {
                return begun < most;
            }

            @Override
            public boolean begin() {
                begun++;
                return true;
            }

            @Override
            public void end(boolean isPage) {
                begun -= isPage ? 0 : 1;
                pages += isPage ? 1 : 0;
            }

            @Override
            public boolean isSpent() {
                return pages >= most;
            }
        };
    }
}
