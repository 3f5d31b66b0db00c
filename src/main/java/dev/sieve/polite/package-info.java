/**
 * Which host may be asked now. Pure: nothing here reads a clock, sleeps or opens a connection; time is passed in.
 *
 * <p>{@link dev.sieve.polite.HostSchedule} holds one queue a host and answers an item whose host may be asked, or how
 * long to wait. {@link dev.sieve.polite.RobotsRules} is one robots.txt understood, {@link dev.sieve.polite.RobotsAnswer}
 * what follows from fetching it, and {@link dev.sieve.polite.RetryAfter} what a server said of when to come back.
 *
 * <h2>Decisions</h2>
 *
 * <p><b>Our own robots.txt parser.</b> crawler-commons has one, and it was tried first. Of the expectations of Google's
 * compliance suite that are not specific to Google it fails fourteen: it decodes what has to be compared as it is
 * spelled, takes {@code AB42bot} for a product token, stumbles over half a byte order mark, and closes a host whose
 * Crawl-delay is long. Its matcher does not go back to find the end of a path, so that {@code /*.php$} does not apply to
 * {@code /a.php.php}, and takes quadratic time, so that one robots.txt costs half a second a URL. None of this can be
 * set right from outside, since the path is decoded and matched in private.
 *
 * <p><b>Not only the longest free host first.</b> That order alone is fair and slow: small hosts are done with soon, and
 * then a crawl waits for the delays of the few large ones, of which each could have been asked all the while. The largest
 * first would be nearly the fastest order there is, and would let small hosts wait for as long as there are large ones.
 * Taking turns between the two orders is within a few percent of the fastest, and makes no host wait for more than twice
 * its fair turn.
 *
 * <p><b>Columns in place of objects.</b> A million hosts with their names fit into a quarter of a gigabyte only when none
 * of them is an object. Numbers of rows are passed around where one would expect a host.
 *
 * <p><b>One spill file, in blocks.</b> A file a host runs out of descriptors, a shared log makes the host with the most
 * items hold up those behind it or be copied again and again, and a tree costs more than it holds. A chain of blocks a
 * host costs one write when an item comes and one read when it goes.
 */
package dev.sieve.polite;
