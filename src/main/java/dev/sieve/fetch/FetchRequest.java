package dev.sieve.fetch;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A request for a URL, with all that a {@link PageFetcher} needs to make it.
 *
 * @param fields header fields of this request alone, such as conditions: if the page is not modified, the result is a
 *     page with the status 304 and without a body
 * @param body what is read of the body
 * @param watch follows the request
 * @param head receives a function that returns the values of a header field, when the head of the response has arrived
 * @param cookies those of the site, of which the fields have the ones for this URL; they are for what the page needs
 */
public record FetchRequest(
        String url,
        Map<String, String> fields,
        Body body,
        Watch watch,
        Consumer<Function<String, List<String>>> head,
        List<Cookie> cookies) {
    /** What is read of a body. */
    public sealed interface Body {
        /** Documents. */
        Body DOCUMENT = new Kept(false, 0);

        /** Bodies of any type. */
        Body ANY_TYPE = new Kept(true, 0);

        /**
         * Nothing: a page has an empty body. If exchanges are kept, the body is read for them, since readers of
         * archives refuse one that is shorter than announced.
         */
        Body NONE = new None();

        /** Bodies of any type, up to a number of bytes. */
        static Body upTo(int bytes) {
            return new Kept(true, bytes);
        }

        /**
         * A body of any type, which is passed to a reader while it arrives, if the status is 2xx. The page is then
         * without its body. The deadline includes the work of the reader, which is called at most once, by the thread
         * that makes the request. A {@link RuntimeException} of the reader is thrown; an {@link IOException}
         * counts as an incomplete body.
         */
        static Body to(BodyReader reader) {
            return new Streamed(reader);
        }
    }

    /** Reads a decoded response body while it arrives. */
    @FunctionalInterface
    public interface BodyReader {
        /** Reads as much of the body as needed; throws when the body is incomplete or the deadline has passed. */
        void read(InputStream body) throws IOException;
    }

    /** A body that is part of the result, up to a limit; 0 for that of the fetcher. */
    record Kept(boolean anyType, int limit) implements Body {}

    record None() implements Body {}

    /** A body that is passed on. */
    record Streamed(BodyReader reader) implements Body {}

    /** Follows a request. */
    public interface Watch {
        /** Lets each request be sent. */
        Watch NONE = new Watch() {};

        /**
         * Called at the last moment before the request is sent.
         *
         * @param host of the URL, as {@link dev.sieve.url.UrlParts#host} returns it
         * @return whether to send it; if not, the result is {@link FetchResult.NotSent}
         */
        default boolean maySend(String host) {
            return true;
        }

        /**
         * Returns whether another URL that the page needs may be requested: robots.txt allows it, and its host has a
         * turn. May wait for both.
         *
         * @param obeysRobots whether robots.txt can forbid it
         * @param cancels receives what ends the wait
         */
        default boolean allows(String url, boolean obeysRobots, Consumer<Runnable> cancels) {
            return true;
        }

        /** Called before the request begins, with what ends it at any time. */
        default void begins(Runnable cancel) {}

        /**
         * Called by any thread before a connection is opened, and again before the request is sent over one.
         *
         * @param address of the server; null when only a proxy has it
         * @return whether to use it; if not, the result is {@link FetchResult.NotSent}
         */
        default boolean mayUse(@Nullable InetAddress address, boolean isConnected) {
            return true;
        }

        /** Called when the head of the response has arrived, whatever it is. */
        default void responded() {}
    }

    /** Creates an unconditional request for a document. */
    public FetchRequest(String url) {
        this(url, Map.of(), Body.DOCUMENT, Watch.NONE, values -> {}, List.of());
    }

    /** Returns the same request with other conditions. */
    public FetchRequest onlyIf(Map<String, String> conditions) {
        Map<String, String> all = new LinkedHashMap<>(fields);
        all.keySet().removeIf(name -> name.startsWith("If-"));
        all.putAll(conditions);
        return new FetchRequest(url, all, body, watch, head, cookies);
    }

    /** Returns the same request with one more header field. */
    public FetchRequest with(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(fields);
        more.put(name, value);
        return new FetchRequest(url, more, body, watch, head, cookies);
    }

    /** Returns the same request for another part of the body. */
    public FetchRequest reading(Body other) {
        return new FetchRequest(url, fields, other, watch, head, cookies);
    }

    /** Returns the same request with another watch. */
    public FetchRequest watchedBy(Watch other) {
        return new FetchRequest(url, fields, body, other, head, cookies);
    }

    /** Returns the same request with another receiver of the head. */
    public FetchRequest headTo(Consumer<Function<String, List<String>>> other) {
        return new FetchRequest(url, fields, body, watch, other, cookies);
    }

    /** Returns the same request with the cookies of its site. */
    public FetchRequest with(List<Cookie> others) {
        return new FetchRequest(url, fields, body, watch, head, others);
    }
}
