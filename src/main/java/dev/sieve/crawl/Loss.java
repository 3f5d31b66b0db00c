package dev.sieve.crawl;

import java.util.Locale;

/**
 * A kind of thing, other than URLs, that a crawl drops, replaces or forgets. {@link Recorder#lost} counts each one, and
 * logs the first of its kind.
 */
public enum Loss {
    COOKIES_EVICTED,
    COOKIES_IGNORED,
    LINKS_FORGOTTEN,
    REDIRECTS_FORGOTTEN,
    ROBOTS_UNREADABLE;

    /** Receives what is dropped, with a sentence for the user. */
    public interface Receiver {
        void lost(Loss loss, String sentence);
    }

    /** Returns the name in counters: {@code cookies evicted}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
