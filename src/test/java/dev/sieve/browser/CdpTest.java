package dev.sieve.browser;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CdpTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    /** A browser that answers each call with its method, and a method that is "silent" not at all. */
    private static final class FakeBrowser extends InputStream {
        private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();
        private final CountDownLatch stuck = new CountDownLatch(1);
        private byte[] message = {};
        private int at;

        private final OutputStream calls = new OutputStream() {
            private final ByteArrayOutputStream utf8 = new ByteArrayOutputStream();

            @Override
            public void write(byte[] part) throws IOException {
                utf8.write(part);
            }

            @Override
            public void write(int end) throws IOException {
                assertThat(end).isZero();
                JsonNode call = Browser.JSON.readTree(utf8.toByteArray());
                utf8.reset();
                String id = "{\"id\":" + call.get("id");
                switch (call.get("method").asText()) {
                    case "silent" -> {}
                    case "wrong" -> messages.add(id + ",\"error\":{\"message\":\"no \\u001b[31m\"}}");
                    case "stuck" -> await();
                    case "body" -> messages.add(id + ",\"result\":" + call.get("params") + "}");
                    default -> messages.add(id + ",\"result\":{\"did\":" + call.get("method") + "}}");
                }
            }
        };

        private void await() throws IOException {
            try {
                stuck.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }

        @Override
        public int read() throws IOException {
            try {
                if (at == message.length) {
                    String next = messages.take();
                    message = next.isEmpty() ? message : (next + "\0").getBytes(UTF_8);
                    at = next.isEmpty() ? at : 0;
                }
                return at == message.length ? -1 : message[at++];
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }

        @Override
        public int read(byte[] target, int from, int length) throws IOException {
            int next = read();
            target[from] = (byte) next;
            return next < 0 ? -1 : 1;
        }

        void end() {
            stuck.countDown();
            messages.add("");
        }
    }

    private final FakeBrowser browser = new FakeBrowser();
    private final Cdp cdp = new Cdp(browser, browser.calls, browser::end);

    private Cdp.Json call(String method, Duration most) throws IOException {
        return cdp.call("", method, Map.of("a", 1), most);
    }

    /** Longer than what is encoded at a time, and of a length that is no multiple of 3. */
    @Test
    void aBodyIsSentInBase64() throws Exception {
        byte[] body = new byte[200_000];
        new Random(1).nextBytes(body);

        Cdp.Json sent = cdp.begin("s", "body", Map.of("requestId", "1"), body).get();

        assertThat(sent.text("requestId")).isEqualTo("1");
        assertThat(Base64.getDecoder().decode(sent.text("body"))).isEqualTo(body);
        assertThat(cdp.begin("s", "body", Map.of("a", "1"), new byte[0]).get().text("body"))
                .isEmpty();
    }

    @Test
    void aCallReturnsItsResult() throws IOException {
        cdp.send("session", "silent", Map.of());

        assertThat(call("one", LONG).text("did")).isEqualTo("one");
        assertThat(call("two", LONG).text("did")).isEqualTo("two");
        cdp.fail("over");
    }

    @Test
    void aCallThatFailsSaysWhyAndTheConnectionStays() throws IOException {
        assertThatThrownBy(() -> call("wrong", LONG))
                .isInstanceOf(IOException.class)
                .hasMessage("no ?[31m");
        assertThat(call("one", LONG).text("did")).isEqualTo("one");
        cdp.fail("over");
    }

    @Test
    void aCallEndsByItsDeadlineAlsoIfTheBrowserReadsNothing() {
        assertThatThrownBy(() -> call("silent", Duration.ofMillis(20))).isInstanceOf(InterruptedIOException.class);
        cdp.send("", "stuck", Map.of());
        assertThatThrownBy(() -> call("one", Duration.ofMillis(20))).isInstanceOf(InterruptedIOException.class);
        cdp.fail("over");
    }

    @Test
    void aBrowserThatReadsNothingForLongIsGivenUp() {
        cdp.send("", "stuck", Map.of());
        for (int i = 0; i < 10_010; i++) {
            cdp.send("", "one", Map.of());
        }

        assertThatThrownBy(() -> call("one", LONG)).hasMessage("the browser reads nothing");
    }

    @Test
    void theEndOfTheBrowserEndsAllCallsAndSessions() {
        Queue<String> events = new ConcurrentLinkedQueue<>();
        cdp.sessions.put("s", (method, params) -> events.add(method));
        browser.messages.add("");

        assertThatThrownBy(() -> call("silent", LONG)).hasMessage("the browser has failed: it has ended");
        assertThatThrownBy(() -> call("one", LONG)).hasMessage("the browser has failed: it has ended");
        assertThat(cdp.isOpen()).isFalse();
        assertThat(events).containsExactly(Cdp.CRASHED);
    }

    @Test
    void whatIsNotJsonEndsTheConnection() {
        browser.messages.add("<html>");

        assertThatThrownBy(() -> call("silent", LONG)).isInstanceOf(IOException.class);
        assertThat(cdp.isOpen()).isFalse();
    }

    @Test
    void aMessageThatCannotBeReadFailsWhatItBelongsTo() throws IOException {
        Queue<String> events = new ConcurrentLinkedQueue<>();
        cdp.sessions.put("s", (method, params) -> events.add(method));
        String deep = "[".repeat(2000) + "]".repeat(2000);
        for (String value : List.of("\"" + "x".repeat(17 << 20) + "\"", deep, "\"\u0001\"", "1".repeat(2000))) {
            browser.messages.add("{\"id\":1,\"result\":{\"did\":" + value + "}}");
            browser.messages.add("{\"method\":\"a\",\"params\":{\"b\":" + value + "},\"sessionId\":\"s\"}");
            browser.messages.add("{\"method\":\"a\",\"params\":{\"b\":" + value + "}}");
        }

        assertThatThrownBy(() -> call("silent", LONG)).hasMessage("a message of the browser cannot be read");
        assertThat(call("one", LONG).text("did")).isEqualTo("one");
        assertThat(events).hasSize(4).containsOnly(Cdp.UNREADABLE);
        cdp.fail("over");
    }

    @Test
    void aListenerThatFailsEndsNothing() throws IOException {
        Queue<String> events = new ConcurrentLinkedQueue<>();
        cdp.sessions.put("s", (method, params) -> {
            events.add(method);
            if (method.equals("a")) {
                throw new IllegalStateException("not understood");
            }
        });
        browser.messages.add("{\"method\":\"a\",\"sessionId\":\"s\"}");

        assertThat(call("one", LONG).text("did")).isEqualTo("one");
        assertThat(events).containsExactly("a", Cdp.UNREADABLE);
        cdp.fail("over");
    }

    @Test
    void eventsGoToTheListenerOfTheirSession() throws IOException {
        Queue<String> events = new ConcurrentLinkedQueue<>();
        cdp.sessions.put("s", (method, params) -> events.add(method + params.number("n")));
        browser.messages.add("{\"method\":\"a\",\"sessionId\":\"s\",\"params\":{\"n\":1}}");
        browser.messages.add("{\"method\":\"b\",\"sessionId\":\"other\",\"params\":{\"n\":2}}");
        browser.messages.add("{\"method\":\"c\",\"sessionId\":\"s\"}");
        call("one", LONG);
        cdp.end("s");
        browser.messages.add("{\"method\":\"d\",\"sessionId\":\"s\"}");
        call("one", LONG);

        assertThat(events).containsExactly("a1", "c0");
        cdp.fail("over");
    }
}
