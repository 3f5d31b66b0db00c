package dev.sieve.fetch;

import dev.sieve.fetch.ContentCoding.WrongCodingException;
import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.fetch.FetchResult.Redirect;
import dev.sieve.fetch.FetchResult.SetCookie;
import dev.sieve.url.Fragment;
import dev.sieve.url.Printable;
import dev.sieve.url.UrlNormalizer;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.ProtocolException;
import java.net.UnknownHostException;
import java.util.Set;
import javax.net.ssl.SSLException;
import okio.Buffer;
import org.jspecify.annotations.Nullable;

/** Converts a response, with a body up to a limit, or the failure of a request, to a {@link FetchResult}. */
record ResponseReader(int bodyLimit) {
    /** In the message of the JDK about a server that does not speak TLS. */
    private static final String NO_TLS = "unrecognized SSL message";

    /** How much of a body is read at a time. */
    private static final int PART = 8 << 10;

    private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);

    /**
     * Reads the response to a request for a URL, and what the request needs of its body, decoded; the room is the
     * memory of the body. Throws when the response is incomplete.
     */
    FetchResult read(String url, FetchRequest.Body wanted, Response response, BodyMemory.Body room, Callbacks callbacks)
            throws IOException {
        if (REDIRECTS.contains(response.status())) {
            return redirect(url, response);
        } else if (wanted instanceof FetchRequest.Kept kept) {
            return page(response, room, kept.limit() == 0 ? bodyLimit : kept.limit(), kept.anyType());
        } else if (wanted instanceof FetchRequest.Streamed streamed && response.isSuccess()) {
            try (InputStream body = ContentCoding.decoded(response, room)) {
                callbacks.read(streamed.reader(), body);
            }
        }
        return head(response);
    }

    private static Page head(Response response) {
        String type = MediaType.essence(response.value("content-type"));
        return new Page(response.status(), response.headers(), type, new byte[0], 0, false);
    }

    private static FetchResult redirect(String url, Response response) {
        String location = response.value("location");
        if (response.values("location").isEmpty()) {
            return new Failed(response.status(), Reason.BAD_REDIRECT, "no Location");
        }
        String target = UrlNormalizer.base(url).resolve(location);
        return target == null
                ? new Failed(response.status(), Reason.BAD_REDIRECT, "to " + Printable.of(location))
                : new Redirect(
                        response.status(),
                        target,
                        Fragment.of(location),
                        response.values("set-cookie").isEmpty() ? SetCookie.NONE : SetCookie.DROPPED,
                        null);
    }

    private Page page(Response response, BodyMemory.Body room, int limit, boolean anyType) throws IOException {
        Page head = head(response);
        if (!anyType && !Page.mayBeHtml(head.type())) {
            return head;
        }
        Buffer read = new Buffer();
        IOException failure = null;
        try {
            readBody(response, limit + 1L, room, read);
        } catch (IOException e) {
            failure = e;
        }
        boolean isCut = read.size() > limit;
        byte[] body = read.readByteArray(Math.min(read.size(), limit));
        Page page = new Page(head.status(), head.headers(), head.type(), body, body.length, isCut);
        Page result = failure == null ? page : broken(room, failure, page);
        room.keep(body);
        return result;
    }

    /**
     * Returns a page of which only the beginning could be read, since the connection has ended, or the rest cannot be
     * decoded; throws any other failure, and that of a page without a beginning.
     */
    private static Page broken(BodyMemory.Body room, IOException failure, Page beginning) throws IOException {
        boolean isBroken = failure instanceof WrongCodingException || reason(failure, null) == Reason.BROKEN;
        if (!isBroken || beginning.length() == 0 || !beginning.isSuccess() || room.isCancelled()) {
            throw failure;
        }
        return beginning.cut(failed(beginning.status(), failure, null));
    }

    private void readBody(Response response, long most, BodyMemory.Body room, Buffer read) throws IOException {
        long announced = ContentCoding.of(response).isEmpty() ? response.length() : -1;
        room.expect(announced < 0 ? most : Math.min(announced, most));
        // Copied, since moving it into the buffer could keep other bytes of the response in memory with it.
        byte[] part = new byte[PART];
        try (InputStream body = ContentCoding.decoded(response, room)) {
            for (int length = 0; length >= 0 && read.size() < most; ) {
                room.grow(read.size() + PART);
                length = body.read(part, 0, (int) Math.min(most - read.size(), PART));
                read.write(part, 0, Math.max(0, length));
            }
        } catch (IOException e) {
            throw room.reason(e);
        }
    }

    /** Returns the result of a request that ended in an exception, and why it was cancelled, if it was. */
    static FetchResult failure(IOException e, @Nullable Reason cancellation) {
        FetchResult refused = AddressGuard.refusal(e);
        return refused == null ? failed(0, e, cancellation) : refused;
    }

    private static Failed failed(int status, IOException e, @Nullable Reason cancellation) {
        String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        String detail = message.replaceAll("\\s+", " ");
        String hint = detail.contains(NO_TLS) ? "; is this http?" : "";
        return new Failed(status, reason(e, cancellation), Printable.of(detail) + hint);
    }

    /** Returns the result of a request whose body could not be read: the status of an error does not depend on its body. */
    static FetchResult failure(Response response, IOException e, @Nullable Reason cancellation) {
        if (!response.isSuccess() && cancellation != Reason.STOPPED) {
            return head(response).cut();
        }
        return e instanceof WrongCodingException
                ? failed(response.status(), e, cancellation)
                : failure(e, cancellation);
    }

    /** A connection that was kept for further requests was closed, before or during the next one. */
    private static final class KeptConnectionException extends IOException {
        private static final long serialVersionUID = 1;

        KeptConnectionException(String message, @Nullable IOException cause) {
            super(message, cause);
        }
    }

    /** Returns what to throw when more than responses was received over a connection that was used before. */
    static IOException surplus() {
        return new KeptConnectionException("the server has sent more than the responses to requests", null);
    }

    /** Returns what to throw when a request over a connection that was used before gets no response. */
    static IOException closed(IOException e) {
        Reason reason = reason(e, null);
        if (reason == Reason.BROKEN || reason == Reason.TLS) {
            return new KeptConnectionException("the server has closed a connection that was kept open", e);
        }
        // Bytes that are not a response may be surplus that has just arrived.
        return reason == Reason.PROTOCOL ? surplus() : e;
    }

    static Reason reason(IOException e, @Nullable Reason cancellation) {
        if (cancellation != null) {
            return cancellation;
        } else if (e instanceof InterruptedIOException || e instanceof DnsLookups.LookupTimeoutException) {
            return Reason.TIMEOUT;
        } else if (e instanceof KeptConnectionException) {
            return Reason.CLOSED;
        } else if (e instanceof UnknownHostException) {
            return Reason.DNS;
        } else if (e instanceof ConnectException || e instanceof NoRouteToHostException) {
            return Reason.CONNECT;
        } else if (e instanceof SSLException) {
            return Reason.TLS;
        }
        return e instanceof ProtocolException && !isIncomplete(e) ? Reason.PROTOCOL : Reason.BROKEN;
    }

    /** The client throws one exception for a response that is not valid and for one that is shorter than announced. */
    private static boolean isIncomplete(IOException e) {
        return e.getCause() instanceof EOFException || ContentCoding.END.equals(e.getMessage());
    }
}
