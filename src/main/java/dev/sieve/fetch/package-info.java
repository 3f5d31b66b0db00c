/**
 * A URL in, a response or a reason out: {@link dev.sieve.fetch.Fetcher} makes one request and returns a
 * {@link dev.sieve.fetch.FetchResult}, whatever the server does. No type of a library is part of a signature.
 */
package dev.sieve.fetch;
