/**
 * What the sieve costs, beside its peers: how fast URLs are pushed, how much memory pending ones take, what a whole crawl
 * costs. {@link dev.sieve.bench.Bench} is the door.
 */
package dev.sieve.bench;
