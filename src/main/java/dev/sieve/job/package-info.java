/**
 * Where a crawl is kept.
 *
 * <p>A {@link dev.sieve.job.CrawlPlace} is decided on once, and opens the crawl as a {@link dev.sieve.crawl.CrawlJob}: a {@link
 * dev.sieve.job.CrawlDirectory} owns the files from which it continues after a crash, and a {@link dev.sieve.job.SharedJob}
 * shares it with other processes. Of a {@link dev.sieve.job.SavedPlace}, the state can be read, and damage be repaired.
 *
 * <p>To add a file to a job, describe it by a {@link dev.sieve.io.LineFile.Kind}, with what it means that lines are lost, and
 * name it in {@link dev.sieve.job.CrawlDirectory#FILES}, or in that of the stages; {@link dev.sieve.crawl.JobFiles} opens,
 * counts, forces, closes and repairs it.
 */
@NullMarked
package dev.sieve.job;

import org.jspecify.annotations.NullMarked;
