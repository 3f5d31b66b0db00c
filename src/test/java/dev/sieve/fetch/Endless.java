package dev.sieve.fetch;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.InputStream;
import java.util.function.LongFunction;

/** A file of one beginning and parts without end, made as it is read. */
public final class Endless extends InputStream {
    private final LongFunction<String> part;
    private byte[] bytes;
    private int position;
    private long parts;

    public Endless(String start, LongFunction<String> part) {
        this.part = part;
        bytes = start.getBytes(UTF_8);
    }

    @Override
    public int read() {
        while (position == bytes.length) {
            bytes = part.apply(parts++).getBytes(UTF_8);
            position = 0;
        }
        return bytes[position++] & 0xff;
    }

    @Override
    public int read(byte[] target, int from, int length) {
        for (int i = 0; i < length; i++) {
            target[from + i] = (byte) read();
        }
        return length;
    }
}
