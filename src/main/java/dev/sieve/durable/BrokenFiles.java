package dev.sieve.durable;

import dev.sieve.io.Disk;
import java.io.IOException;
import java.util.NavigableSet;
import java.util.regex.Pattern;

/**
 * Keeps damaged or unfinished bytes in files with the suffix {@code .broken}, which are never read again. Only what the
 * content of a file proves to be damaged gets here, never a file that the disk could not read.
 *
 * <p>They do not pile up: of all checkpoints and of all torn tails only the last one is kept, of a segment its last
 * copy.
 */
record BrokenFiles(Disk disk) {
    private static final String SUFFIX = ".broken";
    private static final Pattern CHECKPOINT = Pattern.compile("checkpoint-[0-9]{8}\\.broken");
    private static final Pattern TAIL = Pattern.compile("log-[0-9]{8}-[0-9]+\\.broken");

    /** Renames a file; an empty one is deleted. Returns its size. The names are not forced. */
    long putAside(String name) throws IOException {
        long size = disk.size(name);
        if (size == 0) {
            disk.delete(name);
        } else {
            disk.rename(name, name + SUFFIX);
            deleteOthers(CHECKPOINT, name + SUFFIX);
        }
        return size;
    }

    /**
     * Renames segments, the last one first, and forces each name, so that a power cut never leaves a segment without
     * those before it. Returns their size in bytes.
     */
    long putAside(NavigableSet<Integer> segments) throws IOException {
        long bytes = 0;
        for (int number : segments.descendingSet()) {
            bytes += putAside(FrontierFiles.segment(number));
            disk.forceNames();
        }
        return bytes;
    }

    void copy(String name) throws IOException {
        disk.copy(name, 0, name + SUFFIX);
    }

    /** Copies the end of a file and cuts it off; returns the number of bytes. */
    long cut(String name, long from) throws IOException {
        String kept = name + "-" + from + SUFFIX;
        long bytes = disk.copy(name, from, kept);
        disk.cut(name, from);
        deleteOthers(TAIL, kept);
        return bytes;
    }

    private void deleteOthers(Pattern sort, String kept) throws IOException {
        if (!sort.matcher(kept).matches()) {
            return;
        }
        for (String name : disk.names()) {
            if (sort.matcher(name).matches() && !name.equals(kept)) {
                disk.delete(name);
            }
        }
    }
}
