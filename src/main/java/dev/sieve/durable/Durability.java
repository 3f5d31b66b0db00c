package dev.sieve.durable;

/** What a URL that was accepted by a {@link DurableSieve} survives. */
public enum Durability {
    /**
     * The end of the process, {@code kill -9} included: a push returns when the operating system has its URLs. A power
     * cut or a crash of the system may take what was pushed since the last checkpoint.
     */
    PROCESS,

    /**
     * A power cut, too, but for what was pushed in the last second or so. A crawl still loses no page by it: whether a
     * page is done is written after the links that were found on it, so the page is fetched again.
     */
    INTERVAL,

    /** A power cut at any moment: a push returns when its URLs are on the disk itself. */
    ALWAYS
}
