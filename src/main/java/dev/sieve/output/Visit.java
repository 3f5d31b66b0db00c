package dev.sieve.output;

import dev.sieve.fetch.FetchResult;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * One URL that was asked for, and what came of it.
 *
 * @param url the URL as it was asked for
 * @param key the spelling under which the sieve knows it
 * @param depth links followed from a seed to here; 0 for a seed
 * @param referrer the page on which the URL was first found; null for a seed
 * @param result what the server answered
 * @param fetchedAt when it was asked for
 * @param took how long the answer took, to its last byte
 * @param title the title of the document; empty when it is none or has none
 * @param links the distinct URLs that the document links to; empty when it is none
 */
public record Visit(
        String url,
        String key,
        int depth,
        String referrer,
        FetchResult result,
        Instant fetchedAt,
        Duration took,
        String title,
        List<String> links) {

    /** Checks. */
    public Visit {
        Objects.requireNonNull(url, "url");
        Objects.requireNonNull(result, "result");
    }

    /** The answer when it is one with a page in it, whatever its status; null otherwise. */
    public FetchResult.Page page() {
        return result instanceof FetchResult.Page page ? page : null;
    }

    /** Whether there is a page and the server says that it is the right one: a status from 200 to 299. */
    public boolean isSuccess() {
        return result.isSuccess();
    }
}
