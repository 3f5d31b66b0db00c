/**
 * Was this key seen before? Sets of keys that remember a few bits of each.
 *
 * <p>{@link dev.sieve.bloom.Membership} is their common interface, {@link dev.sieve.bloom.Memberships} makes and reads
 * them. A caller with many keys hashes up to {@link dev.sieve.bloom.Membership#BATCH} of them, finds out which are
 * absent, and adds these: the cache misses of all keys overlap, and duplicates need no lock.
 *
 * <h2>Decisions</h2>
 *
 * <p><b>Slices of the hash within a line, double hashing everywhere else.</b> Double hashing scaled down to one line
 * has a few hundred thousand patterns. Keys in one line then share a pattern too often, and more bits do not bring a
 * rate of one in ten thousand back. Slices have as many patterns as the hash has values.
 *
 * <p><b>Lines in an array on the heap, not in aligned memory.</b> Only direct buffers guarantee aligned lines, but a
 * buffer has at most 2 GiB, and their memory is limited separately. The collectors used with large heaps align a large
 * array anyway. With the others, reading both ends of a line in advance recovers nearly all of the loss.
 *
 * <p><b>A counting filter counts every add.</b> If it ignored a key that seems to be contained, a key mistaken for
 * another one would be lost when that one is removed.
 *
 * <p><b>Pairs of keys that collide.</b> Murmur3 is verifiable and nearly free, and a secret seed hides the place of a
 * key. But a pair that collides under every seed can be made from arbitrary bytes. Hardly any URL has a partner that is
 * printable as well, and that pair costs one page.
 */
@NullMarked
package dev.sieve.bloom;

import org.jspecify.annotations.NullMarked;
