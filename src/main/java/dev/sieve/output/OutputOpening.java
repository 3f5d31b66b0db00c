package dev.sieve.output;

import java.nio.file.StandardOpenOption;

/**
 * How outputs are opened.
 *
 * @param how {@code CREATE_NEW} refuses files that exist, {@code APPEND} continues them, any other option overwrites
 *     them
 * @param forces whether a flush forces them to the disk
 * @param ends receives the ends of the files, and has those of an earlier run
 * @param software the name and version of the crawler
 * @param beforeLine written before each line on standard output
 */
public record OutputOpening(
        StandardOpenOption how, boolean forces, FileEnds ends, String software, String beforeLine) {}
