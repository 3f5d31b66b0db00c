package dev.sieve.fetch;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sieve.url.Printable;
import java.io.IOException;
import java.net.ProtocolException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The responses of HTTP/1.1 (RFC 9112) in the bytes of a connection.
 *
 * <p>The client reads this stream. In place of each response it receives one that says nothing and has one byte as its
 * body, so that it acts on none, and does not use the connection again before the response was {@linkplain #release
 * released}. It is used by the thread of one call at a time.
 */
final class ResponseStream extends Wire.In {
    /** Most bytes of a head. */
    private static final int MAX_HEAD = 256 << 10;

    private static final byte[] STAND_IN = "HTTP/1.1 200\r\nContent-Length: 1\r\n\r\n.".getBytes(US_ASCII);
    private static final int SWITCHING_PROTOCOLS = 101;
    /** The statuses without a body, whatever their header says: RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5. */
    private static final Set<Integer> NO_BODY = Set.of(204, 205, 304);

    private static final String CHUNKED = "chunked";
    private static final Pattern DIGITS = Pattern.compile("[0-9]{1,18}");
    private static final Pattern CHUNK_SIZE = Pattern.compile("0*([0-9a-fA-F]{1,15})");
    /** How much of a line is kept: more than the size of a chunk. */
    private static final int MAX_LINE = 64;

    private final Wire wire;
    private final byte[] buffer = new byte[8 << 10];
    private int next;
    private int end;
    private @Nullable ResponseHead head;
    private @Nullable Body body;
    /** How much of the stand-in the client has read, and may read. */
    private int given;

    private int allowed;

    ResponseStream(Wire wire) {
        this.wire = wire;
    }

    /** Begins a call: the client has not yet read its response. */
    void begin() {
        head = null;
        body = null;
        given = 0;
        allowed = STAND_IN.length - 1;
    }

    /** Returns the head of the response, after the client has read it. */
    ResponseHead head() {
        return Objects.requireNonNull(head, "no response yet");
    }

    /** Lets the client use the connection again. */
    void release() {
        allowed = STAND_IN.length;
    }

    /** Returns whether bytes were received that do not belong to a response. */
    boolean hasSurplus() throws IOException {
        return next < end || wire.available() > 0;
    }

    @Override
    public int read(byte[] target, int from, int length) throws IOException {
        if (head == null) {
            head = readHead();
        }
        int count = Math.min(length, allowed - given);
        System.arraycopy(STAND_IN, given, target, from, count);
        given += count;
        return count == 0 ? -1 : count;
    }

    /** Reads the head of the next response that is not an interim one. */
    ResponseHead readHead() throws IOException {
        ResponseHead read;
        do {
            read = ResponseHead.parse(headBytes());
        } while (read.response().status() < 200 && read.response().status() != SWITCHING_PROTOCOLS);
        return read;
    }

    /** Returns the lines up to an empty one. */
    private String headBytes() throws IOException {
        StringBuilder bytes = new StringBuilder(MAX_LINE);
        int lineLength = 0;
        while (true) {
            int one = needed();
            bytes.append((char) one);
            if (one != '\n') {
                lineLength += one == '\r' ? 0 : 1;
            } else if (lineLength == 0) {
                return bytes.toString();
            } else {
                lineLength = 0;
            }
            if (bytes.length() > MAX_HEAD) {
                throw new ProtocolException("a head of more than " + MAX_HEAD + " bytes");
            }
        }
    }

    /**
     * Returns the response.
     *
     * @throws ProtocolException when it cannot be meant, or does not say where it ends
     */
    Response response() throws ProtocolException {
        Response response = head().response();
        if (response.status() < 200) {
            throw new ProtocolException("status " + response.status());
        }
        List<String> codings = response.values("transfer-encoding");
        if (!codings.stream().allMatch(each -> each.equalsIgnoreCase(CHUNKED) || each.equalsIgnoreCase("identity"))) {
            throw new ProtocolException("Transfer-Encoding " + codings);
        }
        boolean isChunked = !codings.isEmpty() && CHUNKED.equalsIgnoreCase(codings.get(codings.size() - 1));
        // RFC 9110, section 8.6: a list of equal lengths is one length.
        List<String> lengths = list(isChunked ? List.of() : response.values("content-length"));
        if (lengths.size() > 1 || lengths.stream().anyMatch(each -> each.startsWith("-"))) {
            throw new ProtocolException("Content-Length " + lengths);
        }
        boolean isKnown = !lengths.isEmpty() && DIGITS.matcher(lengths.get(0)).matches();
        long length = NO_BODY.contains(response.status()) ? 0 : isKnown ? Long.parseLong(lengths.get(0)) : -1;
        Body of = new Body(isChunked && length < 0, length);
        body = of;
        return new Response(response.status(), response.headers(), of, length);
    }

    /** Returns the different elements of a header field. */
    private static List<String> list(List<String> values) {
        return values.stream()
                .flatMap(each -> Stream.of(each.split(",")))
                .map(String::strip)
                .distinct()
                .toList();
    }

    /** Returns whether all of the response was read. */
    boolean isOver() {
        return body != null && body.isOver;
    }

    /** Returns whether the server may send other responses after this one. */
    boolean mayBeKept() {
        List<String> connection = list(head().response().values("connection"));
        boolean isKept = head().isVersion10
                ? connection.stream().anyMatch("keep-alive"::equalsIgnoreCase)
                : connection.stream().noneMatch("close"::equalsIgnoreCase);
        return isKept && body != null && !body.endsWithConnection;
    }

    /** The body of the response, without the framing of chunks. */
    private final class Body extends Wire.In {
        private final boolean isChunked;
        private final boolean endsWithConnection;
        /** How much is left of the body or, if it is chunked, of the present chunk. */
        private long left;

        private boolean hasChunk;
        private boolean isOver;

        Body(boolean isChunked, long length) {
            this.isChunked = isChunked;
            endsWithConnection = !isChunked && length < 0;
            left = isChunked ? 0 : endsWithConnection ? Long.MAX_VALUE : length;
            isOver = length == 0;
        }

        @Override
        public int read(byte[] target, int from, int length) throws IOException {
            if (isChunked && left == 0 && !isOver) {
                beginChunk();
            }
            if (isOver) {
                return -1;
            }
            int count = take(target, from, (int) Math.min(length, left));
            if (count < 0 && !endsWithConnection) {
                throw new ProtocolException(ContentCoding.END);
            }
            isOver = count < 0 || (!isChunked && left == count);
            left -= Math.max(0, count);
            wire.countAgain();
            return count;
        }

        private void beginChunk() throws IOException {
            if (hasChunk) {
                line();
            }
            hasChunk = true;
            String line = line();
            String size = line.split(";", 2)[0].trim();
            if (!CHUNK_SIZE.matcher(size).matches()) {
                throw new ProtocolException("the size of a chunk is " + Printable.of(line));
            }
            left = Long.parseLong(size, 16);
            if (left == 0) {
                String trailer = "trailer";
                while (!trailer.isEmpty()) {
                    trailer = line();
                }
                isOver = true;
            }
        }
    }

    /** Reads a line; returns its beginning, without its end. */
    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int one = needed(); one != '\n'; one = needed()) {
            if (line.length() < MAX_LINE) {
                line.append((char) one);
            }
        }
        return line.toString().replaceFirst("\r$", "");
    }

    private int needed() throws IOException {
        if (next == end && !fill()) {
            throw new ProtocolException(ContentCoding.END);
        }
        return buffer[next++] & 0xff;
    }

    private boolean fill() throws IOException {
        end = Math.max(0, wire.receive(buffer, 0, buffer.length));
        // Not before: a read that fails leaves nothing to read.
        next = 0;
        return end > 0;
    }

    private int take(byte[] target, int from, int length) throws IOException {
        if (next == end && length >= buffer.length) {
            return wire.receive(target, from, length);
        } else if (next == end && length > 0 && !fill()) {
            return -1;
        }
        int count = Math.min(length, end - next);
        System.arraycopy(buffer, next, target, from, count);
        next += count;
        return count;
    }
}
