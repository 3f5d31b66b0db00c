package dev.sieve.url;

import java.util.concurrent.atomic.AtomicReferenceArray;
import okhttp3.HttpUrl;

/**
 * Extracts the parts of a URL that {@link UrlNormalizer} returned, without parsing it again.
 *
 * <p>Hosts are returned without a trailing dot. A URL that is not normalised is refused with an {@link
 * IllegalArgumentException} where the check is cheap; otherwise the result is undefined. Safe for use by many threads.
 */
public final class UrlParts {
    private static final int CACHED_DOMAINS = 1 << 13;
    private static final AtomicReferenceArray<HostDomain> DOMAINS = new AtomicReferenceArray<>(CACHED_DOMAINS);

    private record HostDomain(String host, String domain) {}

    private UrlParts() {}

    /** Returns the host: {@code example.com}, {@code 192.0.2.1}, {@code [2001:db8::1]}. */
    public static String host(String url) {
        int end = hostEnd(url);
        return url.substring(hostStart(url), url.charAt(end - 1) == '.' ? end - 1 : end);
    }

    /** Returns the host, and the port unless it is the default: {@code example.com}, {@code example.com:8080}. */
    public static String hostAndPort(String url) {
        return host(url) + url.substring(hostEnd(url), pathStart(url));
    }

    /** Returns the origin, which has one robots.txt: {@code https://example.com}, {@code http://[::1]:8080}. */
    public static String origin(String url) {
        return url.substring(0, hostStart(url)) + hostAndPort(url);
    }

    /** Returns the path with its query: {@code /}, {@code /search?q=1}. */
    public static String pathAndQuery(String url) {
        return url.substring(pathStart(url));
    }

    /**
     * Returns the registrable domain of a URL's host by OkHttp's public suffix list: {@code example.co.uk} for {@code
     * www.example.co.uk}; the host itself if it is an address, a public suffix or a single label. Recent results are
     * cached, in bounded memory.
     *
     * @throws NoClassDefFoundError when OkHttp is not on the class path; the message names the missing artifact
     */
    public static String domain(String url) {
        return domainOfHost(host(url));
    }

    /** Returns the registrable domain of a {@link #host}. */
    public static String domainOfHost(String host) {
        int slot = (host.hashCode() * 0x9E3779B1) >>> 19;
        HostDomain known = DOMAINS.get(slot);
        if (known == null || !known.host.equals(host)) {
            HttpUrl url = Host.okHttpUrl(host);
            String domain = url == null ? null : url.topPrivateDomain();
            known = new HostDomain(host, domain == null ? host : domain);
            DOMAINS.set(slot, known);
        }
        return known.domain;
    }

    /** Returns whether a host is a domain, or below it; both in the spelling of {@link #host}. */
    public static boolean isWithin(String host, String domain) {
        return host.equals(domain) || host.endsWith("." + domain);
    }

    /** Returns where the host of a normalised URL begins. */
    public static int hostStart(String url) {
        if (url.startsWith("https://")) {
            return 8;
        }
        return check(url.startsWith("http://"), url, 7);
    }

    /** Returns where the host of a normalised URL ends, before a port, exclusive. */
    public static int hostEnd(String url) {
        int start = hostStart(url);
        int path = pathStart(url);
        int colon = url.lastIndexOf(':', path - 1);
        int end = colon >= start && url.charAt(path - 1) != ']' ? colon : path;
        return check(end > start, url, end);
    }

    /** Returns where the path of a normalised URL begins. */
    public static int pathStart(String url) {
        int slash = url.indexOf('/', hostStart(url));
        return check(slash >= 0, url, slash);
    }

    private static int check(boolean isNormalized, String url, int index) {
        if (!isNormalized) {
            throw new IllegalArgumentException("URL is not normalised: " + url);
        }
        return index;
    }
}
