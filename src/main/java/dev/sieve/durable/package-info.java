/**
 * The frontier on disk, which loses no URL when the process dies: {@link dev.sieve.durable.DurableSieve}. All other
 * classes implement its log, in four storeys, each on the ones above it:
 *
 * <ol>
 *   <li>format: {@code FrameReader} and {@code FrameWriter}, {@code UrlFrame*}, {@code Segment}, {@code Checkpoint},
 *       {@code Settings}, {@code LogState}, {@code LogPosition}, {@code LogEnd}, {@code DoneSet}, {@code CheckedText}
 *   <li>disk: {@code FrontierFiles}, {@code DirectoryLock}, {@code DurableFolder}, {@code PinnedDisk}, {@code BrokenFiles}
 *   <li>live: {@code DurableSieve}, {@code Recovery}, {@code SegmentLog}, {@code LogScan}, {@code LogWriter},
 *       {@code LogQueue}, {@code PendingResults}, {@code Checkpointer}, {@code Upkeep}
 *   <li>tools: {@code Inspection}, {@code Export}, {@code LogPass}, {@code Repair}, {@code LogRepair}, {@code SegmentRepair}
 * </ol>
 *
 * <h2>The files of a durable sieve</h2>
 *
 * One folder, which only its owner may enter, since its URLs and the seed of its filter are private:
 *
 * <pre>
 *   settings               what the filter was made with, and its secret seed; text
 *   lock                   locked by the process that has the frontier open; contains its number
 *   log-00000001 ...       the log, in segments; everything else is derived from it
 *   checkpoint-00000001    what the log says up to some position, so that only the rest has to be read; two are kept
 *   end                    how far the log was written a second ago; text
 *   repair                 what a repair found; exists while it changes files, and after one that was interrupted
 *   *.tmp                  a file that is being written
 *   *.broken               a copy of damaged or unfinished bytes; never read again; the last one of its sort
 * </pre>
 *
 * All other files are ignored. Numbers are little-endian; a <em>number</em> without a width is in base 128, lowest
 * digits first, each byte but the last with its upper bit set. Text is UTF-8. Segments have format version 2, all other
 * files version 1. A file of another version is refused. A released version is never changed.
 *
 * <h3>Settings, lock, end and repair</h3>
 *
 * Lines of ASCII, each with a line feed; {@code 0} stands for a hexadecimal digit, {@code N} for a decimal number:
 *
 * <pre>
 *   sieve-frontier 1          version                              process N      of the owner
 *   id 0000000000000000       of the frontier, random              crc 00000000   CRC32C of the line before
 *   filter bloom              or growing, exact, classic
 *   capacity N                URLs that the filter is made for
 *   rate 1.0E-4               false-positive rate, as Java writes a double
 *   seed 0000000000000000     of the hash
 *   crc 00000000              CRC32C of the lines before
 * </pre>
 *
 * Settings and checkpoints are written as {@code .tmp}, forced, renamed, and the folder forced. The lock is an operating
 * system lock on its file; the number in the file is only used in messages, and ignored when its checksum is wrong. The
 * owner locks all bytes before 2^30, then that one; a shared lock on that one is how an inspection finds the owner. An
 * owner whose lock file was removed or replaced stops within a second.
 * The settings of a new frontier are written after its first segment, so settings without a log are damage.
 *
 * <p>The lines of {@code end} are the {@code id} of the frontier, {@code segment N}, {@code offset N} and {@code next N}, which
 * are the end of the log and its next id, and the checksum. It is replaced once per second, after the log was written, or
 * forced if the durability includes that, and at each {@code sync}. It is not forced itself: one that is missing or damaged is
 * ignored.
 *
 * <p>The lines of {@code repair} are {@code lost-bytes N}, {@code keeps-filter true} or {@code false}, the findings of the
 * repair, and the checksum. A damaged one only says that a repair was interrupted.
 *
 * <h3>Frames</h3>
 *
 * <pre>
 *   offset  bytes
 *        0      3  length of the payload, 1 to 4,194,304
 *        3      1  0xf5, by which a reader finds the next frame after damage
 *        4      4  CRC32C of the four bytes above and of the payload
 *        8         payload: a byte for the kind of the frame, then its contents
 * </pre>
 *
 * Payloads are not empty, so zeros are never a frame. A frame is committed when its last byte is written.
 *
 * <h3>Segments</h3>
 *
 * <pre>
 *        0      8  "sievelog"
 *        8      4  version
 *       12      4  number of the segment, as in its name
 *       16      8  id of the frontier, as in its settings
 *       24      8  id of its first URL; while it has none, of the next one to be written
 *       32      4  CRC32C of the bytes before
 *       36         frames
 *
 *   kind 1  URLS      id of the first URL, depth, redirects, length of the referrer + 1 (0: none), referrer; then per URL:
 *                       2 * bytes in common with the previous URL, or with the referrer, + 1 if with the referrer
 *                       2 * further bytes, + 1 if it has a key; these bytes
 *                       if it has a key: bytes in common with its URL, further bytes; these bytes
 *   kind 2  DONE      ids of URLs that are done, ascending, each as its distance from the previous one
 *   kind 3  RETRY     per URL that was given back: its id and its next attempt
 *   kind 4  FORCED    segment, offset: before this position, which is not after this frame, all of the log was on the disk
 *   kind 5  LOST      bytes of any value, in the place of damaged ones; ids may be missing after it
 *   kind 6  LABELLED  label of the URLs, 1 to 255; then as kind 1, whose URLs have the label 0
 * </pre>
 *
 * Ids count the URLs from 0 on, with gaps only after LOST. A URL that is queued again has a new id. A frame of URLS or
 * LABELLED contains the new ones of up to 64 URLs that were pushed together, or those that were queued again, and can be
 * read by itself. A segment is closed when it has reached its size, or ends with
 * LOST: the header of the next one says that no ids are missing, so a later loss is not taken for the earlier one. It is
 * deleted with the first checkpoint after all of its URLs are done and no checkpoint needs it. The name of a segment is forced
 * before anything is written to it, and when several are put aside at the end of the log, the last one comes first: a
 * segment with open URLs is never missing before another one, whatever a power cut leaves.
 *
 * <p>Frames are in the order of the calls: the URLs found on a page precede the DONE of that page. So when a crash removes
 * the end of the log, the rest is the frontier of a moment earlier. A call that queues URLs again and ends a lease, or that
 * accepts URLs as done, writes the URLs and their DONE together; between the two the URLs are open.
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
 *   kind 19  DONE_CHUNK  number n, then 8,192 bytes: a bit per id from 65,536 n on, 1 when it is done; no bytes: all are
 *   kind 20  ATTEMPTS  one or more frames: id and attempt of each URL that was given back and is not done
 *   kind 21  FILTER    empty; followed by the filter, in the form of {@link dev.sieve.bloom.Memberships}
 *   kind 22  TRAILER   the last 25 bytes of the file: segment and offset of a position E, 8 bytes each
 * </pre>
 *
 * The frames describe the log at S. The filter is written while other threads push: it contains every URL before S, and
 * some later ones. Therefore the log is forced up to its present end E before the checkpoint gets its name; otherwise the
 * filter could contain a URL that is missing in the log.
 *
 * <h3>Opening</h3>
 *
 * The newest whole checkpoint is loaded and the log read from S on. Without a whole checkpoint all of the log is read, with
 * a warning; that requires all of it to exist. Every URL that is not done is handed out again, in the order of the log.
 *
 * <p>Where the bytes of the log are not a frame, they are damage or the work of a crash, depending on the highest position
 * known to have been on the disk: from the checkpoint and from all FORCED frames, including later ones. Before that
 * position it is damage: the frontier is refused with file and offset, and {@link dev.sieve.durable.DurableFolder#repair}
 * keeps the rest. After it there are two cases:
 *
 * <ul>
 *   <li>No frame of new URLs follows: a torn tail. It is copied to {@code .broken} and cut off.
 *   <li>Frames of new URLs follow: a hole, since a power cut may keep later bytes and lose earlier ones, and a bit may flip.
 *       LOST frames replace the hole and the frames of DONE and RETRY after it; the URLs stay. The file is copied to
 *       {@code .broken}.
 * </ul>
 *
 * <p>A log that ends before the position in {@code end} is refused as damaged: a kill leaves all that was written by then, and
 * a power cut all that was forced. With the durability {@code process}, a power cut may cause that too.
 *
 * <p>Each is one warning that contains file, offset and bytes. An open that is refused changes no file. Damage in parts of
 * the log that an open does not read is found in the same way when their URLs are taken.
 *
 * <h3>Repair</h3>
 *
 * All of the log is read and compared with the newest whole checkpoint before a file is changed. Then what was
 * found is written to {@code repair}, the damaged segments are replaced by copies with LOST frames, the last segment first,
 * a checkpoint of the result is written, the other checkpoints are deleted, and {@code repair} is deleted. While it exists an
 * open is refused, and the next repair does the rest. It reports what {@code repair} contains, and what is lost is also
 * visible in the log as a gap of ids.
 *
 * <h2>Decisions</h2>
 *
 * <p><b>A filter cannot remove.</b> It is changed before the log is written, since it determines which URLs are new. After a
 * failed write, the filter in memory is ahead of the log; so the frontier stops and writes no more checkpoints.
 *
 * <p><b>A failed force is never repeated.</b> The system may have dropped the pages that it could not write, and report
 * success for the next force.
 *
 * <p><b>An error of the machine is not damage.</b> A file that cannot be opened or read may be whole. So only what its content
 * proves, {@link dev.sieve.durable.DamageException}, leads to a {@code .broken} file or to a finding of a repair; every other
 * error is thrown, and the folder stays as it is.
 *
 * <p><b>After a hole only URLs count.</b> The URLs found on a page are written before its DONE. When they are in the hole and
 * the DONE follows it, the page would count as done although its links are lost. Without the DONE it is fetched again,
 * and its links are found again. A URL after the hole does no harm: at worst it is fetched without the page that led to
 * it. So after each crash the log is a frontier in which the links of every page that is done are known. Refusing a hole is
 * not possible: a power cut may leave one, and cutting the log there would give up URLs that are whole. A repair of a hole
 * before the forced position keeps the DONEs, since years of work may follow it; it counts the URLs lost.
 *
 * <p><b>Another visit has another id.</b> The log is only appended to, and an id that is done stays done, so that one bit
 * per URL is enough. So a URL that is queued again is a record like any other, and the filter is not asked.
 *
 * <p><b>Leases are not written.</b> A crash returns them all. They take a bit each.
 *
 * <p><b>Results may be delayed, URLs may not.</b> A lost "done" costs one more fetch; a lost URL is never fetched. So up to
 * 512 results are buffered, for at most one second.
 */
@NullMarked
package dev.sieve.durable;

import org.jspecify.annotations.NullMarked;
