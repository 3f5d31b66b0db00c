package dev.sieve.durable;

import dev.sieve.io.DiskView;
import java.io.IOException;
import java.util.Locale;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The numbers of the segments and checkpoints of a folder. Their names end in a number of eight digits, from 1 on,
 * except the highest one, after which no other could follow; all other files are ignored.
 */
record FrontierFiles(NavigableSet<Integer> logs, NavigableSet<Integer> checkpoints) {
    private static final int END = 99_999_999;
    private static final Pattern NAME = Pattern.compile("(log|checkpoint)-([0-9]{8})");

    /** Exists while a repair changes files. */
    static final String REPAIR = "repair";

    static void requireNoUnfinishedRepair(DiskView disk) throws IOException {
        if (disk.names().contains(REPAIR)) {
            throw new DamageException(REPAIR + ": a repair was interrupted; run it again");
        }
    }

    static String segment(int number) {
        return String.format(Locale.ROOT, "log-%08d", number);
    }

    static String checkpoint(int number) {
        return String.format(Locale.ROOT, "checkpoint-%08d", number);
    }

    static FrontierFiles list(DiskView disk) throws IOException {
        FrontierFiles files = new FrontierFiles(new TreeSet<>(), new TreeSet<>());
        for (String name : disk.names()) {
            Matcher matcher = NAME.matcher(name);
            int number = matcher.matches() ? Integer.parseInt(matcher.group(2)) : 0;
            if (number > 0 && number < END) {
                (matcher.group(1).equals("log") ? files.logs : files.checkpoints).add(number);
            }
        }
        return files;
    }

    boolean isEmpty() {
        return logs.isEmpty() && checkpoints.isEmpty();
    }

    /** Returns the highest number of a checkpoint except some; 0 without one. */
    int lastCheckpoint(Set<Integer> except) {
        return checkpoints.stream().filter(number -> !except.contains(number)).reduce(0, Math::max);
    }

    /** Whether no segment was ever removed, so that the log alone contains everything. */
    boolean isLogWhole() {
        return !logs.isEmpty() && logs.first() == 1 && logs.last() == logs.size();
    }

    /** Requires the start of the log, without which it cannot be read from its start on. */
    void requireStartOfLog() throws DamageException {
        if (logs.isEmpty()) {
            throw DamageException.missing(segment(1));
        }
        if (logs.first() != 1) {
            throw new DamageException("no whole checkpoint is left, and the first segments of the log were removed");
        }
    }
}
