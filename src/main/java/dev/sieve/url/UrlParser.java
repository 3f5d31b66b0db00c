package dev.sieve.url;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The parser of the WHATWG URL standard (url.spec.whatwg.org, section 4.4), reduced to http and https.
 *
 * <p>It replaces the standard's state machine by one pass over the reference that writes the result: the scheme and
 * host of the reference or of the base, then the path segments, of which dot segments are removed again, then the
 * query. Userinfo and fragment are skipped. Only the result and a host other than that of the base are allocated.
 */
final class UrlParser {
    private static final Pattern LINE_BREAKS = Pattern.compile("[\t\n\r]+");

    final @Nullable String base; // a normalised URL; null without a base
    private final byte[] baseBytes; // empty without a base

    // Where the authority, the directory with its slash, and the path of the base end.
    private final int authorityEnd;
    private final int directoryEnd;
    private final int pathEnd;

    private final UrlBuffer out = new UrlBuffer();
    private final @Nullable QueryEncoder encoder; // null for UTF-8
    private @Nullable Refusal refusal;

    UrlParser(@Nullable String base, @Nullable QueryEncoder encoder) {
        this.base = base;
        this.encoder = encoder;
        if (base == null) {
            authorityEnd = directoryEnd = pathEnd = 0;
            baseBytes = new byte[0];
            return;
        }
        baseBytes = base.getBytes(ISO_8859_1);
        int query = base.indexOf('?');
        pathEnd = query < 0 ? base.length() : query;
        authorityEnd = base.indexOf('/', "https://".length());
        directoryEnd = base.lastIndexOf('/', pathEnd - 1) + 1;
    }

    /** Returns the URL to fetch for a reference; null when it cannot be fetched, for the reason {@link #refusal}. */
    @Nullable
    String parse(String text) {
        out.clear();
        refusal = null;
        int from = 0;
        int to = text.length();
        while (from < to && text.charAt(from) <= ' ') {
            from++;
        }
        while (to > from && text.charAt(to - 1) <= ' ') {
            to--;
        }
        boolean broken = false;
        int end = from;
        for (; end < to && text.charAt(end) != '#'; end++) {
            if (end - from == UrlBuffer.MAX_LENGTH) {
                return refuse(otherScheme(text, from, end) ? Refusal.OTHER_SCHEME : Refusal.TOO_LONG);
            }
            char c = text.charAt(end);
            broken |= c <= '\r' && (c == '\t' || c == '\n' || c == '\r');
        }
        if (broken) {
            String joined = withoutLineBreaks(text, from, end);
            return resolve(joined, 0, joined.length());
        }
        return resolve(text, from, end);
    }

    @Nullable
    Refusal refusal() {
        return refusal;
    }

    private @Nullable String refuse(Refusal reason) {
        refusal = reason;
        return null;
    }

    private @Nullable String resolve(String text, int from, int end) {
        if (startsWithBaseHost(text, from, end)) {
            copyBase(authorityEnd);
            return path(text, from + authorityEnd, end);
        }
        int colon = schemeEnd(text, from, end);
        if (colon < 0) {
            return base == null ? refuse(Refusal.NO_SCHEME) : relative(text, from, end);
        }
        if (!isHttp(text, from, colon)) {
            return refuse(Refusal.OTHER_SCHEME);
        }
        int schemeLength = colon - from;
        boolean sameScheme = base != null && base.charAt(schemeLength) == ':';
        if (sameScheme && !text.startsWith("//", colon + 1)) {
            return relative(text, colon + 1, end);
        }
        out.put(schemeLength == 4 ? "http://" : "https://");
        return authority(text, colon + 1, end);
    }

    /** Whether a reference begins with the scheme and host of the base, spelled identically, as most links do. */
    private boolean startsWithBaseHost(String text, int from, int end) {
        int after = from + authorityEnd;
        return base != null
                && after <= end
                && text.startsWith("http", from)
                && text.regionMatches(from, base, 0, authorityEnd)
                && (after == end || isSlash(text.charAt(after)) || text.charAt(after) == '?');
    }

    private @Nullable String relative(String text, int from, int end) {
        if (from == end) {
            copyBase(baseBytes.length);
            return result();
        }
        char first = text.charAt(from);
        if (isSlash(first) && from + 1 < end && isSlash(text.charAt(from + 1))) {
            out.put(baseBytes[4] == ':' ? "http://" : "https://");
            return authority(text, from, end);
        }
        if (first == '?') {
            copyBase(pathEnd);
            return query(text, from, end);
        }
        copyBase(isSlash(first) ? authorityEnd : directoryEnd - 1);
        return path(text, from, end);
    }

    private @Nullable String authority(String text, int from, int end) {
        int start = from;
        while (start < end && isSlash(text.charAt(start))) {
            start++;
        }
        int path = start;
        for (; path < end && text.charAt(path) != '?' && !isSlash(text.charAt(path)); path++) {
            if (text.charAt(path) == '@') {
                start = path + 1;
            }
        }
        int port = hostEnd(text, start, path);
        String host = Host.parse(text, start, port);
        if (host == null) {
            return refuse(Refusal.BAD_HOST);
        }
        out.put(host);
        if (port + 1 < path && !port(text, port + 1, path)) {
            return refuse(Refusal.BAD_PORT);
        }
        out.beginPath(out.size());
        return path(text, path, end);
    }

    /** Returns the index of the colon before the port, or the end without a port. */
    private static int hostEnd(String text, int from, int end) {
        boolean brackets = false;
        for (int i = from; i < end; i++) {
            char c = text.charAt(i);
            if (c == ':' && !brackets) {
                return i;
            }
            brackets = c == '[' || (brackets && c != ']');
        }
        return end;
    }

    private boolean port(String text, int from, int end) {
        int port = 0;
        for (int i = from; i < end; i++) {
            if (!UrlSyntax.isDigit(text.charAt(i))) {
                return false;
            }
            port = Math.min(port * 10 + text.charAt(i) - '0', 65_536);
        }
        if (port != (out.isHttps() ? 443 : 80)) {
            out.put(":" + port);
        }
        return port > 0 && port < 65_536;
    }

    private @Nullable String path(String text, int from, int end) {
        int i = from < end && isSlash(text.charAt(from)) ? from + 1 : from;
        while (true) {
            int segment = out.size();
            out.put('/');
            i = out.putSegment(text, i, end);
            boolean last = i == end || text.charAt(i) == '?';
            out.removeDots(segment, last);
            if (last) {
                return query(text, i, end);
            }
            i++;
        }
    }

    private @Nullable String query(String text, int from, int end) {
        if (from < end) {
            out.put('?');
            if (encoder == null || isAscii(text, from, end)) {
                out.putQuery(text, from + 1, end);
            } else {
                out.putQueryBytes(encoder.encode(text.substring(from + 1, end)));
            }
        }
        return result();
    }

    private static boolean isAscii(String text, int from, int end) {
        int i = from;
        while (i < end && text.charAt(i) < 0x80) {
            i++;
        }
        return i == end;
    }

    private @Nullable String result() {
        return out.size() > UrlBuffer.MAX_LENGTH ? refuse(Refusal.TOO_LONG) : out.toString();
    }

    private void copyBase(int end) {
        out.put(baseBytes, end);
        out.beginPath(authorityEnd);
    }

    /** Returns the index of the colon after a scheme; -1 without a scheme. */
    private static int schemeEnd(String text, int from, int end) {
        for (int i = from; i < end; i++) {
            char c = text.charAt(i);
            boolean inside = UrlSyntax.isDigit(c) || c == '+' || c == '-' || c == '.';
            if (!UrlSyntax.isLetter(c) && (i == from || !inside)) {
                return c == ':' && i > from ? i : -1;
            }
        }
        return -1;
    }

    private static boolean isHttp(String text, int from, int colon) {
        int length = colon - from;
        return (length == 4 || length == 5) && text.regionMatches(true, from, "https", 0, length);
    }

    private static boolean otherScheme(String text, int from, int end) {
        String joined = withoutLineBreaks(text, from, end);
        int colon = schemeEnd(joined, 0, joined.length());
        return colon >= 0 && !isHttp(joined, 0, colon);
    }

    /** Removes line breaks and tabs, which are ignored anywhere in a URL. */
    private static String withoutLineBreaks(String text, int from, int end) {
        return LINE_BREAKS.matcher(text.substring(from, end)).replaceAll("");
    }

    private static boolean isSlash(char c) {
        return c == '/' || c == '\\';
    }
}
