package dev.sieve.browser;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.jr.ob.JSON;
import dev.sieve.url.Printable;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A connection to a browser by the <a href="https://chromedevtools.github.io/devtools-protocol/">DevTools protocol</a>,
 * on pipes: each message is an object of JSON that ends in a null byte.
 *
 * <p>One thread reads and one writes, so that a call ends by its deadline even if the browser reads nothing. When the
 * connection fails, all calls fail. A message that cannot be read, or is too long, fails the call or the session to
 * which it belongs, since pages decide what is in messages. Safe for use by many threads.
 */
final class Cdp {
    /** Longer messages cannot be read. */
    private static final int MAX_MESSAGE = 4 << 20;
    /** The event of a session whose page has ended, or the browser. */
    static final String CRASHED = "Inspector.targetCrashed";
    /** The event of a session of which a message cannot be read, or was not understood. */
    static final String UNREADABLE = "unreadable";

    /** The beginning and the end of messages, which pages cannot make. */
    private static final Pattern ID = Pattern.compile("\\{\"id\":(\\d{1,9})[,}]");

    private static final int ENDING = 100;
    private static final Pattern SESSION = Pattern.compile("\"sessionId\":\"([^\"]+)\"}$");

    /** Names of pages are as long as those of their header fields, and not kept. */
    private static final JSON READER = JSON.builder(JsonFactory.builder()
                    .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNameLength(MAX_MESSAGE)
                            .build())
                    .build())
            .build();

    /** More messages that the browser has not read mean that it hangs. */
    private static final int MAX_WAITING = 10_000;

    static final byte[] NONE = {};
    private static final Message END = new Message(NONE, NONE, NONE);
    /** How much of a body is encoded at a time: a multiple of 3. */
    private static final int CHUNK = 3 << 14;

    private final Runnable end;
    private final BlockingQueue<Message> outgoing = new LinkedBlockingQueue<>(MAX_WAITING);
    private final Map<Integer, Call> calls = new ConcurrentHashMap<>();
    /** What receives the events of a session, their names and parameters, by the thread that reads: it must not wait. */
    final Map<String, BiConsumer<String, Json>> sessions = new ConcurrentHashMap<>();

    private final AtomicInteger lastId = new AtomicInteger();
    /** Fails when the connection does. */
    private final CompletableFuture<Json> failure = new CompletableFuture<>();

    /** What is sent: JSON, and a body in base64 between its parts. */
    @SuppressWarnings("ArrayRecordComponent") // a body is too large to be copied
    private record Message(byte[] first, byte[] body, byte[] last) {
        void write(OutputStream out) throws IOException {
            out.write(first);
            for (int i = 0; i < body.length; i += CHUNK) {
                byte[] chunk = Arrays.copyOfRange(body, i, Math.min(body.length, i + CHUNK));
                out.write(Base64.getEncoder().encode(chunk));
            }
            out.write(last);
            out.write(0);
            out.flush();
        }
    }

    /** A call of a session that has no result yet. */
    private record Call(String session, CompletableFuture<Json> result) {}

    /** An object that the browser has sent. A field that is missing, or of another type, is empty. */
    record Json(Map<?, ?> fields) {
        Json at(String name) {
            return new Json(fields.get(name) instanceof Map<?, ?> map ? map : Map.of());
        }

        String text(String name) {
            return fields.get(name) instanceof String text ? text : "";
        }

        int number(String name) {
            return fields.get(name) instanceof Number number ? number.intValue() : 0;
        }
    }

    /** Begins to read and write; when the connection fails, the browser is ended, and with it the pipes. */
    Cdp(InputStream in, OutputStream out, Runnable end) {
        this.end = end;
        InputStream buffered = new BufferedInputStream(in, 64 << 10);
        start("sieve-browser-read", () -> {
            while (isOpen()) {
                receive(buffered);
            }
            return null;
        });
        start("sieve-browser-write", () -> {
            for (Message message = outgoing.take(); message.last.length > 0; message = outgoing.take()) {
                message.write(out);
            }
            return null;
        });
    }

    private void start(String name, Callable<?> work) {
        Runnable run = () -> {
            try {
                work.call();
            } catch (Exception | Error e) {
                fail("the browser has failed: " + e.getMessage());
            }
        };
        Thread thread = new Thread(run, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void receive(InputStream in) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        boolean isWhole = true;
        for (int next = in.read(); next != 0; next = in.read()) {
            if (next < 0) {
                throw new EOFException("it has ended");
            } else if (bytes.size() == MAX_MESSAGE) {
                isWhole = false;
                byte[] most = bytes.toByteArray();
                bytes.reset();
                bytes.write(most, 0, ENDING);
                bytes.write(most, most.length - ENDING, ENDING);
            }
            bytes.write(next);
        }
        byte[] text = bytes.toByteArray();
        try {
            Json message = isWhole ? new Json(READER.mapFrom(text)) : unreadable(text);
            received(message);
        } catch (IOException e) {
            received(unreadable(text));
        }
    }

    /** Returns what a message that cannot be read belongs to, as an error. */
    private static Json unreadable(byte[] message) throws IOException {
        String text = new String(message, ISO_8859_1);
        Matcher id = ID.matcher(text);
        Matcher session = SESSION.matcher(text.substring(Math.max(0, text.length() - ENDING)));
        if (!text.startsWith("{")) {
            throw new IOException("it sends something else than messages");
        }
        return new Json(Map.of(
                "id",
                id.lookingAt() ? Integer.valueOf(id.group(1)) : 0,
                "method",
                UNREADABLE,
                "error",
                Map.of("message", "a message of the browser cannot be read"),
                "sessionId",
                session.find() ? session.group(1) : ""));
    }

    private void received(Json message) {
        Call call = calls.remove(message.number("id"));
        BiConsumer<String, Json> listener = sessions.get(message.text("sessionId"));
        if (call != null && message.fields().containsKey("error")) {
            String problem = Printable.of(message.at("error").text("message"));
            call.result.completeExceptionally(new IOException(problem));
        } else if (call != null) {
            call.result.complete(message.at("result"));
        } else if (listener != null) {
            try {
                listener.accept(message.text("method"), message.at("params"));
            } catch (RuntimeException e) {
                // What a page sends ends nothing but its own rendering.
                listener.accept(UNREADABLE, new Json(Map.of()));
            }
        }
    }

    /** Ends the connection and the browser for a reason. */
    void fail(String reason) {
        failure.completeExceptionally(new IOException(reason));
        calls.values().forEach(call -> call.result.completeExceptionally(new IOException(reason)));
        outgoing.clear();
        outgoing.offer(END);
        sessions.values().forEach(listener -> listener.accept(CRASHED, new Json(Map.of())));
        end.run();
    }

    boolean isOpen() {
        return !failure.isDone();
    }

    /** Calls a method without waiting for its result. */
    void send(String session, String method, Map<String, ?> params) {
        write(lastId.incrementAndGet(), session, method, params, NONE);
    }

    /**
     * Calls a method, in a session unless that is empty, and returns its result to come, which fails with the
     * connection. The body is a further parameter, unless it is {@link #NONE}, and used until the result is there.
     */
    CompletableFuture<Json> begin(String session, String method, Map<String, ?> params, byte[] body) {
        int id = lastId.incrementAndGet();
        CompletableFuture<Json> result = new CompletableFuture<>();
        calls.put(id, new Call(session, result));
        write(id, session, method, params, body);
        return isOpen() ? result : failure;
    }

    /** Calls a method in the same way; throws an {@link InterruptedIOException} if it takes too long. */
    Json call(String session, String method, Map<String, ?> params, Duration most) throws IOException {
        CompletableFuture<Json> result = begin(session, method, params, NONE);
        try {
            return get(result, most);
        } finally {
            calls.values().removeIf(call -> call.result == result);
        }
    }

    /** Ends a session: no one receives its events, and its calls fail. */
    void end(String session) {
        sessions.remove(session);
        calls.values()
                .removeIf(call -> call.session.equals(session)
                        && call.result.completeExceptionally(new IOException("the tab was closed")));
    }

    /** Waits for a result; throws an {@link InterruptedIOException} if it takes too long. */
    static Json get(CompletableFuture<Json> result, Duration most) throws IOException {
        try {
            return result.get(most.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw new IOException(Objects.requireNonNull(e.getCause()).getMessage(), e);
        } catch (TimeoutException e) {
            throw new InterruptedIOException("no response in time");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private void write(int id, String session, String method, Map<String, ?> params, byte[] body) {
        try {
            String call = JSON.std.asString(Map.of("id", id, "method", method, "sessionId", session));
            String others = JSON.std.asString(params);
            String first = call.substring(0, call.length() - 1) + ",\"params\":"
                    + (body == NONE ? others : others.substring(0, others.length() - 1) + ",\"body\":\"");
            Message message = new Message(first.getBytes(UTF_8), body, (body == NONE ? "}" : "\"}}").getBytes(UTF_8));
            if (isOpen() && !outgoing.offer(message)) {
                fail("the browser reads nothing");
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
