package dev.sieve.url;

import java.util.concurrent.atomic.AtomicReferenceArray;
import okhttp3.HttpUrl;

/**
 * The parts of a URL to fetch, cut out of the spelling that {@link UrlNormalizer} gives it, without parsing it again.
 *
 * <p>A host is given without the dot that may stand at its end, for it is the same host. Other spellings than those of
 * the normaliser are refused with an {@link IllegalArgumentException} where that is cheap to see, and cut anyhow where
 * it is not. May be called by any thread.
 */
public final class UrlParts {
    private static final int CACHED_DOMAINS = 1 << 13;
    private static final AtomicReferenceArray<HostDomain> DOMAINS = new AtomicReferenceArray<>(CACHED_DOMAINS);

    private record HostDomain(String host, String domain) {}

    private UrlParts() {}

    /** The host: {@code example.com}, {@code 192.0.2.1}, {@code [2001:db8::1]}. */
    public static String host(String url) {
        int end = hostEnd(url);
        return url.substring(hostStart(url), url.charAt(end - 1) == '.' ? end - 1 : end);
    }

    /** The host, and the port where it is not the scheme's own: {@code example.com}, {@code example.com:8080}. */
    public static String hostAndPort(String url) {
        int hostEnd = hostEnd(url);
        int end = pathStart(url);
        return end == hostEnd ? host(url) : host(url) + url.substring(hostEnd, end);
    }

    /** What shares one robots.txt, RFC 9309 section 2.3: {@code https://example.com}, {@code http://[::1]:8080}. */
    public static String origin(String url) {
        return url.substring(0, hostStart(url)) + hostAndPort(url);
    }

    /** The path with its query: {@code /}, {@code /search?q=1}. */
    public static String pathAndQuery(String url) {
        return url.substring(pathStart(url));
    }

    /**
     * The registrable domain of a host by the public suffix list that comes with OkHttp: {@code example.co.uk} for
     * {@code www.example.co.uk}; the host itself when it is an address, a public suffix or a single label. Answers for
     * the hosts that were asked of last are remembered, in bounded memory.
     */
    public static String domain(String url) {
        return domainOfHost(host(url));
    }

    /** The same for a host, as {@link #host} gives it. */
    public static String domainOfHost(String host) {
        int slot = (host.hashCode() * 0x9E3779B1) >>> 19;
        HostDomain known = DOMAINS.get(slot);
        if (known == null || !known.host.equals(host)) {
            known = new HostDomain(host, lookedUp(host));
            DOMAINS.set(slot, known);
        }
        return known.domain;
    }

    private static String lookedUp(String host) {
        HttpUrl url = HttpUrl.parse("http://" + host + "/");
        String domain = url == null ? null : url.topPrivateDomain();
        return domain == null ? host : domain;
    }

    public static int hostStart(String url) {
        if (url.startsWith("https://")) {
            return 8;
        }
        if (url.startsWith("http://")) {
            return 7;
        }
        throw new IllegalArgumentException("no URL of the normaliser: " + url);
    }

    public static int hostEnd(String url) {
        int start = hostStart(url);
        int path = pathStart(url);
        int colon = url.lastIndexOf(':', path - 1);
        int end = colon >= start && url.charAt(path - 1) != ']' ? colon : path;
        if (end == start) {
            throw new IllegalArgumentException("no URL of the normaliser: " + url);
        }
        return end;
    }

    public static int pathStart(String url) {
        int slash = url.indexOf('/', hostStart(url));
        if (slash < 0) {
            throw new IllegalArgumentException("no URL of the normaliser: " + url);
        }
        return slash;
    }
}
