package dev.sieve;

/**
 * A URL that a {@link Frontier} has handed out. Answer it with {@link Frontier#done} when the work on it is over, or with
 * {@link Frontier#retry} when it has to be done once more.
 *
 * @param id identifies this URL within its frontier; never used again for another one
 * @param url the URL as it was pushed
 * @param depth links followed from a seed to here; 0 for a seed
 * @param redirects redirects followed in a row to here; 0 for an ordinary link
 * @param referrer the page on which the URL was first found; null for a seed
 * @param label a number of the caller's choice, 0 to 255, the same for all URLs of a {@linkplain UrlBatch batch}. Default: 0
 * @param attempt how often the URL was given back by {@link Frontier#retry} before; 0 for the first time
 */
public record Lease(long id, String url, int depth, int redirects, String referrer, int label, int attempt) {

    /** The lease by which the URL is handed out once more, at the next attempt. */
    Lease again() {
        return new Lease(id, url, depth, redirects, referrer, label, attempt + 1);
    }
}
