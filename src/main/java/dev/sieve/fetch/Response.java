package dev.sieve.fetch;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;

/**
 * A response, of whose body nothing was read. The receiver closes it.
 *
 * @param headers header fields, by their names in lower case, with one value or more
 * @param body the content, in the codings that the header names, but without framing
 * @param length the number of bytes of the body; -1 when it is not known
 */
public record Response(int status, Map<String, List<String>> headers, InputStream body, long length)
        implements Closeable {
    /** Creates a response without content. */
    public Response(int status, Map<String, List<String>> headers) {
        this(status, headers, InputStream.nullInputStream(), 0);
    }

    /** Returns the values of a header field, by its name in lower case. */
    List<String> values(String name) {
        return headers.getOrDefault(name, List.of());
    }

    /** Returns the last value of a header field, by its name in lower case; empty without one. */
    String value(String name) {
        List<String> values = values(name);
        return values.isEmpty() ? "" : values.get(values.size() - 1);
    }

    boolean isSuccess() {
        return status >= 200 && status < 300;
    }

    @Override
    public void close() throws IOException {
        body.close();
    }
}
