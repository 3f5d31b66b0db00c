package dev.sieve.fetch;

import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.url.Printable;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The code of a caller that one request runs: what it throws ends the request, and is thrown to the caller. */
final class Callbacks {
    /** Whether a check has ended the request. */
    boolean isRefused;

    private @Nullable RuntimeException thrown;

    /** Returns whether a check lets the request go on. */
    boolean pass(BooleanSupplier check) {
        try {
            isRefused |= !check.getAsBoolean();
            return !isRefused;
        } catch (RuntimeException e) {
            thrown = e;
            return false;
        }
    }

    void read(FetchRequest.BodyReader reader, InputStream body) throws IOException {
        try {
            reader.read(body);
        } catch (RuntimeException e) {
            thrown = e;
            throw e;
        }
    }

    /**
     * Returns the result of a request, whatever else was thrown for data from a server, although it should not have
     * been.
     *
     * @param memory the memory of its body, which is given back if the caller does not receive it
     */
    FetchResult result(Supplier<FetchResult> request, BodyMemory memory, BooleanSupplier isStopped) {
        FetchResult result;
        try {
            result = request.get();
        } catch (RuntimeException | AssertionError | StackOverflowError e) {
            Reason reason = isStopped.getAsBoolean() ? Reason.STOPPED : Reason.PROTOCOL;
            result = new Failed(0, reason, Printable.of(e.toString()));
        }
        if (thrown != null) {
            memory.release(result);
            throw thrown;
        }
        return result;
    }
}
