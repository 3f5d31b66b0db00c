/**
 * Have I seen this key? Sets of keys that remember a few bits of each.
 *
 * <p>{@link dev.sieve.bloom.Membership} is what they share, {@link dev.sieve.bloom.Memberships} where they come from. A
 * caller with many keys hashes up to {@link dev.sieve.bloom.Membership#BATCH} of them, asks which are absent, and adds
 * these: the cache misses of all keys then overlap in place of following one another, and keys that were seen need no
 * lock.
 *
 * <h2>Decisions</h2>
 *
 * <p><b>Slices of the hash within a line, double hashing everywhere else.</b> Double hashing scaled down to one line
 * knows a few hundred thousand patterns. Keys that meet in a line share one too often, and no number of further bits
 * brings a rate of one in ten thousand back. Slices know as many patterns as the hash has values.
 *
 * <p><b>Lines in an array on the heap, not in memory aligned by hand.</b> Aligned lines would be sure with direct buffers
 * only: none of them holds more than 2 GiB, and their memory is limited apart from the heap. The collectors that are used
 * with large heaps align a large array anyhow. For the others reading both ends of a line beforehand gives back nearly
 * all that is lost.
 *
 * <p><b>A counting filter counts keys, not just whether they are in.</b> To leave a key alone that seems to be in would
 * lose one that is taken for another key, as soon as that other key is removed.
 *
 * <p><b>Two keys made to collide.</b> Murmur3 is what others can check and nearly free; against those who make up keys
 * its seed hides where a key lies, but a pair that collides under every seed can be made, if its bytes may be chosen
 * freely. Of URLs hardly any has a partner that is printable too, and such a pair costs one page.
 */
package dev.sieve.bloom;
