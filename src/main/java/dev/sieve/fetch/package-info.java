/**
 * A URL in, a response or a reason out: {@link dev.sieve.fetch.Fetcher} sends one request and returns a
 * {@link dev.sieve.fetch.FetchResult} for everything that a server may do. No signature contains a type of a library.
 */
@NullMarked
package dev.sieve.fetch;

import org.jspecify.annotations.NullMarked;
