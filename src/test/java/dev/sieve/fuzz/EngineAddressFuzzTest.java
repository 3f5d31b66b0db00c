package dev.sieve.fuzz;

import dev.sieve.shared.EngineAddress;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Any text is an address that can be written and read again, or is refused; the password is never shown. */
@Tag("hostile")
public class EngineAddressFuzzTest {
    private static final String[] WORDS = Fuzzer.words("""
            redis://  valkeys://  rediss:  /  //  @  :  [  ]  %  %2F  %c3%a9  %00  +  h  127.0.0.1  ::1  fe80::
            6379  65536  0  007  99999999999  a  A-._  é  \0  ?  #  \ud800
            """, "\n", " ", "x".repeat(300));

    @Test
    void everyTextIsReadOrRefused() {
        Fuzzer.run(
                EngineAddressFuzzTest::fuzzerTestOneInput,
                6_000,
                "0redis://user:pa%25ss@host:6379/1/name",
                "0valkeys://:p@[::1]:7000/a",
                "0redis://h/a",
                "0redis://h,i:1,[::1]:2/a");
    }

    public static void fuzzerTestOneInput(byte[] input) {
        String text = Fuzzer.text(input, WORDS);
        EngineAddress address = parse(text);
        if (address != null) {
            check(address.database() >= 0 && !address.servers().isEmpty(), "numbers", text);
            check(address.name().matches("[A-Za-z0-9._-]{1,64}"), "name", text);
            check(address.toString().matches("[!-~]+"), "not printable", text);
            EngineAddress bare = new EngineAddress(
                    address.scheme(), null, null, address.servers(), address.database(), address.name());
            String name = address.name().matches("[0-9]+") ? null : address.toString();
            check(name == null || bare.equals(EngineAddress.parse(name)), "another address", text);
        }
        String secret = "s3cr3t" + URLEncoder.encode(text, StandardCharsets.UTF_8);
        EngineAddress with = parse("redis://u:" + secret + "@" + text);
        check(with == null || !with.toString().contains("s3cr3t"), "the password is shown", text);
    }

    private static EngineAddress parse(String text) {
        try {
            return EngineAddress.parse(text);
        } catch (IllegalArgumentException e) {
            check(e.getMessage().matches("[ -~]{10,500}"), "not printable: " + e.getMessage(), text);
            check(!e.getMessage().contains("s3cr3t"), "the password is shown: " + e.getMessage(), text);
            return null;
        }
    }

    private static void check(boolean holds, String what, String text) {
        if (!holds) {
            throw new AssertionError(what + ": " + text);
        }
    }
}
