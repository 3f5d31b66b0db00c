package dev.sieve.fetch;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides which addresses may be requested: public ones, and those in blocks that are allowed in addition.
 *
 * <p>An address is public if the IANA registries of special-purpose addresses (RFC 6890) call it globally reachable and
 * it is not multicast; for IPv6 it must also be global unicast (2000::/3). Two ranges in use contain an IPv4 address in
 * their last 32 bits, which is checked instead: ::ffff:0:0/96, which Java converts to IPv4, and 64:ff9b::/96 (NAT64,
 * RFC 6052). The other ranges with an IPv4 address are deprecated or local, and never public: ::/96, 2002::/16 (6to4),
 * 2001::/32 (Teredo), 64:ff9b:1::/48.
 *
 * <p>The metadata services of clouds, which return secrets of the machine, are allowed only by a block of one address,
 * or by a URL with this address that was {@linkplain Fetcher#open opened}; otherwise a name only leads there if its
 * address is {@linkplain Resolver#isFixed fixed}.
 *
 * <p>Immutable. A check compares the address with about thirty blocks.
 */
public final class AddressPolicy {
    /** The blocks in the order in which they are compared. */
    private static final List<Use> NOT_PUBLIC = List.of(
            new Use("this network", "0.0.0.0/8"),
            new Use("private", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"),
            new Use("carrier-grade NAT", "100.64.0.0/10"),
            new Use("loopback", "127.0.0.0/8", "::1"),
            new Use("link-local", "169.254.0.0/16", "fe80::/10"),
            new Use("a deprecated relay", "192.88.99.0/24"),
            new Use("for benchmarks", "198.18.0.0/15"),
            new Use("for documentation", "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24"),
            new Use("for documentation", "2001:db8::/32", "3fff::/20"),
            new Use("multicast", "224.0.0.0/4", "ff00::/8"),
            new Use("reserved", "240.0.0.0/4"),
            new Use("unspecified", "::"),
            new Use("a deprecated form of IPv4", "::/96"),
            new Use("an IPv4 translation for local use", "64:ff9b:1::/48"),
            new Use("for discarding", "100::/64"),
            new Use("Teredo", "2001::/32"),
            new Use("for protocols", "192.0.0.0/24", "2001::/23"),
            new Use("6to4", "2002::/16"),
            new Use("site-local", "fec0::/10"));

    private static final AddressBlock GLOBAL_IPV6 = AddressBlock.parse("2000::/3");

    private static final AddressBlock NAT64 = AddressBlock.parse("64:ff9b::/96");

    /** Amazon, Google, Microsoft, Oracle, Alibaba, Tencent, Scaleway and clouds compatible with them. */
    private static final Use METADATA = new Use(
            "a cloud metadata service",
            "169.254.169.254",
            "169.254.170.2",
            "169.254.170.23",
            "169.254.0.23",
            "169.254.42.42",
            "100.100.100.200",
            "168.63.129.16",
            "192.0.0.192",
            "fd00:ec2::254",
            "fd00:ec2::23",
            "fd20:ce::254",
            "fd00:42::42");

    private static final AddressPolicy PUBLIC_ONLY = new AddressPolicy(List.of());

    private final List<AddressBlock> allowed;

    /** Blocks of addresses and what they are used for. */
    private record Use(String name, List<AddressBlock> blocks) {
        Use(String name, String... blocks) {
            this(name, Stream.of(blocks).map(AddressBlock::parse).toList());
        }

        boolean contains(byte[] address) {
            return blocks.stream().anyMatch(block -> block.contains(address));
        }
    }

    private AddressPolicy(List<AddressBlock> allowed) {
        this.allowed = allowed;
    }

    /** Returns the policy that allows public addresses only. */
    public static AddressPolicy publicOnly() {
        return PUBLIC_ONLY;
    }

    /**
     * Returns a policy that also allows a block of addresses.
     *
     * @param cidr {@code 10.0.0.0/8}, {@code fd00::/8}, or one address
     * @throws IllegalArgumentException when it is not a block, or has host bits set
     */
    public AddressPolicy allowing(String cidr) {
        List<AddressBlock> blocks = new ArrayList<>(allowed);
        blocks.add(AddressBlock.parse(cidr));
        return new AddressPolicy(List.copyOf(blocks));
    }

    /** Returns why an address is not allowed, such as {@code 127.0.0.1 is loopback}; null when it is allowed. */
    public @Nullable String objection(InetAddress address) {
        return objection(address.getAddress(), address.getHostAddress());
    }

    @Nullable
    String objection(byte[] address, String text) {
        byte[] plain = plain(address);
        boolean isMetadata = METADATA.contains(plain);
        if (allowed.stream().anyMatch(block -> (block.isSingle() || !isMetadata) && block.contains(plain))) {
            return null;
        }
        String use = isMetadata ? METADATA.name : use(plain);
        return use == null ? null : text + " is " + use;
    }

    static boolean isMetadata(InetAddress address) {
        return METADATA.contains(plain(address.getAddress()));
    }

    /** Returns the IPv4 address that an address contains, or the same address. */
    private static byte[] plain(byte[] address) {
        return NAT64.contains(address) ? Arrays.copyOfRange(address, address.length - 4, address.length) : address;
    }

    private static @Nullable String use(byte[] address) {
        for (Use use : NOT_PUBLIC) {
            if (use.contains(address)) {
                return use.name;
            }
        }
        return address.length == 4 || GLOBAL_IPV6.contains(address) ? null : "not assigned";
    }
}
