package dev.sieve.crawl;

import dev.sieve.SieveFullException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of a crawl: each takes a URL from the dispatcher, has it processed, and goes on with the next one.
 *
 * @param failures receives what ends the crawl; called by any of the threads
 */
record Workers(Dispatcher dispatcher, UrlProcessor processor, Consumer<Throwable> failures) {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.crawl");
    /** Loaded with this class, since there may be no memory to load it when an OutOfMemoryError is handled. */
    private static final Class<?> FULL = SieveFullException.class;

    /** Starts threads; if the system allows no more of them, the crawl fails, and the missing ones count as left. */
    void start(int count) {
        int started = 0;
        try {
            for (; started < count; started++) {
                new Thread(this::work, "sieve-worker").start();
            }
        } catch (Throwable e) {
            failures.accept(e);
            for (; started < count; started++) {
                dispatcher.workerLeft();
            }
        }
    }

    /** Starts a further thread if the dispatcher needs one. */
    void addWorker() {
        if (dispatcher.addsWorker()) {
            try {
                new Thread(this::work, "sieve-worker").start();
            } catch (OutOfMemoryError e) {
                // The crawl does not depend on it.
                dispatcher.addsNoMore();
                LOG.warn(
                        "no more workers in place of those that wait for hosts without a response: {}", e.getMessage());
            }
        }
    }

    private void work() {
        try {
            for (Task task = dispatcher.next(); task != null; task = dispatcher.next()) {
                addWorker();
                work(task);
                if (Thread.interrupted()) {
                    throw new InterruptedException("a worker was interrupted, by a sink or a listener");
                }
            }
        } catch (Throwable e) {
            try {
                end(e);
            } finally {
                dispatcher.workerLeft();
            }
        }
    }

    private void work(Task task) {
        boolean isPage;
        try {
            UrlProcessor.Response response = processor.request(task);
            dispatcher.end(task, response.outcome());
            isPage = response.processing().getAsBoolean();
        } catch (Throwable e) {
            // In this order, since a URL without a worker is a failure of its own while the crawl runs.
            end(e);
            dispatcher.abandoned(task);
            return;
        }
        dispatcher.finished(task, isPage);
    }

    /** Ends the crawl because of what a worker has thrown. */
    private void end(Throwable cause) {
        if (!FULL.isInstance(cause)) {
            failures.accept(cause);
        } else if (dispatcher.end(Ending.FULL)) {
            LOG.error("{}", cause.getMessage());
        }
    }
}
