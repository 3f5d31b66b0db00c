package dev.sieve.crawl;

import java.util.Locale;

/**
 * A kind of thing that a crawl drops, replaces or forgets beside URLs. {@link Recorder#lost} counts each one, and logs the first
 * of its kind.
 */
public enum Loss {
    COOKIES_EVICTED("evicted, as there are more cookies than are kept"),
    COOKIES_IGNORED("the cookie is ignored"),
    REDIRECTS_FORGOTTEN("the redirect is forgotten, as there are too many: a ring of redirects may not be found");

    /** Receives what is dropped; the name is for the user. */
    public interface Receiver {
        void lost(Loss loss, String name);
    }

    private final String words;

    Loss(String words) {
        this.words = words;
    }

    /** Returns the name in counters: {@code cookies evicted}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    String words() {
        return words;
    }
}
