package dev.sieve.output;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The ends of the files to which a crawl writes. It is the last sink of the crawl: when it is flushed, the others have
 * flushed their files, and it stores the ends of these, from which a later run continues.
 */
public interface FileEnds extends PageSink {
    FileEnds NONE = new FileEnds() {};

    /** Returns the end of a file that an earlier run has stored; null when there is none. */
    default @Nullable FileEnd stored(Path file) throws IOException {
        return null;
    }

    /** Receives the end of a file that was opened, after which some bytes were removed. */
    default void opened(Path file, FileEnd end, long removed) throws IOException {}

    /** Receives the end of a file that was {@link #opened} and flushed. */
    default void flushed(Path file, FileEnd end) {}

    @Override
    default void accept(Visit visit) throws IOException {}
}
