package dev.sieve.serve;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.Collections;
import java.util.Iterator;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The responses of a call that returns many, sent no faster than the client reads them. */
final class UrlStream<T> {
    /** How long a client may read nothing while a thread waits for it. */
    private static final long PATIENCE_SECONDS = 60;

    private final ServerCallStreamObserver<T> call;
    private final Semaphore ready = new Semaphore(0);

    UrlStream(ServerCallStreamObserver<T> call) {
        this.call = call;
    }

    /**
     * Sends each response when the client is ready for it, until {@code more} returns null. No thread waits for the
     * client. Called while the call is being started.
     */
    void send(Supplier<@Nullable Iterator<T>> more) {
        Runnable pump = new Runnable() {
            private Iterator<T> next = Collections.emptyIterator();
            private boolean isOver;

            @Override
            public synchronized void run() {
                try {
                    while (!isOver && call.isReady()) {
                        if (next.hasNext()) {
                            call.onNext(next.next());
                            continue;
                        }
                        Iterator<T> following = more.get();
                        if (following == null) {
                            isOver = true;
                            call.onCompleted();
                        } else {
                            next = following;
                        }
                    }
                } catch (RuntimeException | Error e) {
                    isOver = true;
                    call.onError(Replies.status(e).asRuntimeException());
                }
            }
        };
        call.setOnCancelHandler(() -> {});
        call.setOnReadyHandler(pump);
    }

    /** Prepares for {@link #sendNow}. Called while the call is being started. */
    void prepare() {
        call.setOnCancelHandler(ready::release);
        call.setOnReadyHandler(ready::release);
    }

    /** Waits until the client is ready and sends a response; false when it has gone. */
    boolean sendNow(T response) {
        try {
            while (!call.isReady()) {
                if (call.isCancelled()) {
                    return false;
                }
                if (!ready.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                    throw Replies.failure(Status.ABORTED, "nothing was read for " + PATIENCE_SECONDS + " seconds");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Replies.failure(Status.UNAVAILABLE, "the server is stopping");
        }
        call.onNext(response);
        return true;
    }
}
