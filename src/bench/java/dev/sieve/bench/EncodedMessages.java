package dev.sieve.bench;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Messages as gRPC sends them: each is preceded by a byte that says it is not compressed, and by its length. */
final class EncodedMessages {
    private static final int PREFIX = 5;

    byte[] bytes = new byte[1 << 16];
    /** Message i lies from ends[i - 1] to ends[i]. */
    private int[] ends = new int[1024];

    private int size;

    int size() {
        return size;
    }

    /** Returns where the first messages end, in bytes. */
    int end(int messages) {
        return messages == 0 ? 0 : ends[messages - 1];
    }

    void add(MessageLite message) {
        int length = message.getSerializedSize();
        int from = end(size) + PREFIX;
        while (bytes.length < from + length) {
            bytes = Arrays.copyOf(bytes, 2 * bytes.length);
        }
        ByteBuffer.wrap(bytes).putInt(from - Integer.BYTES, length);
        try {
            message.writeTo(CodedOutputStream.newInstance(bytes, from, length));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (size == ends.length) {
            ends = Arrays.copyOf(ends, 2 * size);
        }
        ends[size++] = from + length;
    }
}
