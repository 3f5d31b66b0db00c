package dev.sieve.fetch;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResponseStreamTest {
    private final Wire wire = new Wire();
    private final ResponseStream responses = new ResponseStream(wire);

    /** Sends each part by one read; an empty one takes too long. */
    private void send(String... all) {
        Iterator<String> parts = List.of(all).iterator();
        wire.connect(
                new Wire.In() {
                    @Override
                    public int read(byte[] target, int from, int length) throws IOException {
                        byte[] part = parts.next().getBytes(US_ASCII);
                        if (part.length == 0) {
                            throw new SocketTimeoutException("Read timed out");
                        }
                        System.arraycopy(part, 0, target, from, part.length);
                        return part.length;
                    }
                },
                OutputStream.nullOutputStream());
    }

    @Test
    void aReadThatFailsDoesNotRepeatWhatWasReceived() throws IOException {
        send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", "", "defghij");
        responses.begin();
        assertThat(responses.read()).isEqualTo('H');
        InputStream body = responses.response().body();

        assertThat(body.readNBytes(3)).asString(US_ASCII).isEqualTo("abc");
        assertThatThrownBy(body::read).isInstanceOf(SocketTimeoutException.class);
        assertThat(responses.hasSurplus()).isFalse();
        assertThat(body.readAllBytes()).asString(US_ASCII).isEqualTo("defghij");
    }
}
