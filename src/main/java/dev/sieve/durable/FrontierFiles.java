package dev.sieve.durable;

import java.io.IOException;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * Which files of a frontier are there; all others in the folder are nobody's business.
 *
 * @param logs the numbers of the segments
 * @param checkpoints the numbers of the checkpoints
 */
record FrontierFiles(NavigableSet<Integer> logs, NavigableSet<Integer> checkpoints) {
    static FrontierFiles list(Disk disk) throws IOException {
        TreeSet<Integer> logs = new TreeSet<>();
        TreeSet<Integer> checkpoints = new TreeSet<>();
        for (String name : disk.names()) {
            Segment.number(name).ifPresent(logs::add);
            Checkpoint.number(name).ifPresent(checkpoints::add);
        }
        return new FrontierFiles(logs, checkpoints);
    }

    boolean isEmpty() {
        return logs.isEmpty() && checkpoints.isEmpty();
    }

    /** Whether no segment was ever removed, so that the log alone says everything. */
    boolean isLogWhole() {
        return logs.isEmpty() ? checkpoints.isEmpty() : logs.first() == 1 && logs.last() == logs.size();
    }
}
