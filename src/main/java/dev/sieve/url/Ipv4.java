package dev.sieve.url;

/**
 * The IPv4 parser of the WHATWG URL standard, section 3.5: one to four numbers, each decimal, octal behind {@code 0} or
 * hexadecimal behind {@code 0x}, of which the last fills all the bytes that are left.
 */
final class Ipv4 {
    private static final long MAX = 0xFFFF_FFFFL;

    private Ipv4() {}

    /** Whether a domain must be an IPv4 address: its last label is a number. */
    static boolean endsInNumber(String domain) {
        int end = domain.endsWith(".") ? domain.length() - 1 : domain.length();
        int start = domain.lastIndexOf('.', end - 1) + 1;
        if (start >= end || !UrlSyntax.isDigit(domain.charAt(start))) {
            return false;
        }
        return isDecimal(domain, start, end) || number(domain, start, end) >= 0;
    }

    /** Four decimal numbers; null when the domain is no address. */
    static String parse(String domain) {
        int end = domain.endsWith(".") ? domain.length() - 1 : domain.length();
        long address = 0;
        int start = 0;
        for (int part = 0; part < 4; part++) {
            int dot = domain.indexOf('.', start);
            boolean last = dot < 0 || dot == end;
            long number = number(domain, start, last ? end : dot);
            if (number < 0 || number > (last ? MAX >> (8 * part) : 255)) {
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

    /** The IPv6 address that stands for four decimal numbers, RFC 4291 section 2.5.5.2, as the standard writes it. */
    static String mapped(String address) {
        String[] parts = address.split("\\.", 4);
        int high = (Integer.parseInt(parts[0]) << 8) | Integer.parseInt(parts[1]);
        int low = (Integer.parseInt(parts[2]) << 8) | Integer.parseInt(parts[3]);
        return "::ffff:" + Integer.toHexString(high) + ":" + Integer.toHexString(low);
    }

    /** The number in a label, anything above 32 bits as one more than they hold; -1 when it is none. */
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
            number = Math.min(number * radix + digit, MAX + 1);
        }
        return number;
    }

    private static boolean isDecimal(String text, int from, int end) {
        for (int i = from; i < end; i++) {
            if (!UrlSyntax.isDigit(text.charAt(i))) {
                return false;
            }
        }
        return true;
    }
}
