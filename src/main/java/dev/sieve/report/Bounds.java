package dev.sieve.report;

import org.jspecify.annotations.Nullable;

/** How much of a crawl is kept for its report, whatever is crawled. */
final class Bounds {
    /** Characters of a URL, a title or a type. A longer URL is shown without a link to it. */
    static final int TEXT = 300;

    static final int HOSTS = 2_000;
    static final int BROKEN_LINKS = 10_000;
    static final int REDIRECTS = 1_000;
    static final int TOP_PAGES = 25;
    static final int NAMES = 100;
    static final int EXAMPLES = 5;
    static final int SAMPLES = 240;
    static final int RUNS = 50;
    static final int CAPACITY_EVENTS = 100;
    /** How many links of a page are searched for broken ones. */
    static final int LINKS = 100_000;

    private Bounds() {}

    /** Returns a text without what exceeds the bound. */
    static String cut(String text) {
        return text.length() <= TEXT ? text : text.substring(0, TEXT + 1);
    }

    static @Nullable String cutOrNull(@Nullable String text) {
        return text == null ? null : cut(text);
    }
}
