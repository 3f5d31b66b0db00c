package dev.sieve.fetch;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ProtocolException;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import okio.AsyncTimeout;

/**
 * What passes between this program and a server, below and above TLS.
 *
 * <p>A server may send 512 KiB without a byte of a body: from the start of a call, and again after each part of the
 * body. This covers the handshake of TLS, interim responses, the head, lines between chunks, and trailers. A write may
 * take 5 seconds: the system accepts it at once, unless the server has read nothing for long,
 * or this machine is overloaded.
 */
final class Wire {
    /** Twice the largest head. */
    static final int MAX_BYTES = 512 << 10;

    private static final int MAX_WRITE_SECONDS = 5;

    private int received;
    private InputStream socket = InputStream.nullInputStream();
    private InputStream in = socket;
    private OutputStream out = OutputStream.nullOutputStream();

    /** A stream of which a byte is read as any other number of them. */
    abstract static class In extends InputStream {
        @Override
        public final int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public abstract int read(byte[] target, int from, int length) throws IOException;
    }

    /** A stream to which a byte is written as any other number of them. */
    @FunctionalInterface
    interface Writer {
        void write(byte[] source, int from, int length) throws IOException;
    }

    static OutputStream stream(Writer writer) {
        return new OutputStream() {
            @Override
            public void write(int one) throws IOException {
                writer.write(new byte[] {(byte) one}, 0, 1);
            }

            @Override
            public void write(byte[] source, int from, int length) throws IOException {
                writer.write(source, from, length);
            }
        };
    }

    /** Sets the streams of the socket. */
    void connect(InputStream from, OutputStream to) {
        socket = from;
        use(raw(), to);
    }

    /** Sets the streams above TLS. */
    void use(InputStream plain, OutputStream to) {
        in = plain;
        out = to;
    }

    /** Returns a limited stream of what the socket receives. */
    InputStream raw() {
        return new In() {
            @Override
            public int read(byte[] target, int from, int length) throws IOException {
                if (received >= MAX_BYTES) {
                    throw new ProtocolException("more than " + MAX_BYTES + " bytes that are not part of the body");
                }
                int read = socket.read(target, from, length);
                received += Math.max(0, read);
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
    static OutputStream limited(OutputStream stream, Socket socket) {
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
        return stream((source, from, length) -> {
            timeout.enter();
            try {
                stream.write(source, from, length);
            } finally {
                timeout.exit();
            }
        });
    }

    /** Notes that a part of a body was received, or that a call begins. */
    void countAgain() {
        received = 0;
    }

    /** Reads what was received, without TLS. */
    int receive(byte[] target, int from, int length) throws IOException {
        return in.read(target, from, length);
    }

    /** Returns how many bytes can be read at once, with TLS or without. */
    int available() throws IOException {
        return socket.available() + in.available();
    }

    /** Sends bytes, with TLS if it is used. */
    void send(byte[] source, int from, int length) throws IOException {
        out.write(source, from, length);
    }

    OutputStream out() {
        return out;
    }
}
