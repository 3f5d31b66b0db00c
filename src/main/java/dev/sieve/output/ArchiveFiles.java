package dev.sieve.output;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The files of an archive: the one that was named, such as {@code crawl.warc.gz}, then {@code crawl-00001.warc.gz} and
 * so on. Not safe for use by many threads.
 */
final class ArchiveFiles {
    private static final Pattern NAME = Pattern.compile("(?is)(.+)(\\.warc(?:\\.gz)?)");

    private final Path first;
    private final OutputOpening opening;
    private int number;
    private Path file;

    private ArchiveFiles(Path first, OutputOpening opening, int number) {
        this.first = first;
        this.opening = opening;
        this.number = number;
        this.file = first;
    }

    private static Matcher parts(Path file) {
        return NAME.matcher(String.valueOf(file.getFileName()));
    }

    /** Returns the files of an archive that exist, by their numbers; the one that was named has the number 0. */
    static NavigableMap<Integer, Path> existing(Path first) throws IOException {
        return existing(first, NAME, "\\d{5,9}");
    }

    /**
     * Returns the files that exist of an output of several, in the same way.
     *
     * @param names matches the name of the first in two parts, between which the others have a dash and their number
     * @param number matches the number
     */
    static NavigableMap<Integer, Path> existing(Path first, Pattern names, String number) throws IOException {
        NavigableMap<Integer, Path> found = new TreeMap<>();
        Path folder = first.toAbsolutePath().getParent();
        if (Files.isRegularFile(first)) {
            found.put(0, first);
        }
        Matcher name = names.matcher(String.valueOf(first.getFileName()));
        if (!name.matches() || folder == null || !Files.isDirectory(folder)) {
            return found;
        }
        Pattern numbered =
                Pattern.compile(Pattern.quote(name.group(1)) + "-(" + number + ")" + Pattern.quote(name.group(2)));
        try (Stream<Path> files = Files.list(folder)) {
            for (Path each : (Iterable<Path>) files::iterator) {
                Matcher matcher = numbered.matcher(String.valueOf(each.getFileName()));
                if (matcher.matches() && Integer.parseInt(matcher.group(1)) > 0) {
                    found.put(Integer.parseInt(matcher.group(1)), first.resolveSibling(each.getFileName()));
                }
            }
        }
        return found;
    }

    /**
     * Returns the files of an archive, none of them open.
     *
     * @param opening those of the job are kept up to their stored ends if they are continued, deleted if overwritten;
     *     others stay, but for the first
     */
    static ArchiveFiles of(Path first, OutputOpening opening) throws IOException {
        StandardOpenOption how = opening.how();
        NavigableMap<Integer, Path> existing = new TreeMap<>();
        for (Map.Entry<Integer, Path> each : existing(first).entrySet()) {
            if (each.getKey() == 0 || opening.ends().stored(each.getValue()) != null) {
                existing.put(each.getKey(), each.getValue());
            }
        }
        if (how == StandardOpenOption.APPEND) {
            for (Path each : existing.values()) {
                // One that another crawl has written is only locked.
                FileEnds own = opening.ends().stored(each) == null ? FileEnds.NONE : opening.ends();
                OutputFile.stream(each, how, opening.forces(), own).close();
            }
            Map.Entry<Integer, Path> last = existing.lastEntry();
            int next = last == null ? 0 : Files.size(last.getValue()) > 0 ? last.getKey() + 1 : last.getKey();
            return new ArchiveFiles(first, opening, next);
        }
        if (how != StandardOpenOption.CREATE_NEW) {
            for (Path each : existing.values()) {
                Files.delete(each);
            }
        } else if (!existing.isEmpty()) {
            throw new FileAlreadyExistsException(
                    existing.firstEntry().getValue().toString());
        }
        return new ArchiveFiles(first, opening, 0);
    }

    OutputFile next() throws IOException {
        Matcher name = parts(first);
        if (!name.matches()) {
            throw new IllegalArgumentException("not the name of an archive: " + first);
        }
        do {
            file = number == 0
                    ? first
                    : first.resolveSibling(
                            name.group(1) + "-" + String.format(Locale.ROOT, "%05d", number) + name.group(2));
            number++;
            // That of another crawl, which only the one that was named may be overwritten with.
        } while (Files.isRegularFile(file) && Files.size(file) > 0);
        return OutputFile.stream(file, StandardOpenOption.APPEND, opening.forces(), opening.ends());
    }

    /** Returns the file that was opened last, or else the first one. */
    Path file() {
        return file;
    }

    boolean isCompressed() {
        return first.toString().toLowerCase(Locale.ROOT).endsWith(".gz");
    }
}
