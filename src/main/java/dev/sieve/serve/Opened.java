package dev.sieve.serve;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/** What was opened so far, to be closed when the next step fails. Not safe for use by many threads. */
final class Opened {
    private final Deque<Closeable> resources = new ArrayDeque<>();

    void add(Closeable resource) {
        resources.push(resource);
    }

    /** Closes everything in reverse order; what that throws is suppressed by the failure. */
    void closeAfter(Throwable failure) {
        for (Closeable resource : resources) {
            try {
                resource.close();
            } catch (IOException | RuntimeException e) {
                failure.addSuppressed(e);
            }
        }
    }
}
