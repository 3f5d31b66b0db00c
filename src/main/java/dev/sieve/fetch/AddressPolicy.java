package dev.sieve.fetch;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * Which addresses may be asked: the public ones, and those that were allowed besides.
 *
 * <p>Not public is what the IANA registries of special-purpose addresses (IPv4 and IPv6, RFC 6890) do not call globally
 * reachable, multicast, and of IPv6 all that is not global unicast (2000::/3). Two ranges in use hold an IPv4 address in
 * their last 32 bits and are judged by it: ::ffff:0:0/96, which Java itself takes for IPv4, and 64:ff9b::/96 (NAT64,
 * RFC 6052). The others that hold one are deprecated or local, and not public whatever it is: ::/96, 2002::/16 (6to4),
 * 2001::/32 (Teredo), 64:ff9b:1::/48.
 *
 * <p>The addresses at which clouds tell a machine its secrets are known by name. They are in none of the blocks that are
 * allowed, unless the block is that one address.
 *
 * <p>Immutable. An answer costs a walk over some thirty blocks.
 */
public final class AddressPolicy {
    private static final List<Named> NOT_PUBLIC = List.of(
            named("0.0.0.0/8", "this network"),
            named("10.0.0.0/8", "private"),
            named("100.64.0.0/10", "a carrier's own"),
            named("127.0.0.0/8", "loopback"),
            named("169.254.0.0/16", "link-local"),
            named("172.16.0.0/12", "private"),
            named("192.0.0.0/24", "for protocols"),
            named("192.0.2.0/24", "for documentation"),
            named("192.88.99.0/24", "a deprecated relay"),
            named("192.168.0.0/16", "private"),
            named("198.18.0.0/15", "for benchmarks"),
            named("198.51.100.0/24", "for documentation"),
            named("203.0.113.0/24", "for documentation"),
            named("224.0.0.0/4", "multicast"),
            named("240.0.0.0/4", "reserved"),
            named("::1", "loopback"),
            named("::", "unspecified"),
            named("::/96", "a deprecated form of IPv4"),
            named("64:ff9b:1::/48", "a translation of IPv4 of local use"),
            named("100::/64", "for discarding"),
            named("2001::/32", "Teredo"),
            named("2001::/23", "for protocols"),
            named("2001:db8::/32", "for documentation"),
            named("2002::/16", "6to4"),
            named("3fff::/20", "for documentation"),
            named("fc00::/7", "private"),
            named("fe80::/10", "link-local"),
            named("fec0::/10", "site-local"),
            named("ff00::/8", "multicast"));

    private static final AddressBlock GLOBAL_IPV6 = AddressBlock.parse("2000::/3");

    private static final AddressBlock NAT64 = AddressBlock.parse("64:ff9b::/96");

    /** Of Amazon, Google, Microsoft, Oracle, Alibaba, Tencent, Scaleway and those that imitate them. */
    private static final List<AddressBlock> METADATA = List.of(
            AddressBlock.parse("169.254.169.254"),
            AddressBlock.parse("169.254.170.2"),
            AddressBlock.parse("169.254.170.23"),
            AddressBlock.parse("169.254.0.23"),
            AddressBlock.parse("169.254.42.42"),
            AddressBlock.parse("100.100.100.200"),
            AddressBlock.parse("168.63.129.16"),
            AddressBlock.parse("192.0.0.192"),
            AddressBlock.parse("fd00:ec2::254"),
            AddressBlock.parse("fd00:ec2::23"),
            AddressBlock.parse("fd20:ce::254"),
            AddressBlock.parse("fd00:42::42"));

    private static final AddressPolicy PUBLIC_ONLY = new AddressPolicy(List.of());

    private final List<AddressBlock> allowed;

    private record Named(AddressBlock block, String use) {}

    private AddressPolicy(List<AddressBlock> allowed) {
        this.allowed = allowed;
    }

    private static Named named(String cidr, String use) {
        return new Named(AddressBlock.parse(cidr), use);
    }

    /** The policy that allows nothing but public addresses. */
    public static AddressPolicy publicOnly() {
        return PUBLIC_ONLY;
    }

    /**
     * This policy, and a block of addresses that are allowed besides.
     *
     * @param cidr {@code 10.0.0.0/8}, {@code fd00::/8}, or one address
     * @throws IllegalArgumentException when it is no block, or has bits set behind its length
     */
    public AddressPolicy allowing(String cidr) {
        List<AddressBlock> blocks = new ArrayList<>(allowed);
        blocks.add(AddressBlock.parse(cidr));
        return new AddressPolicy(List.copyOf(blocks));
    }

    /** What an address is that may not be asked, for people: {@code 127.0.0.1 is loopback}; null when it may. */
    public String objection(InetAddress address) {
        return objection(address.getAddress(), address.getHostAddress());
    }

    /** The same for the bytes of an address, and the text by which the answer calls it. */
    String objection(byte[] address, String text) {
        byte[] plain = NAT64.contains(address) ? lastFour(address) : address;
        boolean isMetadata = METADATA.stream().anyMatch(block -> block.contains(plain));
        if (allowed.stream().anyMatch(block -> (block.isSingle() || !isMetadata) && block.contains(plain))) {
            return null;
        }
        String use = isMetadata ? "the metadata service of a cloud" : use(plain);
        return use == null ? null : text + " is " + use;
    }

    private static String use(byte[] address) {
        for (Named each : NOT_PUBLIC) {
            if (each.block.contains(address)) {
                return each.use;
            }
        }
        return address.length == 4 || GLOBAL_IPV6.contains(address) ? null : "not assigned to anybody";
    }

    private static byte[] lastFour(byte[] address) {
        byte[] last = new byte[4];
        System.arraycopy(address, address.length - 4, last, 0, 4);
        return last;
    }
}
