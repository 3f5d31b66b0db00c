package dev.sieve.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;

/**
 * What a demo web was asked for: the latest requests in memory, all of them in a file, or neither. Safe for use by many
 * threads; guarded by its own lock.
 *
 * <p>The file has a line a request: start and end in nanoseconds of {@link System#nanoTime}, host, path and query,
 * status, with a tab between them.
 */
final class RequestLog implements AutoCloseable {
    private final int most;
    private final Path file;
    private final BufferedWriter writer;
    private final ArrayDeque<DemoRequest> latest = new ArrayDeque<>();
    private long count;
    private IOException failure;

    /**
     * @param most how many requests are kept in memory
     * @param file written anew; null for none
     * @throws IOException when the file cannot be written
     */
    RequestLog(int most, Path file) throws IOException {
        this.most = most;
        this.file = file;
        writer = file == null ? null : Files.newBufferedWriter(file, UTF_8);
    }

    synchronized void add(DemoRequest request) {
        count++;
        if (most > 0) {
            if (latest.size() == most) {
                latest.remove();
            }
            latest.add(request);
        }
        if (writer != null && failure == null) {
            try {
                writer.write(line(request));
            } catch (IOException e) {
                failure = new IOException("access log " + file + ": line " + count + " not written", e);
            }
        }
    }

    private static String line(DemoRequest request) {
        return request.startNanos() + "\t" + request.endNanos() + "\t" + request.host() + "\t" + request.target() + "\t"
                + request.status() + "\n";
    }

    synchronized List<DemoRequest> latest() {
        return List.copyOf(latest);
    }

    synchronized long count() {
        return count;
    }

    /**
     * Completes the file.
     *
     * @throws IOException when a line of it could not be written
     */
    @Override
    public synchronized void close() throws IOException {
        if (writer != null) {
            writer.close();
        }
        if (failure != null) {
            throw failure;
        }
    }
}
