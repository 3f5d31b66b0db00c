/**
 * Where a crawl is kept.
 *
 * <p>A {@link dev.sieve.job.CrawlPlace} is decided on once, and opens the crawl as a {@link dev.sieve.crawl.CrawlJob}:
 * a {@link dev.sieve.job.CrawlDirectory} owns the files from which it continues after a crash, and a {@link
 * dev.sieve.job.SharedJob} shares it with other processes. Of a {@link dev.sieve.job.SavedPlace}, the state can be
 * read, and damage be repaired. {@link dev.sieve.io.JobFiles} opens, counts, forces, closes and repairs the files of a
 * job; {@code docs/code.md} says how to add one.
 */
@NullMarked
package dev.sieve.job;

import org.jspecify.annotations.NullMarked;
