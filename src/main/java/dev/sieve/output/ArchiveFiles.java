package dev.sieve.output;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The files of an archive: the one that was named, such as {@code crawl.warc.gz}, then {@code crawl-00001.warc.gz} and so
 * on. Not safe for use by many threads.
 */
final class ArchiveFiles {
    private static final Pattern NAME = Pattern.compile("(?is)(.+)(\\.warc(?:\\.gz)?)");

    private final Path first;
    private final boolean forces;
    private int number;
    private Path file;

    private ArchiveFiles(Path first, boolean forces, int number) {
        this.first = first;
        this.forces = forces;
        this.number = number;
        this.file = first;
    }

    /** Returns whether a file is an archive by its name. */
    static boolean isArchive(Path file) {
        return parts(file).matches();
    }

    private static Matcher parts(Path file) {
        return NAME.matcher(String.valueOf(file.getFileName()));
    }

    /** Returns the files of an archive that exist, by their numbers; the one that was named has the number 0. */
    static NavigableMap<Integer, Path> existing(Path first) throws IOException {
        NavigableMap<Integer, Path> found = new TreeMap<>();
        Path folder = first.toAbsolutePath().getParent();
        if (Files.isRegularFile(first)) {
            found.put(0, first);
        }
        Matcher name = parts(first);
        if (!name.matches() || folder == null || !Files.isDirectory(folder)) {
            return found;
        }
        Pattern numbered = Pattern.compile(Pattern.quote(name.group(1)) + "-(\\d{5,9})" + Pattern.quote(name.group(2)));
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
     * @param how {@code CREATE_NEW} refuses files that exist, {@code APPEND} keeps them, any other option deletes them
     * @param forces whether a flush forces a file to the disk
     */
    static ArchiveFiles of(Path first, StandardOpenOption how, boolean forces) throws IOException {
        NavigableMap<Integer, Path> existing = existing(first);
        if (how == StandardOpenOption.APPEND) {
            boolean isUsed =
                    !existing.isEmpty() && Files.size(existing.lastEntry().getValue()) > 0;
            int last = existing.isEmpty() ? 0 : existing.lastKey();
            return new ArchiveFiles(first, forces, isUsed ? last + 1 : last);
        }
        if (how != StandardOpenOption.CREATE_NEW) {
            for (Path each : existing.values()) {
                Files.delete(each);
            }
        } else if (!existing.isEmpty()) {
            throw new FileAlreadyExistsException(
                    existing.firstEntry().getValue().toString());
        }
        return new ArchiveFiles(first, forces, 0);
    }

    /** Removes the records at the end of a file that a crash left unfinished, see {@link WarcSink#removeUnfinished}. */
    static Removal removeUnfinished(Path file) throws IOException {
        long size = Files.size(file);
        WholeRecords records = WholeRecords.of(file, size);
        if (records.end() == size) {
            // The process that wrote it may have been killed before a flush, and this one writes to the next file.
            FileEnd.force(file);
            return new Removal(size, 0, "", null);
        }
        FileEnd.Hole hole = FileEnd.hole(file, records.end());
        boolean isLate = size - records.end() <= FileEnd.MAX_BYTES;
        if (records.problem() != null && hole == FileEnd.Hole.NONE && isUnfinishedWithoutZeros(file)) {
            // They may be what the last record ended with, and another byte of it damaged: it is copied.
            hole = FileEnd.Hole.INSIDE;
        }
        if (records.problem() != null && (hole == FileEnd.Hole.NONE || !isLate)) {
            throw new IOException(file + ": damaged after " + records.end() + " bytes: " + records.problem());
        }
        try {
            Path copy = hole == FileEnd.Hole.INSIDE ? FileEnd.copy(file, records.end()) : null;
            FileEnd.cut(file, records.end());
            return new Removal(records.end(), size - records.end(), "", copy);
        } catch (IOException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    /** Whether all that is wrong with a file are zeros at its end, too few to be a hole by themselves. */
    private static boolean isUnfinishedWithoutZeros(Path file) throws IOException {
        long length = FileEnd.lengthWithoutZeros(file);
        return length < Files.size(file) && WholeRecords.of(file, length).problem() == null;
    }

    /** Opens the next file. */
    OutputStream next() throws IOException {
        Matcher name = parts(first);
        if (!name.matches()) {
            throw new IllegalArgumentException("not the name of an archive: " + first);
        }
        file = number == 0
                ? first
                : first.resolveSibling(
                        name.group(1) + "-" + String.format(Locale.ROOT, "%05d", number) + name.group(2));
        number++;
        if (Files.isRegularFile(file) && Files.size(file) > 0) {
            throw new FileAlreadyExistsException(file.toString());
        }
        return OutputFile.stream(file, StandardOpenOption.APPEND, forces);
    }

    /** Returns the file that was opened last, or else the first one. */
    Path file() {
        return file;
    }

    boolean isCompressed() {
        return first.toString().toLowerCase(Locale.ROOT).endsWith(".gz");
    }
}
