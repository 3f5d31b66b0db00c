/**
 * What is kept of a crawl: a {@link dev.sieve.output.Visit} for each URL that was requested and a
 * {@link dev.sieve.output.Skip} for each that was not, both handed to a {@link dev.sieve.output.PageSink}.
 */
package dev.sieve.output;
