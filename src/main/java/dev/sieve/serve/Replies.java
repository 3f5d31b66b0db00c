package dev.sieve.serve;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.NoSuchElementException;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How calls end. */
final class Replies {
    private static final Logger LOG = LoggerFactory.getLogger(Replies.class);

    private Replies() {}

    /** Sends the one response of a call, or the status of what the action threw. */
    static <T> void send(StreamObserver<T> call, Callable<T> action) {
        T response;
        try {
            response = action.call();
        } catch (Exception | Error e) {
            call.onError(status(e).asRuntimeException());
            return;
        }
        call.onNext(response);
        call.onCompleted();
    }

    /** Returns the exception by which a call ends with a status. */
    static StatusRuntimeException failure(Status status, String description) {
        return status.withDescription(description).asRuntimeException();
    }

    /** Returns the status of a call that ended with an exception. */
    static Status status(Throwable e) {
        if (e instanceof StatusRuntimeException status) {
            return status.getStatus();
        } else if (e instanceof IllegalArgumentException) {
            return Status.INVALID_ARGUMENT.withDescription(e.getMessage());
        } else if (e instanceof NoSuchElementException) {
            return Status.NOT_FOUND.withDescription(e.getMessage());
        } else if (e instanceof IOException
                || e instanceof UncheckedIOException
                || e instanceof IllegalStateException) {
            return Status.UNAVAILABLE.withDescription(e.getMessage());
        }
        LOG.error("a call failed", e);
        return Status.INTERNAL.withDescription(e.toString());
    }
}
