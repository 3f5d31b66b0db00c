package dev.sieve.crawl;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The seeds of a crawl in a file, one a line, since its scope is seen from them and has to be the same when it goes on.
 *
 * <p>A seed is written before it is queued; a line that a crash has left unfinished was never queued and is cut off.
 */
final class SeedLog implements Closeable {
    private final Set<String> seeds = new LinkedHashSet<>();
    private final AppendedLines lines;

    /** Opens the file, or makes it. */
    SeedLog(Path path) throws IOException {
        FileChannel file =
                FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        String text = Files.readString(path, US_ASCII);
        int end = text.lastIndexOf('\n') + 1;
        text.substring(0, end).lines().forEach(seeds::add);
        file.truncate(end);
        file.position(end);
        lines = new AppendedLines(path, file);
    }

    /** The seeds that were there and that were added. */
    Set<String> seeds() {
        return Set.copyOf(seeds);
    }

    /**
     * Writes a seed, if it was not there.
     *
     * @throws UncheckedIOException when the disk fails
     */
    synchronized void add(String url) {
        if (seeds.add(url)) {
            lines.add(url);
        }
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }
}
