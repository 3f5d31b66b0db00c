/**
 * Decides whether a URL may be fetched, by robots.txt (RFC 9309).
 *
 * <p>{@link dev.sieve.robots.RobotsCache} fetches the robots.txt of each origin, {@link dev.sieve.robots.RobotsAnswer}
 * says what the response means, and {@link dev.sieve.robots.RobotsRules} holds the rules that apply to one user agent.
 *
 * <h2>Decisions</h2>
 *
 * <p><b>Our own robots.txt parser.</b> crawler-commons has one, and it was tried first. Of the expectations of Google's
 * compliance suite that are not specific to Google it fails fourteen: it decodes what has to be compared as it is
 * spelled, takes {@code AB42bot} for a product token, stumbles over half a byte order mark, and closes a host whose
 * Crawl-delay is long. Its matcher does not go back to find the end of a path, so that {@code /*.php$} does not apply to
 * {@code /a.php.php}, and takes quadratic time, so that one robots.txt costs half a second a URL. None of this can be
 * set right from outside, since the path is decoded and matched in private.
 */
package dev.sieve.robots;
