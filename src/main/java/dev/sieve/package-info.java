/**
 * A URL frontier that hands out each URL once.
 *
 * <p>{@link dev.sieve.Frontier} is the contract of every frontier; {@link dev.sieve.Sieve} is the one in memory,
 * {@link dev.sieve.durable.DurableSieve} the one on disk. A frontier of your own consists of a
 * {@link dev.sieve.Deduplicator} and a store.
 *
 * <p>{@link dev.sieve.Leases} is public only because {@code dev.sieve.durable} needs it.
 */
package dev.sieve;
