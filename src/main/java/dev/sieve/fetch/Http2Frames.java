package dev.sieve.fetch;

import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.util.concurrent.Semaphore;

/**
 * The frames of a connection by HTTP/2 (RFC 9113) with one request. The client reads them on a thread of its own, and
 * ahead of what is needed: up to 16 MiB of a body, and any number of other frames, for each of which it may queue a
 * task. Here it receives at most 256 KiB of the body ahead of the call, which {@linkplain #taken takes} parts of it,
 * and a thousand other frames. It would accept pushed responses; the server is told not to send any, and a promise of
 * one ends the connection.
 */
final class Http2Frames {
    private static final int MAX_AHEAD = 256 << 10;
    /** Most frames without a part of the body. */
    private static final int MAX_OTHERS = 1000;

    private static final int PREFACE = 24;
    private static final int HEADER = 9;
    private static final int DATA = 0;
    private static final int PUSH_PROMISE = 5;
    /** A frame SETTINGS that says ENABLE_PUSH 0. */
    private static final byte[] NO_PUSH = {0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0};

    private final Wire wire;
    private final Start start;
    private final byte[] header = new byte[HEADER];
    /** How much of the header the client has received, and how much is left of what follows it. */
    private int given = HEADER;

    private int left;
    private int others;
    private int written;
    private final Semaphore ahead = new Semaphore(MAX_AHEAD);

    /** What is done before the first byte is sent. */
    @FunctionalInterface
    interface Start {
        void run() throws IOException;
    }

    Http2Frames(Wire wire, Start start) {
        this.wire = wire;
        this.start = start;
    }

    /** Notes that the call has read a part of the body. */
    void taken(int bytes) {
        ahead.release(bytes);
    }

    /** Lets the client read, which finds out that the connection is closed. */
    void close() {
        ahead.release(MAX_AHEAD);
    }

    InputStream in() {
        return new Wire.In() {
            @Override
            public int read(byte[] target, int from, int length) throws IOException {
                if (given == HEADER && left == 0 && !beginFrame()) {
                    return -1;
                }
                if (given < HEADER) {
                    int count = Math.min(length, HEADER - given);
                    System.arraycopy(header, given, target, from, count);
                    given += count;
                    return count;
                }
                int count = wire.receive(target, from, Math.min(length, left));
                left -= Math.max(0, count);
                return count;
            }
        };
    }

    private boolean beginFrame() throws IOException {
        for (int count = 0; count < HEADER; ) {
            int read = wire.receive(header, count, HEADER - count);
            if (read < 0) {
                return false;
            }
            count += read;
        }
        given = 0;
        left = ((header[0] & 0xff) << 16) | ((header[1] & 0xff) << 8) | (header[2] & 0xff);
        if (header[3] == PUSH_PROMISE) {
            throw new ProtocolException("PUSH_PROMISE, although it was switched off");
        } else if (header[3] == DATA && left > 0) {
            ahead.acquireUninterruptibly(Math.min(left, MAX_AHEAD));
            wire.countAgain();
        } else {
            others++;
            if (others > MAX_OTHERS) {
                throw new ProtocolException("more than " + MAX_OTHERS + " frames that are not part of the body");
            }
        }
        return true;
    }

    /** Sends what the client has written, and a frame after the preface. */
    void send(byte[] source, int from, int length) throws IOException {
        if (written == 0) {
            start.run();
        }
        int preface = Math.min(length, PREFACE - written);
        wire.send(source, from, preface);
        written += preface;
        if (preface > 0 && written == PREFACE) {
            wire.send(NO_PUSH, 0, NO_PUSH.length);
        }
        wire.send(source, from + preface, length - preface);
    }
}
