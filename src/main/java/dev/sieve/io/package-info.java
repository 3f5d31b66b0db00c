/**
 * Files without surprises: how one is created, replaced, forced to the disk and read line by line. It imports no other
 * package of Sieve.
 *
 * <ul>
 *   <li>A {@link dev.sieve.io.Disk} is a folder of files that are appended to, cut or replaced, so that a crash leaves
 *   a state that can be read; of a {@link dev.sieve.io.DiskView} they are only read. {@link dev.sieve.io.LocalDisk} is
 *   one of the file system.
 *   <li>A {@link dev.sieve.io.LineFile} is a file of lines with checksums, a {@link dev.sieve.io.LineTable} one in
 *   which the last line of a key counts, and {@link dev.sieve.io.JobFiles} are those beside a frontier.
 *   <li>A {@link dev.sieve.io.LineReader} reads lines of bounded length.
 *   <li>A {@link dev.sieve.io.LruMap} is a map of bounded memory, and a {@link dev.sieve.io.LongTable} one of numbers.
 *   <li>A {@link dev.sieve.io.RepeatingThread} does what is due in the background.
 * </ul>
 *
 * <p>Its classes are public only because other packages need them; applications that embed Sieve do not.
 *
 * <h2>Decisions</h2>
 *
 * <p><b>No memory maps, no channels.</b> A full disk under a memory map is an error of the virtual machine. A channel
 * is closed when a thread that uses it is interrupted, and workers of a crawler are.
 */
@NullMarked
package dev.sieve.io;

import org.jspecify.annotations.NullMarked;
