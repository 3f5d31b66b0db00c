package dev.sieve.fetch;

import dev.sieve.fetch.Exchange.Cut;
import dev.sieve.fetch.FetchResult.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import okio.Buffer;
import org.jspecify.annotations.Nullable;

/** Keeps what is sent and received by one call, as it is on the wire. Used by the thread of the call. */
final class Capture {
    private static final int PART = 8 << 10;

    private final String url;
    private final int limit;
    private final BodyMemory.Body room;
    private final Buffer body = new Buffer();
    private @Nullable Heads heads;
    private InputStream rest = InputStream.nullInputStream();
    private @Nullable IOException failure;
    private boolean isComplete;
    private boolean isLonger;

    /** What comes before the body of the response; the address is null when a proxy was between. */
    private record Heads(Instant time, @Nullable InetAddress address, String request, String response) {}

    /** Creates a capture of nothing that keeps so many bytes of the body, whose memory is the room. */
    Capture(String url, int limit, BodyMemory.Body room) {
        this.url = url;
        this.limit = limit;
        this.room = room;
    }

    /** Keeps the heads of a request that was sent and of its response. */
    void keep(@Nullable InetAddress address, long millis, String request, String response) {
        heads = new Heads(Instant.ofEpochMilli(millis), address, request, response);
    }

    /** Returns the response; all that is read from its body is kept, too. */
    Response of(Response received) {
        room.expect(received.length() < 0 ? limit : Math.min(received.length(), limit));
        rest = new Wire.In() {
            @Override
            public int read(byte[] target, int from, int length) throws IOException {
                int free = limit - (int) body.size();
                room.growRaw(body.size() + Math.min(free, length));
                int read;
                try {
                    read = received.body().read(target, from, length);
                } catch (IOException e) {
                    failure = e;
                    throw e;
                }
                isComplete |= read < 0;
                isLonger |= read > free;
                body.write(target, from, Math.max(0, Math.min(read, free)));
                return read;
            }
        };
        return new Response(received.status(), received.headers(), rest, received.length());
    }

    /** Reads what was not read of the body, up to the limit. */
    void readRest() {
        byte[] part = new byte[PART];
        try {
            while (heads != null && !isComplete && !isLonger && failure == null) {
                rest.read(part, 0, PART);
            }
        } catch (IOException e) {
            failure = e;
        }
    }

    /** Returns whether more of the body may be on its way. */
    boolean hasMore() {
        return !isComplete && failure == null;
    }

    /** Returns what was kept, with the reason why the request was cancelled, if it was; null without a response. */
    @Nullable
    Exchange exchange(@Nullable Reason cancellation) {
        if (heads == null) {
            return null;
        }
        byte[] bytes = body.readByteArray();
        room.keep(bytes);
        Instant time = heads.time.truncatedTo(ChronoUnit.MILLIS);
        Cut cut = cut(cancellation);
        return new Exchange(url, time, heads.address, heads.request, heads.response, bytes, cut, null, null);
    }

    private Cut cut(@Nullable Reason cancellation) {
        if (isComplete) {
            return Cut.NONE;
        } else if (isLonger) {
            return Cut.LENGTH;
        } else if (failure == null) {
            return Cut.OTHER;
        }
        return switch (ResponseReader.reason(room.reason(failure), cancellation)) {
            case TIMEOUT -> Cut.TIME;
            case BROKEN, CONNECT, TLS -> Cut.DISCONNECT;
            default -> Cut.OTHER;
        };
    }
}
