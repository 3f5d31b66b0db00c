/**
 * Decides whether a URL may be fetched, by robots.txt (RFC 9309).
 *
 * <p>{@link dev.sieve.robots.RobotsCache} fetches and caches robots.txt, {@link dev.sieve.robots.RobotsStatus}
 * classifies the response, and {@link dev.sieve.robots.RobotsRules} holds the rules for one crawler.
 *
 * <h2>Decisions</h2>
 *
 * <p><b>Our own robots.txt parser.</b> The parser of crawler-commons was tried first. It fails fourteen of the
 * expectations in Google's compliance suite that are not specific to Google: it decodes paths that have to be compared
 * as they are spelled, accepts {@code AB42bot} as a product token, and fails on a partial byte order mark. Its matcher
 * does not backtrack, so that {@code /*.php$} does not match {@code /a.php.php}, and takes quadratic time, so that a
 * hostile robots.txt makes every URL slow. A caller cannot correct this, since decoding and matching are private. Only
 * the limit for long Crawl-delays can be set.
 *
 * <p><b>A redirected robots.txt is a request to the host of the target.</b> RFC 9309, section 2.3.1.2, requires a
 * crawler to follow redirects, even to other hosts. Anyone can redirect the robots.txt of many names to a URL of
 * someone else, so such a request waits for its turn at the host of the target, like any other: one at a time, with the
 * delay, the Crawl-delay and the back-off of that host. The rules of the target's origin apply as well. Its {@code
 * /robots.txt} is always allowed (section 2.2.2); for any other URL, its robots.txt is requested first. Where that
 * forbids the target, is unavailable, or leaves its origin by a redirect itself, the origin that redirects there is
 * closed, which is the strictest meaning that the RFC has for rules that cannot be read. Each document is requested
 * once for all origins that redirect to it.
 */
@NullMarked
package dev.sieve.robots;

import org.jspecify.annotations.NullMarked;
