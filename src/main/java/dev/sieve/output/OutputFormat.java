package dev.sieve.output;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A format of outputs, which describes itself. {@link OutputFormats} has the list of them. */
public interface OutputFormat {
    /** How the name of a file ends that has what is written only at the end, after the name of the output. */
    String LINES = ".lines";

    /** Returns how the names of its files end, in lower case, the usual one first. */
    List<String> endings();

    /** Returns what an output contains, for the help of the command: a few words in parentheses after the endings. */
    String help();

    /** Returns whether the crawl has to keep what is sent and received. What else it needs, the {@link PageSink} says. */
    default boolean takesExchanges() {
        return false;
    }

    /** Returns whether an output has the {@link VisitField fields} of visits. */
    default boolean hasRecords() {
        return false;
    }

    /** Returns whether the crawl has to search the {@linkplain PageSink#linkedFrom pages that link to broken URLs}. */
    default boolean takesReferrers() {
        return false;
    }

    /** Returns the files of an output that exist, in their order. */
    default List<Path> existing(Path file) throws IOException {
        return Files.isRegularFile(file) ? List.of(file) : List.of();
    }

    /** Opens an output by its first file; an {@link IllegalArgumentException} names one that cannot be continued. */
    PageSink open(Path file, OutputOpening opening) throws IOException;
}
