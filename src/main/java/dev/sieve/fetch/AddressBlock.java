package dev.sieve.fetch;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The addresses that begin with the same bits: {@code 10.0.0.0/8}, {@code fd00::/8}, or a single address.
 *
 * @param prefix these bits
 * @param addressBits 32 or 128
 * @param hostBits the number of bits after the prefix
 */
record AddressBlock(BigInteger prefix, int addressBits, int hostBits) {
    private static final String OCTET = "(0|[1-9]\\d?|1\\d\\d|2[0-4]\\d|25[0-5])";
    private static final Pattern IPV4 = Pattern.compile(OCTET + "(\\." + OCTET + "){3}");
    private static final Pattern IPV6 = Pattern.compile("[0-9a-fA-F.]*:[0-9a-fA-F:.]*");

    /**
     * Parses CIDR notation (RFC 4632 section 3.1, RFC 4291 section 2.3) or a single address.
     *
     * @throws IllegalArgumentException when it is not a block, or has host bits set
     */
    static AddressBlock parse(String cidr) {
        int slash = cidr.indexOf('/');
        byte[] address = literal(slash < 0 ? cidr : cidr.substring(0, slash));
        if (address == null) {
            throw new IllegalArgumentException("not an address block such as 10.0.0.0/8: " + cidr);
        }
        int addressBits = address.length * Byte.SIZE;
        int hostBits = slash < 0 ? 0 : addressBits - length(cidr, slash + 1, addressBits);
        BigInteger first = new BigInteger(1, address);
        BigInteger prefix = first.shiftRight(hostBits);
        if (!prefix.shiftLeft(hostBits).equals(first)) {
            throw new IllegalArgumentException(cidr + " has host bits set");
        }
        return new AddressBlock(prefix, addressBits, hostBits);
    }

    private static int length(String cidr, int from, int most) {
        String digits = cidr.substring(from);
        if (!digits.matches("\\d{1,3}") || Integer.parseInt(digits) > most) {
            throw new IllegalArgumentException("the prefix length must be from 0 to " + most + ": " + cidr);
        }
        return Integer.parseInt(digits);
    }

    /** Returns the bytes of an address, four when it is IPv4-mapped, without a lookup; null when it is a host name. */
    static byte @Nullable [] literal(String host) {
        boolean isIpv4 = IPV4.matcher(host).matches();
        if (!isIpv4 && !IPV6.matcher(host).matches()) {
            return null;
        }
        try {
            // Text in brackets is never looked up.
            return InetAddress.getByName(isIpv4 ? host : "[" + host + "]").getAddress();
        } catch (UnknownHostException e) {
            return null;
        }
    }

    boolean contains(byte[] address) {
        return address.length * Byte.SIZE == addressBits
                && new BigInteger(1, address).shiftRight(hostBits).equals(prefix);
    }

    boolean isSingle() {
        return hostBits == 0;
    }
}
