/**
 * Which host may be asked now. Pure: nothing here reads a clock, sleeps or opens a connection; time is passed in.
 *
 * <p>{@link dev.sieve.polite.HostSchedule} holds one queue a host and answers an item whose host may be asked, or how
 * long to wait. {@link dev.sieve.polite.RetryAfter} is what a server said of when to come back.
 *
 * <h2>Decisions</h2>
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
