package dev.sieve.cli;

import dev.sieve.crawl.Crawler;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets Ctrl-C and SIGTERM end the program in order: the first signal stops its work, and the process ends when this is
 * closed, after all files. A second signal ends the process at once; a job is whole after that as well, but URLs in
 * flight are handed out again.
 */
final class StopSignal implements AutoCloseable {
    private final boolean isQuiet;
    private final CountDownLatch closed = new CountDownLatch(1);
    private @Nullable Thread hook;

    StopSignal(boolean isQuiet) {
        this.isQuiet = isQuiet;
    }

    /** Stops the work at a signal from now on, and prints what happens until the process ends. */
    void stops(Runnable work, Supplier<String> what) {
        Thread started = new Thread(() -> stop(work, what), "sieve-stop");
        hook = started;
        try {
            Runtime.getRuntime().addShutdownHook(started);
        } catch (IllegalStateException e) {
            // A signal is ending the process already.
            work.run();
        }
    }

    /** Stops a crawl at a signal from now on. */
    void stops(Crawler crawler) {
        stops(
                crawler::stop,
                () -> "requests in progress ("
                        + crawler.report().load().schedule().underWay()
                        + ") have 10 s to finish, then all files are closed.");
    }

    /** Runs in the shutdown hook: the process ends when this returns. */
    private void stop(Runnable work, Supplier<String> what) {
        // First, since the crawl may wait for some seconds for an engine that does not respond.
        haltAt("TERM", 143);
        boolean endsAtOnce = haltAt("INT", 130);
        work.run();
        if (!isQuiet) {
            if (Terminal.isStderr()) {
                Terminal.wipe();
            }
            Terminal.println("Stopping: " + what.get() + (endsAtOnce ? " Press Ctrl-C again to quit at once." : ""));
        }
        try {
            closed.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Ends the process at the next signal of a name; returns false where signals are not supported. Through reflection,
     * since the class is not part of Java SE, and the compiler warns of each use.
     */
    private static boolean haltAt(String name, int exitCode) {
        InvocationHandler halt = (proxy, method, arguments) -> {
            Runtime.getRuntime().halt(exitCode);
            return null;
        };
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object halting = Proxy.newProxyInstance(handler.getClassLoader(), new Class<?>[] {handler}, halt);
            Object named = signal.getConstructor(String.class).newInstance(name);
            signal.getMethod("handle", signal, handler).invoke(null, named, halting);
            return true;
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }

    @Override
    public void close() {
        closed.countDown();
        if (hook != null) {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                // The signal that the hook is for is ending the process.
            }
        }
    }
}
