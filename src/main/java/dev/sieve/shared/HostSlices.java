package dev.sieve.shared;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.bloom.Murmur3;
import java.util.Arrays;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Assigns hosts to slices: all hosts of a group are in one slice. The host of a URL is what stands between {@code //}
 * and the path, without user and port; it is empty where there is no {@code //}.
 *
 * @param groupOfHost returns the name of a host's group; null: each host is a group
 */
record HostSlices(int sliceCount, long seed, @Nullable UnaryOperator<String> groupOfHost) {
    static String host(String url) {
        byte[] utf8 = url.getBytes(UTF_8);
        OfPage page = new HostSlices(1, 0, null).new OfPage();
        page.slice(utf8, 0, utf8.length);
        return new String(utf8, page.from, page.to - page.from, UTF_8);
    }

    int ofHost(String host) {
        byte[] utf8 = host.getBytes(UTF_8);
        return ofHost(utf8, 0, utf8.length);
    }

    private int ofHost(byte[] host, int from, int to) {
        byte[] group = host;
        int start = from;
        int end = to;
        if (groupOfHost != null) {
            group = groupOfHost.apply(new String(host, from, to - from, UTF_8)).getBytes(UTF_8);
            start = 0;
            end = group.length;
        }
        long[] hash = new long[2];
        Murmur3.hash(group, start, end, seed, hash, 0);
        return (int) Long.remainderUnsigned(hash[0], sliceCount);
    }

    /** Assigns the URLs of one page, most of which have one host. Not safe for use by many threads. */
    final class OfPage {
        private byte[] host = {};
        private int from;
        private int to;
        private int slice = -1;

        int slice(byte[] url, int urlFrom, int urlTo) {
            int start = start(url, urlFrom, urlTo);
            int end = start;
            int first = start;
            int port = -1;
            for (; end < urlTo && !endsHost(url[end]); end++) {
                switch (url[end]) {
                    case '@' -> {
                        first = end + 1;
                        port = -1;
                    }
                    case ':' -> port = end;
                    case ']' -> port = -1;
                    default -> {}
                }
            }
            end = port < 0 ? end : port;
            if (slice < 0 || !Arrays.equals(host, from, to, url, first, end)) {
                slice = sliceCount == 1 ? 0 : ofHost(url, first, end);
                host = url;
                from = first;
                to = end;
            }
            return slice;
        }

        /** Returns where the host starts, or the end of the URL. */
        private int start(byte[] url, int urlFrom, int urlTo) {
            for (int i = urlFrom + 1; i < urlTo; i++) {
                if (url[i] == '/' && url[i - 1] == '/') {
                    return i + 1;
                }
            }
            return urlTo;
        }

        private boolean endsHost(byte c) {
            return c == '/' || c == '?' || c == '#' || c == '\\';
        }
    }
}
