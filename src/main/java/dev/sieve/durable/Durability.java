package dev.sieve.durable;

import java.util.Locale;

/** The failures that an accepted URL of a {@link DurableSieve} survives. */
public enum Durability {
    /**
     * The end of the process, including {@code kill -9}: a push returns when the operating system has its URLs. A power
     * failure or a system crash may lose what was pushed since the last checkpoint; then an open may require {@link
     * DurableFolder#repair}.
     */
    PROCESS,

    /**
     * Also a power failure, except what was pushed in about the last second. A crawl loses no page: a page is marked as
     * done after its links were written and its record was forced to the disk, so until then it is fetched again.
     */
    INTERVAL,

    /** A power failure at any time: a push returns when its URLs are on the disk. */
    ALWAYS;

    /** Whether it includes a power failure, so that what is stored has to be forced to the disk. */
    public boolean forces() {
        return this != PROCESS;
    }

    /** Returns the word of an option: {@code process}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
