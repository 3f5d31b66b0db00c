package dev.sieve.url;

import java.util.Locale;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/**
 * The host parser of the WHATWG URL standard, section 3.5: returns a domain, an IPv4 or an IPv6 address in its canonical
 * spelling.
 *
 * <p>International domains (UTS 46) and IPv6 addresses are left to OkHttp. IPv4 addresses are parsed here, because OkHttp
 * takes {@code 127.1}, {@code 0x7f.1} and {@code 2130706433} for domains, while the network takes all three for 127.0.0.1.
 *
 * <p>Refused beyond the standard are hosts that cannot exist or that OkHttp cannot fetch: an empty label inside a domain,
 * a label of more than 63 characters, a domain of more than 253, before or after mapping, and invalid Punycode.
 */
final class Host {
    /** The standard's forbidden domain code points that are printable, section 3.1. */
    private static final String FORBIDDEN = " #/:<>?@[\\]^|%";

    private static final int MAX_LABEL = 63;
    private static final int MAX_DOMAIN = 253;
    private static final long MAX_IPV4 = 0xFFFF_FFFFL;
    /** The dots of UTS 46. */
    private static final String DOTS = ".\u3002\uff0e\uff61";

    private Host() {}

    /** Returns the host in its canonical spelling; null when it is invalid. */
    static @Nullable String parse(String text, int from, int end) {
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
        if (endsInNumber(domain)) {
            return ipv4(domain);
        }
        boolean isValid = !domain.isEmpty() && !domain.startsWith(".") && !domain.contains("..") && isShort(domain);
        return isValid ? domain : null;
    }

    /** Returns a domain that needs no mapping except lower case; null for any other. */
    private static @Nullable String plain(String text, int from, int end) {
        for (int i = from; i < end; i++) {
            char c = text.charAt(i);
            boolean isPunycode = c == '-' && text.regionMatches(true, i - 3, "xn-", 0, 3);
            if (isPunycode || c == '~' || !UrlSyntax.isUnreserved(c)) {
                return null;
            }
        }
        return text.substring(from, end).toLowerCase(Locale.ROOT);
    }

    private static @Nullable String international(String text) {
        String decoded = text.indexOf('%') < 0 ? text : UrlSyntax.decode(text);
        if (!isShort(decoded) || hasForbidden(decoded)) {
            return null;
        }
        String host = okHttpHost(decoded);
        // Of some names, such as _é, OkHttp makes Punycode that it does not accept itself; they could not be fetched.
        return host != null && !hasForbidden(host) && host.equals(okHttpHost(host)) ? host : null;
    }

    /** Whether the lengths are valid; checked before mapping too, since Punycode takes quadratic time per label. */
    private static boolean isShort(String domain) {
        int label = 0;
        int length = 0;
        for (int i = 0; i < domain.length(); i += Character.charCount(domain.codePointAt(i))) {
            label = DOTS.indexOf(domain.charAt(i)) < 0 ? label + 1 : 0;
            if (label > MAX_LABEL || ++length > MAX_DOMAIN) {
                return false;
            }
        }
        return true;
    }

    private static @Nullable String okHttpHost(String host) {
        HttpUrl url = okHttpUrl(host);
        return url == null ? null : url.host();
    }

    /** Returns a URL of OkHttp with this host; null when OkHttp refuses it. */
    static @Nullable HttpUrl okHttpUrl(String host) {
        try {
            return HttpUrl.parse("http://" + host + "/");
        } catch (RuntimeException e) {
            // Not documented: an IPv6 address of nine groups, for example, is an ArrayIndexOutOfBoundsException.
            return null;
        }
    }

    private static boolean hasForbidden(String domain) {
        return domain.chars().anyMatch(c -> c < ' ' || c == 0x7F || FORBIDDEN.indexOf(c) >= 0);
    }

    private static @Nullable String ipv6(String text) {
        String digits = text.substring(1, Math.max(1, text.length() - 1));
        if (!text.endsWith("]") || !digits.chars().allMatch(c -> "0123456789abcdefABCDEF:.".indexOf(c) >= 0)) {
            return null;
        }
        String host = okHttpHost(text);
        if (host == null) {
            return null;
        }
        // OkHttp turns ::ffff:1.2.3.4 into 1.2.3.4; in the standard it stays an IPv6 address.
        return "[" + (host.indexOf(':') < 0 ? mapped(host) : host) + "]";
    }

    /** Returns an IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2) as the standard writes it. */
    private static String mapped(String ipv4) {
        String[] parts = ipv4.split("\\.", 4);
        int high = (Integer.parseInt(parts[0]) << 8) | Integer.parseInt(parts[1]);
        int low = (Integer.parseInt(parts[2]) << 8) | Integer.parseInt(parts[3]);
        return "::ffff:" + Integer.toHexString(high) + ":" + Integer.toHexString(low);
    }

    /** Whether a domain must be an IPv4 address: its last label is a number. */
    private static boolean endsInNumber(String domain) {
        int end = withoutLastDot(domain);
        int start = domain.lastIndexOf('.', end - 1) + 1;
        if (start >= end || !UrlSyntax.isDigit(domain.charAt(start))) {
            return false;
        }
        return domain.substring(start, end).chars().allMatch(UrlSyntax::isDigit) || number(domain, start, end) >= 0;
    }

    private static int withoutLastDot(String domain) {
        return domain.endsWith(".") ? domain.length() - 1 : domain.length();
    }

    /**
     * Returns an address as four decimal numbers; null when it is invalid. It is written as one to four numbers, each
     * decimal, octal after {@code 0} or hexadecimal after {@code 0x}, of which the last fills all the remaining bytes.
     */
    private static @Nullable String ipv4(String domain) {
        int end = withoutLastDot(domain);
        long address = 0;
        int start = 0;
        for (int part = 0; part < 4; part++) {
            int dot = domain.indexOf('.', start);
            boolean last = dot < 0 || dot == end;
            long number = number(domain, start, last ? end : dot);
            if (number < 0 || number > (last ? MAX_IPV4 >> (8 * part) : 255)) {
                return null;
            }
            address |= last ? number : number << (8 * (3 - part));
            if (last) {
                return (address >> 24) + "." + (address >> 16 & 255) + "." + (address >> 8 & 255) + "."
                        + (address & 255);
            }
            start = dot + 1;
        }
        return null;
    }

    /** Returns the number in a label, at most 2^32; -1 when it is not a number. */
    private static long number(String text, int from, int end) {
        int radix = 10;
        int start = from;
        if (end - from >= 2 && text.charAt(from) == '0') {
            boolean hex = text.charAt(from + 1) == 'x';
            radix = hex ? 16 : 8;
            start += hex ? 2 : 1;
        }
        long number = start == end && radix != 16 ? -1 : 0;
        for (int i = start; i < end; i++) {
            int digit = Character.digit(text.charAt(i), radix);
            if (digit < 0) {
                return -1;
            }
            number = Math.min(number * radix + digit, MAX_IPV4 + 1);
        }
        return number;
    }
}
