package dev.sieve.url;

import dev.sieve.OptionalLibrary;
import java.util.Locale;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/**
 * The host parser of the WHATWG URL standard, section 3.5: returns a domain, an IPv4 or an IPv6 address in its
 * canonical spelling.
 *
 * <p>International domains (UTS 46) are left to OkHttp, the only ones that need it. IPv4 addresses are parsed here also
 * because OkHttp takes {@code 127.1}, {@code 0x7f.1} and {@code 2130706433} for domains, while the network takes all
 * three for 127.0.0.1.
 *
 * <p>Refused beyond the standard are hosts that cannot exist or that OkHttp cannot fetch: an empty label inside a
 * domain, a label of more than 63 characters, a domain of more than 253, before or after mapping, and invalid Punycode.
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

    /**
     * Returns the host in its canonical spelling; null when it is invalid.
     *
     * @throws NoClassDefFoundError when the host is international and OkHttp is not on the class path
     */
    static @Nullable String parse(String text, int from, int end) {
        if (from < end && text.charAt(from) == '[') {
            String address = text.charAt(end - 1) == ']' ? Ipv6.parse(text.substring(from + 1, end - 1)) : null;
            return address == null ? null : "[" + address + "]";
        }
        String domain = plain(text, from, end);
        if (domain == null) {
            domain = escaped(text.substring(from, end));
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

    /** Returns a domain with escapes, rare characters or international labels. */
    private static @Nullable String escaped(String text) {
        String decoded = text.indexOf('%') < 0 ? text : UrlSyntax.decode(text);
        if (!isShort(decoded) || hasForbidden(decoded)) {
            return null;
        }
        String lower = decoded.toLowerCase(Locale.ROOT);
        boolean isInternational = lower.startsWith("xn--")
                || lower.contains(".xn--")
                || decoded.chars().anyMatch(c -> c >= 0x80);
        return isInternational ? international(decoded) : lower;
    }

    private static @Nullable String international(String domain) {
        String host = okHttpHost(domain);
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

    /**
     * Returns a URL of OkHttp with this host; null when OkHttp refuses it.
     *
     * @throws NoClassDefFoundError when OkHttp is not on the class path
     */
    static @Nullable HttpUrl okHttpUrl(String host) {
        try {
            return HttpUrl.parse("http://" + host + "/");
        } catch (NoClassDefFoundError e) {
            OptionalLibrary.requireOkHttp();
            throw e;
        } catch (RuntimeException e) {
            // A hostile link must not cause an exception; OkHttp documents none here, but does not exclude one.
            return null;
        }
    }

    private static boolean hasForbidden(String domain) {
        return domain.chars().anyMatch(c -> c < ' ' || c == 0x7F || FORBIDDEN.indexOf(c) >= 0);
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
