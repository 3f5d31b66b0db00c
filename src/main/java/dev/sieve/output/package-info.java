/**
 * What is kept of a crawl: a {@link dev.sieve.output.Visit} for each URL that was asked for, handed to a
 * {@link dev.sieve.output.PageSink}.
 */
package dev.sieve.output;
