package dev.sieve.fetch;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

/** The addresses that begin with the same bits: {@code 10.0.0.0/8}, {@code fd00::/8}, or one address alone. */
final class AddressBlock {
    private static final String OCTET = "(0|[1-9]\\d?|1\\d\\d|2[0-4]\\d|25[0-5])";
    private static final Pattern IPV4 = Pattern.compile(OCTET + "(\\." + OCTET + "){3}");
    private static final Pattern IPV6 = Pattern.compile("[0-9a-fA-F.]*:[0-9a-fA-F:.]*");

    private final byte[] prefix;
    private final int bits;

    private AddressBlock(byte[] prefix, int bits) {
        this.prefix = prefix;
        this.bits = bits;
    }

    /**
     * The block that a text in CIDR notation stands for (RFC 4632 section 3.1, RFC 4291 section 2.3); an address without a
     * length stands for itself.
     *
     * @throws IllegalArgumentException when it is none, or has bits set behind its length
     */
    static AddressBlock parse(String cidr) {
        int slash = cidr.indexOf('/');
        byte[] prefix = literal(slash < 0 ? cidr : cidr.substring(0, slash));
        if (prefix == null) {
            throw new IllegalArgumentException("no block of addresses, such as 10.0.0.0/8: " + cidr);
        }
        int bits = slash < 0 ? prefix.length * Byte.SIZE : length(cidr, slash + 1, prefix.length * Byte.SIZE);
        for (int bit = bits; bit < prefix.length * Byte.SIZE; bit++) {
            if ((prefix[bit / Byte.SIZE] >> (7 - bit % Byte.SIZE) & 1) != 0) {
                throw new IllegalArgumentException("bits are set behind the length of the block: " + cidr);
            }
        }
        return new AddressBlock(prefix, bits);
    }

    private static int length(String cidr, int from, int most) {
        String digits = cidr.substring(from);
        if (!digits.matches("\\d{1,3}") || Integer.parseInt(digits) > most) {
            throw new IllegalArgumentException("the length of the block is not 0 to " + most + ": " + cidr);
        }
        return Integer.parseInt(digits);
    }

    /**
     * The bytes of an address that is written out, four where it is a mapped one of IPv6; no name server is asked.
     *
     * @return null when it is a name
     */
    static byte[] literal(String host) {
        boolean isIpv4 = IPV4.matcher(host).matches();
        if (!isIpv4 && !IPV6.matcher(host).matches()) {
            return null;
        }
        try {
            // Between brackets nothing is taken for a name.
            return InetAddress.getByName(isIpv4 ? host : "[" + host + "]").getAddress();
        } catch (UnknownHostException e) {
            return null;
        }
    }

    boolean contains(byte[] address) {
        if (address.length != prefix.length) {
            return false;
        }
        int whole = bits / Byte.SIZE;
        for (int i = 0; i < whole; i++) {
            if (address[i] != prefix[i]) {
                return false;
            }
        }
        int rest = bits % Byte.SIZE;
        return rest == 0 || (address[whole] ^ prefix[whole]) >> (Byte.SIZE - rest) == 0;
    }

    /** Whether the block is one address. */
    boolean isSingle() {
        return bits == prefix.length * Byte.SIZE;
    }
}
