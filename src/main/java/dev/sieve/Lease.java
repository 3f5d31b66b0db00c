package dev.sieve;

import org.jspecify.annotations.Nullable;

/**
 * A URL that a {@link Frontier} has handed out. {@link Frontier#done} ends the lease; {@link Frontier#retry} gives the
 * URL back, to be handed out again.
 *
 * @param id identifies the URL within its frontier; never reused
 * @param url the URL as it was pushed
 * @param depth links followed from a seed to here; 0 for a seed
 * @param redirects redirects followed in a row to here; 0 for an ordinary link
 * @param referrer the page on which the URL was first found; null for a seed
 * @param label the label of the {@linkplain UrlBatch batch} it was pushed in. Default: 0
 * @param attempt how often the URL was given back before
 */
public record Lease(
        long id,
        String url,
        int depth,
        int redirects,
        @Nullable String referrer,
        int label,
        int attempt) {}
