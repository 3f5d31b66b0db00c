package dev.sieve.durable;

import java.io.IOException;
import java.util.Locale;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The segments and checkpoints of a folder. Their names end in a number of eight digits, from 1 on; all other files are
 * ignored.
 *
 * @param logs the numbers of the segments
 * @param checkpoints the numbers of the checkpoints
 */
record FrontierFiles(NavigableSet<Integer> logs, NavigableSet<Integer> checkpoints) {
    private static final Pattern NAME = Pattern.compile("(log|checkpoint)-([0-9]{8})");

    static String segment(int number) {
        return String.format(Locale.ROOT, "log-%08d", number);
    }

    static String checkpoint(int number) {
        return String.format(Locale.ROOT, "checkpoint-%08d", number);
    }

    static FrontierFiles list(Disk disk) throws IOException {
        FrontierFiles files = new FrontierFiles(new TreeSet<>(), new TreeSet<>());
        for (String name : disk.names()) {
            Matcher matcher = NAME.matcher(name);
            int number = matcher.matches() ? Integer.parseInt(matcher.group(2)) : 0;
            if (number > 0) {
                (matcher.group(1).equals("log") ? files.logs : files.checkpoints).add(number);
            }
        }
        return files;
    }

    boolean isEmpty() {
        return logs.isEmpty() && checkpoints.isEmpty();
    }

    /** Returns the highest number of a checkpoint; 0 without checkpoints. */
    int lastCheckpoint() {
        return checkpoints.isEmpty() ? 0 : checkpoints.last();
    }

    /** Whether no segment was ever removed, so that the log alone contains everything. */
    boolean isLogWhole() {
        return logs.isEmpty() ? checkpoints.isEmpty() : logs.first() == 1 && logs.last() == logs.size();
    }

    void requireWholeLog() throws DamageException {
        if (!isLogWhole()) {
            throw new DamageException("no whole checkpoint is left, and the first segments of the log were removed");
        }
    }
}
