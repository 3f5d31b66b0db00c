/**
 * What a crawl stores: a {@link dev.sieve.output.Visit} for each URL that was requested and a
 * {@link dev.sieve.output.Skip} for each that was not, both passed to a {@link dev.sieve.output.PageSink}.
 */
package dev.sieve.output;
