/**
 * Have I seen this key? Sets of keys that remember a few bits of each.
 *
 * <p>{@link dev.sieve.bloom.Membership} is what they share. A caller with many keys hashes up to
 * {@link dev.sieve.bloom.Membership#BATCH} of them, touches their memory, and adds them in one call: the cache misses of
 * all keys then overlap in place of following one another.
 */
package dev.sieve.bloom;
