package dev.sieve.crawl;

import dev.sieve.url.UrlNormalizer;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
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
        List<String> read = AppendedLines.read(path);
        for (int i = 0; i < read.size(); i++) {
            if (!read.get(i).equals(UrlNormalizer.parse(read.get(i)))) {
                throw new IOException(path + ": line " + (i + 1) + " is no seed");
            }
        }
        seeds.addAll(read);
        lines = new AppendedLines(path, read);
    }

    /** The seeds that were there and that were added. */
    Set<String> seeds() {
        return Set.copyOf(seeds);
    }

    /**
     * Writes a seed, if it was not there.
     *
     * @return whether it was not
     * @throws UncheckedIOException when the disk fails
     */
    synchronized boolean add(String url) {
        if (seeds.contains(url)) {
            return false;
        }
        lines.add(url);
        return seeds.add(url);
    }

    /**
     * Brings to the disk itself what was added, so that a power cut in a crawl does not leave pages whose scope is gone.
     *
     * @throws UncheckedIOException when the disk fails
     */
    synchronized void force() {
        lines.force();
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }
}
