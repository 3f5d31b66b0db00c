package dev.sieve.output;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A format of documents in XML, see {@link DocumentSink}.
 *
 * @param help what a document contains
 * @param sinks opens one
 * @param takesReferrers whether it has the pages that link to broken URLs
 * @param endings how its name ends
 */
record DocumentFormat(String help, Opening sinks, boolean takesReferrers, List<String> endings)
        implements OutputFormat {
    private static final Pattern NAME = Pattern.compile("(?is)(.*)(\\.xml(?:\\.gz)?)");

    interface Opening {
        PageSink open(Path file, OutputOpening opening) throws IOException;
    }

    static Path lines(Path file) {
        return file.resolveSibling(file.getFileName() + LINES);
    }

    /** Returns a file of a document that consists of several. */
    static Path part(Path file, int number) {
        Matcher name = NAME.matcher(String.valueOf(file.getFileName()));
        if (!name.matches()) {
            throw new IllegalArgumentException("not the name of a document: " + file);
        }
        return file.resolveSibling(name.group(1) + "-" + number + name.group(2));
    }

    /** Returns the parts of a document that exist, by their numbers; the file that was named has the number 0. */
    static NavigableMap<Integer, Path> parts(Path file) throws IOException {
        return ArchiveFiles.existing(file, NAME, "[1-9]\\d{0,8}");
    }

    @Override
    public List<Path> existing(Path file) throws IOException {
        List<Path> all = new ArrayList<>(parts(file).values());
        if (Files.exists(lines(file))) {
            all.add(lines(file));
        }
        return all;
    }

    @Override
    public PageSink open(Path file, OutputOpening opening) throws IOException {
        return sinks.open(file, opening);
    }
}
