package dev.sieve.url;

import okhttp3.HttpUrl;

/**
 * The hosts of the WHATWG URL standard, section 3.5: a domain, an IPv4 or an IPv6 address, each in one spelling.
 *
 * <p>Plain domains are taken as they are. International ones, by UTS 46, and IPv6 addresses are left to OkHttp. IPv4
 * addresses are not, for it takes {@code 127.1}, {@code 0x7f.1} and {@code 2130706433} for domains, while the network
 * takes all three for 127.0.0.1.
 *
 * <p>Refused beyond the standard is what no name server can know, or OkHttp not fetch: an empty label inside of a domain,
 * one of more than 63 characters or a domain of more than 253, mapped or not, and Punycode that is none.
 */
public final class Host {
    /** The standard's forbidden domain code points that are printable, section 3.1. */
    private static final String FORBIDDEN = " #/:<>?@[\\]^|%";

    private static final int MAX_LABEL = 63;
    private static final int MAX_DOMAIN = 253;
    /** The dots of UTS 46. */
    private static final String DOTS = ".\u3002\uff0e\uff61";

    private Host() {}

    /** The host in its one spelling; null when the text is none. */
    static String parse(String text, int from, int end) {
        if (from < end && text.charAt(from) == '[') {
            return ipv6(text.substring(from, end));
        }
        String domain = plain(text, from, end);
        if (domain == null) {
            domain = international(text.substring(from, end));
        }
        if (domain == null) {
            return null;
        }
        if (Ipv4.endsInNumber(domain)) {
            return Ipv4.parse(domain);
        }
        return hasGoodLabels(domain) ? domain : null;
    }

    /** A domain in which nothing needs mapping but capitals; null when there is more to it. */
    private static String plain(String text, int from, int end) {
        boolean capitals = false;
        for (int i = from; i < end; i++) {
            char c = text.charAt(i);
            if (c >= 'A' && c <= 'Z') {
                capitals = true;
            } else if (!UrlSyntax.isLetter(c) && !UrlSyntax.isDigit(c) && c != '-' && c != '.' && c != '_') {
                return null;
            }
            if (c == '-' && text.regionMatches(true, i - 3, "xn-", 0, 3)) {
                return null;
            }
        }
        String domain = text.substring(from, end);
        return capitals ? lowerCase(domain) : domain;
    }

    private static String lowerCase(String domain) {
        char[] chars = domain.toCharArray();
        for (int i = 0; i < chars.length; i++) {
            if (UrlSyntax.isLetter(chars[i])) {
                chars[i] = (char) (chars[i] | 0x20);
            }
        }
        return new String(chars);
    }

    private static String international(String text) {
        String decoded = text.indexOf('%') < 0 ? text : UrlSyntax.decode(text);
        if (!isShort(decoded) || hasForbidden(decoded)) {
            return null;
        }
        String host = okHttpHost(decoded);
        // Of some names, such as _é, OkHttp makes a Punycode that it does not take back; they could not be fetched.
        return host != null && !hasForbidden(host) && host.equals(okHttpHost(host)) ? host : null;
    }

    /** Asked before anything is mapped, since Punycode takes time in the square of a label's length. */
    private static boolean isShort(String domain) {
        int label = 0;
        int length = 0;
        for (int i = 0; i < domain.length(); i = domain.offsetByCodePoints(i, 1)) {
            label = DOTS.indexOf(domain.charAt(i)) < 0 ? label + 1 : 0;
            if (label > MAX_LABEL || ++length > MAX_DOMAIN) {
                return false;
            }
        }
        return true;
    }

    private static String okHttpHost(String host) {
        HttpUrl url = HttpUrl.parse("http://" + host + "/");
        return url == null ? null : url.host();
    }

    private static boolean hasForbidden(String domain) {
        return domain.chars().anyMatch(c -> c < ' ' || c == 0x7F || FORBIDDEN.indexOf(c) >= 0);
    }

    private static boolean hasGoodLabels(String domain) {
        int start = 0;
        for (int i = 0; i < domain.length(); i++) {
            if (domain.charAt(i) == '.') {
                if (i == start) {
                    return false;
                }
                start = i + 1;
            } else if (i - start == MAX_LABEL) {
                return false;
            }
        }
        return !domain.isEmpty() && domain.length() <= MAX_DOMAIN;
    }

    private static String ipv6(String text) {
        String digits = text.substring(1, Math.max(1, text.length() - 1));
        if (!text.endsWith("]") || !digits.chars().allMatch(c -> "0123456789abcdefABCDEF:.".indexOf(c) >= 0)) {
            return null;
        }
        String host = okHttpHost(text);
        if (host == null) {
            return null;
        }
        // OkHttp turns ::ffff:1.2.3.4 into 1.2.3.4; the standard leaves it an IPv6 address.
        return "[" + (host.indexOf(':') < 0 ? Ipv4.mapped(host) : host) + "]";
    }
}
