package dev.sieve.fetch;

import dev.sieve.fetch.Exchange.Cut;
import dev.sieve.fetch.FetchResult.Reason;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Proxy;
import java.net.Socket;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Objects;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import okio.BufferedSource;
import okio.ForwardingSource;
import okio.Okio;
import org.jspecify.annotations.Nullable;

/** Keeps what is sent and received by one call, as it is on the wire. Used by the thread of the call. */
final class Capture {
    private static final int PART = 8 << 10;

    private final String url;
    private final int limit;
    private BodyMemory.@Nullable Body room;
    private final Buffer body = new Buffer();
    private @Nullable Heads heads;
    private @Nullable IOException failure;
    private boolean isComplete;
    private boolean isLonger;

    /** What comes before the body of the response; the address is null when a proxy was between. */
    private record Heads(
            Instant time, @Nullable InetAddress address, String request, String response, BufferedSource source) {}

    /** Creates a capture of nothing that keeps so many bytes of the body. */
    Capture(String url, int limit) {
        this.url = url;
        this.limit = limit;
    }

    /** Sets the memory of the body, before the call begins. */
    void use(BodyMemory.Body memory) {
        room = memory;
    }

    private BodyMemory.Body room() {
        return Objects.requireNonNull(room, "no memory yet");
    }

    /** Keeps the heads; returns the response, of which all that is read from its body is kept, too. */
    Response of(Proxy.Type proxy, Socket socket, Response received) {
        InetAddress address = proxy == Proxy.Type.DIRECT ? socket.getInetAddress() : null;
        String request = requestHead(received.request(), proxy);
        String response = received.protocol().toString().toUpperCase(Locale.ROOT) + " " + received.code() + " "
                + received.message() + "\r\n" + fields(received.headers());
        long announced = received.body().contentLength();
        room().expect(announced < 0 ? limit : Math.min(announced, limit));
        BufferedSource source = Okio.buffer(kept(received.body().source()));
        heads = new Heads(Instant.ofEpochMilli(received.sentRequestAtMillis()), address, request, response, source);
        return received.newBuilder()
                .body(ResponseBody.create(source, received.body().contentType(), announced))
                .build();
    }

    private static String requestHead(Request sent, Proxy.Type proxy) {
        HttpUrl url = sent.url();
        String query = url.encodedQuery() == null ? "" : "?" + url.encodedQuery();
        boolean isWhole = proxy == Proxy.Type.HTTP && !url.isHttps();
        String target = isWhole ? url.toString() : url.encodedPath() + query;
        return sent.method() + " " + target + " HTTP/1.1\r\n" + fields(sent.headers());
    }

    private static String fields(Headers headers) {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < headers.size(); i++) {
            lines.append(headers.name(i)).append(": ").append(headers.value(i)).append("\r\n");
        }
        return lines.append("\r\n").toString();
    }

    private ForwardingSource kept(BufferedSource wire) {
        return new ForwardingSource(wire) {
            @Override
            public long read(Buffer sink, long byteCount) throws IOException {
                long rest = limit - body.size();
                room().growRaw(body.size() + Math.min(rest, byteCount));
                long read;
                try {
                    read = super.read(sink, byteCount);
                } catch (IOException e) {
                    failure = e;
                    throw e;
                }
                isComplete |= read < 0;
                isLonger |= read > rest;
                if (read > 0) {
                    // Copied, since sharing could keep other bytes of the response in memory with it.
                    sink.copyTo(body.outputStream(), sink.size() - read, Math.min(read, rest));
                }
                return read;
            }
        };
    }

    /** Reads what was not read of the body, up to the limit. */
    void readRest(WireLimit wire) {
        Buffer read = new Buffer();
        try {
            while (heads != null && !isComplete && !isLonger && failure == null) {
                heads.source.read(read, PART);
                read.clear();
                wire.restart();
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
        room().keep(bytes);
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
        return switch (ResponseReader.reason(room().reason(failure), cancellation)) {
            case TIMEOUT -> Cut.TIME;
            case BROKEN, CONNECT, TLS -> Cut.DISCONNECT;
            default -> Cut.OTHER;
        };
    }
}
