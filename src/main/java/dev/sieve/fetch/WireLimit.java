package dev.sieve.fetch;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ProtocolException;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import okio.AsyncTimeout;
import org.jspecify.annotations.Nullable;

/**
 * Limits what a server may send without a byte of the body: 512 KiB from the start of a call, and again after each part
 * of the body; and how long it may take until it accepts more of a request, or of the end of a connection.
 *
 * <p>The client collects some lines in memory until they end, however long they are: that of the size of a chunk, the
 * one after a chunk, and the names in a gzip header. The limit also covers the handshake of TLS, interim responses, the
 * header and trailers. It is counted below TLS and the client, where every byte passes.
 *
 * <p>A call runs on one thread, and so do all reads of its sockets. Each thread therefore has a count of its own.
 */
final class WireLimit {
    /** Twice the largest header that the client reads. */
    static final int MAX_BYTES = 512 << 10;

    /** How long a write may take. The system accepts requests at once, unless a server has read nothing for long. */
    private static final int MAX_WRITE_SECONDS = 1;

    private final ThreadLocal<Received> received = ThreadLocal.withInitial(Received::new);

    /** What a thread has read. */
    private static final class Received {
        private int bytes;
        private @Nullable InputStream socket;
    }

    /** Notes that a call begins on this thread, or that it has received a part of the body. */
    void restart() {
        received.get().bytes = 0;
    }

    /** Returns the stream of the socket that this thread has read last. */
    @Nullable
    InputStream lastRead() {
        return received.get().socket;
    }

    InputStream limit(InputStream socket) {
        return new FilterInputStream(socket) {
            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] target, int from, int length) throws IOException {
                Received count = received.get();
                count.socket = in;
                if (count.bytes >= MAX_BYTES) {
                    throw new ProtocolException("more than " + MAX_BYTES + " bytes that are not part of the body");
                }
                int read = super.read(target, from, length);
                count.bytes += Math.max(0, read);
                return read;
            }

            /** Returns 0, since TLS reads all that is available before it closes a socket, which may never end. */
            @Override
            public int available() {
                return 0;
            }
        };
    }

    /** Returns the stream with a limit of time per write, after which its socket is closed. */
    static OutputStream limit(OutputStream stream, Socket socket) {
        AsyncTimeout timeout = new AsyncTimeout() {
            @Override
            protected void timedOut() {
                try {
                    socket.close();
                } catch (IOException e) {
                    // The write fails in any case.
                }
            }
        };
        timeout.timeout(MAX_WRITE_SECONDS, TimeUnit.SECONDS);
        return new FilterOutputStream(stream) {
            @Override
            public void write(byte[] source, int from, int length) throws IOException {
                timeout.enter();
                try {
                    out.write(source, from, length);
                } finally {
                    timeout.exit();
                }
            }
        };
    }
}
