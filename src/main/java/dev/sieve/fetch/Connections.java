package dev.sieve.fetch;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import okhttp3.Connection;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.internal.connection.BufferedSocket;
import okhttp3.internal.connection.RealConnection;
import okhttp3.internal.http.RealInterceptorChain;
import okhttp3.internal.http1.Http1ExchangeCodec;
import okio.Buffer;
import okio.BufferedSource;
import org.jspecify.annotations.Nullable;

/**
 * Reads the heads of responses before the client does, and closes connections on which a server has sent bytes that were
 * not requested: they would be read as the beginning of the next response (RFC 9112, sections 6.3 and 9.2). Safe for use
 * by many threads.
 *
 * <p>Such bytes may be at three places: in the socket, in its TLS layer, and in the buffer of the client, which is
 * accessible only through classes of its internal packages.
 */
final class Connections {
    /** The responses before the one to a request, except the switch to another protocol. */
    private static final Pattern INTERIM = Pattern.compile("HTTP/1\\.1 1(?!01)[0-9]{2}\\b");
    /** The statuses without a body, whatever their header says: RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5. */
    private static final Pattern NO_BODY = Pattern.compile("HTTP/1\\.[01] (?:204|205|304)\\b");

    private static final Pattern FRAMING = Pattern.compile("(?imd)^(?:Content-Length|Transfer-Encoding):.*\n");
    /** A list of equal lengths, which is one length: RFC 9110, section 8.6. Possessive, so that a long list needs no stack. */
    private static final Pattern LENGTHS =
            Pattern.compile("(?imd)^(Content-Length:[ \t]*([0-9]+))(?:[ \t]*,[ \t]*\\2)++[ \t]*(\r?)$");
    /** A reference with bytes beyond ASCII, which are escaped: the client would replace those that are not UTF-8. */
    private static final Pattern LOCATION = Pattern.compile("(?imd)^Location:.*[^\\x00-\\x7F].*$");

    private final WireLimit wire;
    private final Map<Connection, State> states = new WeakHashMap<>();

    private static final class State {
        private final BufferedSocket buffers;
        private volatile @Nullable InputStream socket;
        private @Nullable Object user;

        State(BufferedSocket buffers, Object user) {
            this.buffers = buffers;
            this.user = user;
        }

        /** Throws when the connection is closed. */
        boolean hasSurplus(Connection connection) throws IOException {
            InputStream raw = socket;
            return (raw != null && raw.available() > 0)
                    || connection.socket().getInputStream().available() > 0
                    || buffers.getSource().getBuffer().size() > 0;
        }
    }

    Connections(WireLimit wire) {
        this.wire = wire;
    }

    /** Notes that a call begins to use its connection; returns whether an earlier one has. Throws when the server has sent something since. */
    synchronized boolean use(OkHttpClient client, Interceptor.Chain chain, Object user) throws IOException {
        RealConnection connection = (RealConnection) Objects.requireNonNull(chain.connection());
        State state = states.get(connection);
        if (state == null) {
            Http1ExchangeCodec codec =
                    (Http1ExchangeCodec) connection.newCodec$okhttp(client, (RealInterceptorChain) chain);
            states.put(connection, new State(codec.getSocket(), user));
            return false;
        }
        state.user = user;
        try {
            if (!state.hasSurplus(connection)) {
                return true;
            }
        } catch (IOException e) {
            throw ResponseReader.closed(e);
        }
        throw ResponseReader.surplus();
    }

    /** Sends the request that was written, and corrects the head of its response before the client reads it. */
    void receive(Connection connection) throws IOException {
        State state;
        synchronized (this) {
            state = Objects.requireNonNull(states.get(connection));
        }
        state.buffers.getSink().flush();
        BufferedSource source = state.buffers.getSource();
        String head = readHead(source);
        while (INTERIM.matcher(head).lookingAt()) {
            head = readHead(source);
        }
        state.socket = wire.lastRead();
        Buffer rest = new Buffer();
        rest.writeAll(source.getBuffer());
        source.getBuffer().writeString(corrected(head), ISO_8859_1).writeAll(rest);
    }

    /** Reads a head and the empty line after it, as far as they are received and not too long. */
    private static String readHead(BufferedSource source) throws IOException {
        long start = 0;
        long end;
        do {
            end = source.indexOf((byte) '\n', start, WireLimit.MAX_BYTES / 2);
            boolean isLast = end <= start + 1;
            start = Math.max(start, end + 1);
            if (isLast) {
                return source.readString(start, ISO_8859_1);
            }
        } while (true);
    }

    private static String corrected(String head) {
        String body = NO_BODY.matcher(head).lookingAt()
                ? FRAMING.matcher(head).replaceAll("").replaceFirst("\n", "\nContent-Length: 0\r\n")
                : LENGTHS.matcher(head).replaceAll("$1$3");
        return LOCATION.matcher(body)
                .replaceAll(line -> line.group()
                        .chars()
                        .mapToObj(c -> c < 0x80 ? Character.toString(c) : String.format("%%%02X", c))
                        .collect(Collectors.joining()));
    }

    /** Makes a connection end with its present call. */
    static void closeAfterCall(Connection connection) {
        ((RealConnection) connection).noNewExchanges();
    }

    /** Closes a connection, without waiting for the server as its TLS layer would. */
    static void close(@Nullable Connection connection) {
        ((RealConnection) Objects.requireNonNull(connection)).cancel();
    }

    /**
     * Closes the connection of a call that has ended if there is more on it than the response, and no other call uses it;
     * returns whether there was.
     */
    boolean leave(Connection connection, Object user) {
        synchronized (this) {
            State state = states.get(connection);
            if (state == null || state.user != user) {
                return false;
            }
            state.user = null;
            try {
                if (!state.hasSurplus(connection)) {
                    return false;
                }
            } catch (IOException e) {
                return false;
            }
        }
        close(connection);
        return true;
    }
}
