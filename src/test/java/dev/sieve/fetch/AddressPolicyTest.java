package dev.sieve.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("hostile")
class AddressPolicyTest {
    private static String objection(AddressPolicy policy, String address) throws UnknownHostException {
        return policy.objection(InetAddress.getByName(address));
    }

    private static String objection(String address) throws UnknownHostException {
        return objection(AddressPolicy.publicOnly(), address);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1.0.0.0",
                "1.1.1.1",
                "8.8.8.8",
                "9.255.255.255",
                "11.0.0.0",
                "100.63.255.255",
                "100.128.0.0",
                "126.255.255.255",
                "128.0.0.0",
                "169.253.255.255",
                "169.255.0.0",
                "172.15.255.255",
                "172.32.0.0",
                "192.0.1.0",
                "192.0.3.0",
                "192.31.196.1",
                "192.88.98.255",
                "192.88.100.0",
                "192.167.255.255",
                "192.169.0.0",
                "198.17.255.255",
                "198.20.0.0",
                "198.51.99.255",
                "198.51.101.0",
                "203.0.112.255",
                "203.0.114.0",
                "223.255.255.255",
                "168.63.129.15",
                "2001:200::1",
                "2001:4860:4860::8888",
                "2606:4700::1111",
                "2a00:1450::1",
                "2003::1",
                "3ffe::1",
                "64:ff9b::808:808",
                "::ffff:8.8.8.8",
            })
    void publicAddressesMayBeAsked(String address) throws UnknownHostException {
        assertThat(objection(address)).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "0.0.0.0, this network",
        "0.255.255.255, this network",
        "10.0.0.0, private",
        "10.255.255.255, private",
        "100.64.0.0, carrier",
        "100.127.255.255, carrier",
        "127.0.0.1, loopback",
        "127.255.255.255, loopback",
        "169.254.0.1, link-local",
        "172.16.0.0, private",
        "172.31.255.255, private",
        "192.0.0.1, protocols",
        "192.0.2.1, documentation",
        "192.88.99.1, relay",
        "192.168.0.1, private",
        "198.18.0.0, benchmarks",
        "198.19.255.255, benchmarks",
        "198.51.100.7, documentation",
        "203.0.113.7, documentation",
        "224.0.0.1, multicast",
        "239.255.255.255, multicast",
        "240.0.0.1, reserved",
        "255.255.255.255, reserved",
        "::, unspecified",
        "::1, loopback",
        "::127.0.0.1, IPv4",
        "::8.8.8.8, IPv4",
        "::ffff:127.0.0.1, loopback",
        "::ffff:10.1.2.3, private",
        "64:ff9b::7f00:1, loopback",
        "64:ff9b::a9fe:a9fe, metadata",
        "64:ff9b:1::808:808, local use",
        "100::1, discarding",
        "2001::7f00:1, Teredo",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2, Teredo",
        "2001:2::1, protocols",
        "2001:10::1, protocols",
        "2001:db8::1, documentation",
        "2002:7f00:1::, 6to4",
        "2002:808:808::1, 6to4",
        "3fff::1, documentation",
        "4000::1, not assigned",
        "5f00::1, not assigned",
        "200::1, not assigned",
        "fc00::1, private",
        "fdff::1, private",
        "fe80::1, link-local",
        "fec0::1, site-local",
        "ff02::1, multicast",
    })
    void otherAddressesMayNotAndSayWhy(String address, String use) throws UnknownHostException {
        assertThat(objection(address)).contains(use);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "169.254.169.254",
                "169.254.170.2",
                "100.100.100.200",
                "168.63.129.16",
                "192.0.0.192",
                "fd00:ec2::254",
                "fd20:ce::254",
            })
    void metadataIsOpenedByItsOwnAddressAlone(String address) throws UnknownHostException {
        AddressPolicy wide = AddressPolicy.publicOnly()
                .allowing("0.0.0.0/0")
                .allowing("::/0")
                .allowing("fd00::/8");

        assertThat(objection(address)).contains("metadata");
        assertThat(objection(wide, address)).contains("metadata");
        assertThat(objection(AddressPolicy.publicOnly().allowing(address), address))
                .isNull();
    }

    @Test
    void whatIsAllowedMayBeAskedAndNothingElse() throws UnknownHostException {
        AddressPolicy policy = AddressPolicy.publicOnly()
                .allowing("10.1.0.0/16")
                .allowing("::1")
                .allowing("172.16.0.0/13");

        assertThat(objection(policy, "10.1.255.255")).isNull();
        assertThat(objection(policy, "64:ff9b::a01:1")).isNull();
        assertThat(objection(policy, "::1")).isNull();
        assertThat(objection(policy, "172.23.255.255")).isNull();
        assertThat(objection(policy, "172.24.0.0")).isNotNull();
        assertThat(objection(policy, "10.0.255.255")).isNotNull();
        assertThat(objection(policy, "10.2.0.0")).isNotNull();
        assertThat(objection(policy, "::2")).isNotNull();
        assertThat(objection(AddressPolicy.publicOnly(), "10.1.0.1")).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "/8",
                "10",
                "10.0.0.0/",
                "10.0.0.0/33",
                "10.0.0.0/-1",
                "10.0.0.0/8/8",
                "10.0.0.1/8",
                "010.0.0.0/8",
                "256.0.0.0/8",
                "10.0.0/8",
                "0x0a.0.0.0",
                "fd00::/129",
                "fd00::1/8",
                "fd00/8",
                "fe80::1%lo",
                "localhost",
                "localhost/8",
                "1.2.3.4:80",
                ".:1",
                "::ffff:0:0/96",
                "10.0.0.0/8 ",
                " ::1",
            })
    void whatIsNoBlockIsNamed(String cidr) {
        assertThatThrownBy(() -> AddressPolicy.publicOnly().allowing(cidr))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(cidr);
    }

    @Test
    void anAddressThatIsWrittenOutIsKnownWithoutALookUp() {
        assertThat(AddressBlock.literal("127.0.0.1")).containsExactly(127, 0, 0, 1);
        assertThat(AddressBlock.literal("::1")).hasSize(16).endsWith(1);
        assertThat(AddressBlock.literal("::ffff:127.0.0.1")).containsExactly(127, 0, 0, 1);
        assertThat(AddressBlock.literal("name.test")).isNull();
        assertThat(AddressBlock.literal("127.1")).isNull();
        assertThat(AddressBlock.literal("1.2.3.4.5")).isNull();
    }
}
