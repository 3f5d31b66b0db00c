/**
 * The frontier on disk, which loses nothing when the process dies.
 *
 * <p>{@link dev.sieve.durable.DurableSieve} is the frontier. Everything else is the log behind it: how its files are
 * written, read, checkpointed, recovered and repaired.
 *
 * <h2>The files of a durable sieve</h2>
 *
 * One folder, which only its owner may enter, since URLs and the seed of the filter are nobody else's business:
 *
 * <pre>
 *   settings               what the filter was made with, and its secret seed; text
 *   lock                   held by the process that has the frontier open, whose number it contains
 *   log-00000001 ...       the log, in segments; all else is derived from it
 *   checkpoint-00000001    what the log says up to some position, so that only the rest has to be read; two are kept
 *   *.tmp                  a file that is being written
 *   *.broken               a copy of bytes that were damaged or unfinished; never read again
 * </pre>
 *
 * All other files are left alone. Numbers are little-endian; a <em>number</em> without a width is in base 128, lowest
 * digits first, each byte but the last with its upper bit set. Text is UTF-8. Segments have format version 2, all other
 * files version 1. Segments of version 1, which have no frames of kind 6, are read but never appended to: a Sieve that
 * reads only version 1 refuses the log as soon as this one has written to it. A file of a later version is refused. A
 * version is never changed once it is released.
 *
 * <h3>Settings and lock</h3>
 *
 * Lines of ASCII, each with a line feed; {@code 0} stands for a digit of 16, {@code N} for a number of base 10:
 *
 * <pre>
 *   sieve-frontier 1          version                              process N      of the owner
 *   id 0000000000000000       of the frontier, at random           crc 00000000   CRC32C of the line before
 *   filter bloom              or growing, or exact
 *   capacity N                URLs that the filter is made for
 *   rate 1.0E-4               false-positive rate, as Java writes a double
 *   seed 0000000000000000     of the hash
 *   crc 00000000              CRC32C of the lines before
 * </pre>
 *
 * The settings are written as {@code .tmp}, forced, renamed, and the folder forced. The lock is an operating system lock on
 * its file; the number in the file is only used in messages, and not used when its checksum is wrong.
 *
 * <h3>Frames</h3>
 *
 * <pre>
 *   offset  bytes
 *        0      3  length of the payload, 1 to 4,194,304
 *        3      1  0xf5, which a reader that has lost its way looks for
 *        4      4  CRC32C of the four bytes above and of the payload
 *        8         payload: a byte that says which kind of frame, and what belongs to it
 * </pre>
 *
 * No frame is empty, so zeros are never one. A frame is committed when its last byte is written; nothing before that
 * counts.
 *
 * <h3>Segments</h3>
 *
 * <pre>
 *        0      8  "sievelog"
 *        8      4  version
 *       12      4  number of the segment, as in its name
 *       16      8  id of the frontier, as in its settings
 *       24      8  id of the first URL that is written into it, or into a later one while it holds none
 *       32      4  CRC32C of the bytes before
 *       36         frames
 *
 *   kind 1  URLS      id of the first URL, depth, redirects, length of the referrer + 1 (0: none), referrer; then for each URL:
 *                       2 * bytes it has in common with the one before it, or with the referrer, + 1 if with the referrer
 *                       2 * further bytes, + 1 if it has a key; these bytes
 *                       if it has a key: bytes it has in common with its URL, further bytes; these bytes
 *   kind 2  DONE      ids of URLs that are done, in rising order, each as its distance from the one before
 *   kind 3  RETRY     for each URL that was given back: its id, and its attempt from now on
 *   kind 4  FORCED    segment, offset: before this position all of the log was on the disk itself when this was written
 *   kind 5  LOST      bytes of any value, in the place of damaged ones; ids may be missing after it
 *   kind 6  LABELLED  label of the URLs, 1 to 255; then as kind 1, whose URLs have the label 0
 * </pre>
 *
 * Ids count the URLs from 0 on, without a gap but after a LOST. A frame of URLS or LABELLED contains the new ones of up to
 * 64 URLs that were pushed together, and can be read by itself. A segment is closed when it has reached its size, and
 * removed when all of its URLs are done and no checkpoint needs it.
 *
 * <p>The order is that of the calls: the URLs found on a page stand before the DONE of that page. So whatever suffix a
 * crash takes away, the rest is a frontier that had been true a moment earlier.
 *
 * <h3>Checkpoints</h3>
 *
 * <pre>
 *        0      8  "sievechk"
 *        8         frames:
 *
 *   kind 16  STATE     version, number of the checkpoint, kind of filter, then 8 bytes each: id of the frontier,
 *                      capacity, false-positive rate, seed; segment and offset of its position S in the log; next id,
 *                      lost, seen, in flight, estimated size, bytes of memory; then 8 bytes each: present false-positive
 *                      rate, estimated missed
 *   kind 17  SEGMENTS  number and first id of each
 *   kind 18  DONE_SET  all ids below 65,536 times this number are done; how many frames follow
 *   kind 19  DONE_CHUNK  number n, then 8,192 bytes: a bit for each id from 65,536 n on, 1 when it is done; no bytes: all are
 *   kind 20  ATTEMPTS  one or more frames: id and attempt of each URL that was given back and is not done
 *   kind 21  FILTER    nothing; behind it the filter, in the form of {@link dev.sieve.bloom.Memberships}
 *   kind 22  TRAILER   the last 25 bytes of the file: segment and offset of a position E, 8 bytes each
 * </pre>
 *
 * What is in the frames was true at S. The filter is written while others push: it holds every URL before S, and some
 * that came later. Therefore the log is brought to the disk up to its present end E before the checkpoint gets its name,
 * lest a URL is "seen" that no log knows. It is written as {@code .tmp}, forced, renamed, and the folder forced.
 *
 * <h3>Opening</h3>
 *
 * The newest checkpoint that is whole is loaded and the log read from S on. Where no checkpoint is whole, all of the log is
 * read, with a warning; that needs all of it to be there. What is handed out again first is every URL that is not done,
 * in the order of the log.
 *
 * <p>Where the log does not go on with a frame, it is said to end. Whether that is the torn tail of a crash or damage is
 * decided by the highest position that is known to have been on the disk, from the checkpoint and from the frames of
 * FORCED, those behind the place included. Behind that position it is a torn tail: it is copied to {@code .broken} and cut
 * off, with one warning that has file, offset and bytes. Before it, it is damage: the frontier is refused with file and
 * offset, and {@link dev.sieve.durable.DurableFolder#repair} keeps the rest. Damage in parts of the log that an open does not read
 * is found in the same way when their URLs are taken.
 *
 * <h2>Decisions</h2>
 *
 * <p><b>A filter cannot take back.</b> It is asked and changed before the log is written, since only then is it known what
 * is new. When the write fails, the filter in memory is ahead of the log for good; so the frontier refuses all further
 * work, and no checkpoint is written any more.
 *
 * <p><b>A failed force is never repeated.</b> The system may have dropped the pages that it could not write, and call the
 * next force a success.
 *
 * <p><b>No memory maps, no channels.</b> A full disk under a memory map is an error of the virtual machine. A channel is
 * closed when a thread that uses it is interrupted, and workers of a crawler are.
 *
 * <p><b>Leases are not written.</b> A crash returns them all. They take a bit each.
 *
 * <p><b>Results may wait, URLs may not.</b> A lost "done" costs one more fetch; a lost URL is lost. So up to 512 results
 * are buffered, for one second at most.
 */
package dev.sieve.durable;
