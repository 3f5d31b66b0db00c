package dev.sieve.crawl;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sieve.url.UrlNormalizer;
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

    /**
     * Opens the file, or makes it.
     *
     * @throws IOException when the disk fails, or the file is damaged; its name and the line are told
     */
    SeedLog(Path path) throws IOException {
        // A byte a character, whatever it is: what is no URL is told with its line.
        String text = Files.exists(path) ? Files.readString(path, ISO_8859_1) : "";
        int end = text.lastIndexOf('\n') + 1;
        int number = 1;
        for (String line : (Iterable<String>) text.substring(0, end).lines()::iterator) {
            if (!line.equals(UrlNormalizer.parse(line))) {
                throw new IOException(path + ": line " + number + " is no seed: " + line);
            }
            seeds.add(line);
            number++;
        }
        FileChannel file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
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

    /** Brings to the disk itself what was added, so that no power cut leaves a frontier without the scope it is of. */
    synchronized void force() {
        lines.force();
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }
}
