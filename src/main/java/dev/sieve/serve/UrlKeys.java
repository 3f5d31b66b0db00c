package dev.sieve.serve;

import org.jspecify.annotations.Nullable;

/**
 * The queue that a URL belongs to when the client names none, and the key by which a frontier compares a URL.
 *
 * <p>Both are part of the format of a folder: a key that changed would make all URLs new.
 */
final class UrlKeys {
    /** Separates the parts of a key; a URL or a queue that contains it is refused. */
    static final char SEPARATOR = '\0';

    private UrlKeys() {}

    /**
     * Returns the host of a URL as it is spelled, without user name and port; empty when there is none. A URL without a
     * scheme begins with its host.
     */
    static String host(String url) {
        int start = hostStart(url);
        return url.substring(start, hostEnd(url, start));
    }

    /** Whether a text is the {@link #host} of a URL; allocates nothing. */
    static boolean isHost(String text, String url) {
        int start = hostStart(url);
        return hostEnd(url, start) - start == text.length() && url.startsWith(text, start);
    }

    private static int hostStart(String url) {
        int start = authorityStart(url);
        int end = authorityEnd(url, start);
        return url.lastIndexOf('@', end - 1) >= start ? url.lastIndexOf('@', end - 1) + 1 : start;
    }

    private static int authorityStart(String url) {
        int scheme = url.indexOf("://");
        return scheme < 0 ? 0 : scheme + 3;
    }

    private static int authorityEnd(String url, int start) {
        for (int i = start; i < url.length(); i++) {
            switch (url.charAt(i)) {
                case '/', '\\', '?', '#', '&' -> {
                    return i;
                }
                default -> {}
            }
        }
        return url.length();
    }

    private static int hostEnd(String url, int start) {
        int end = authorityEnd(url, start);
        int bracket = start < end && url.charAt(start) == '[' ? url.indexOf(']', start) : -1;
        if (0 <= bracket && bracket < end) {
            return bracket + 1;
        }
        int port = url.indexOf(':', start);
        return 0 <= port && port < end ? port : end;
    }

    /**
     * Returns the key of a URL: the URL itself, or followed by its queue, if that is not its host (null), and by the
     * generation of the queue, if that is not the first.
     */
    static String key(String url, @Nullable String queue, int generation) {
        if (queue == null && generation == 0) {
            return url;
        }
        String inQueue = queue == null ? url : url + SEPARATOR + queue;
        return generation == 0 ? inQueue : inQueue + SEPARATOR + SEPARATOR + generation;
    }
}
