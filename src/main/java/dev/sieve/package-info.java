/**
 * A URL frontier that hands out each URL once.
 *
 * <p>{@link dev.sieve.Frontier} is the contract of every frontier; {@link dev.sieve.Sieve} is the one in memory,
 * {@link dev.sieve.durable.DurableSieve} the one on disk.
 */
package dev.sieve;
