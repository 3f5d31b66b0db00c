/**
 * Decides whether a URL may be fetched, by robots.txt (RFC 9309).
 *
 * <p>{@link dev.sieve.robots.RobotsCache} fetches and caches the robots.txt of each origin,
 * {@link dev.sieve.robots.RobotsStatus} classifies the response, and {@link dev.sieve.robots.RobotsRules} holds the rules
 * for one crawler.
 *
 * <h2>Decisions</h2>
 *
 * <p><b>Our own robots.txt parser.</b> The parser of crawler-commons was tried first. It fails fourteen of the
 * expectations in Google's compliance suite that are not specific to Google: it decodes paths that have to be compared as
 * they are spelled, accepts {@code AB42bot} as a product token, and fails on a partial byte order mark. Its matcher does
 * not backtrack, so that {@code /*.php$} does not match {@code /a.php.php}, and takes quadratic time, so that a hostile
 * robots.txt makes every URL slow. A caller cannot correct this, since decoding and matching are private. Only the limit
 * for long Crawl-delays can be set.
 */
@NullMarked
package dev.sieve.robots;

import org.jspecify.annotations.NullMarked;
