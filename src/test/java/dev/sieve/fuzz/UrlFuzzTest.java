package dev.sieve.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.url.Printable;
import dev.sieve.url.Refusal;
import dev.sieve.url.UrlNormalizer;
import dev.sieve.url.UrlParts;
import java.nio.charset.Charset;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import okhttp3.HttpUrl;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Any text is refused, with a reason, or has one spelling to fetch, which OkHttp sends as it is; its host is the one that
 * OkHttp reads from the text, or one of the documented differences.
 */
@Tag("hostile")
public class UrlFuzzTest {
    private static final String[] WORDS = Fuzzer.words("""
            http:  https:  HTTP:  ftp:  //  /  \\  ..  .  %2e  %  %4  %41  2e  ?  #  @  :  :80  :443  :81
            :65536  example.com  example.com:8443  a  B  é  ß  例  １  0x  0177  256  127  4294967295  [  ]  ::
            ffff:  1:2:3:4:  0:0:  1.2.3.4  xn--  xn--a  -  _  ~  \u00ad  。  ％  \ud83d  \ude00  \ufffe
            \u0000  \u007f  <  |  ^  '  "  `  {  &  =  *  !  $  ,  ;  a.b  co.uk  www.  \u0130  \u1e9e
            \ufeff
            """, "\u200d", "\u2028", " ", "\t", "\n");
    private static final List<UrlNormalizer.Base> BASES = Stream.of(
                    "UTF-8", "windows-1252", "Shift_JIS", "ISO-2022-JP", "GB18030")
            .map(Charset::forName)
            .map(charset -> UrlNormalizer.base("https://example.com:8443/a/b/c?d", charset))
            .toList();

    private static final Pattern IPV4 = Pattern.compile("[0-9.]+");

    @Test
    void everyUrlHasOneSpellingOrIsRefused() {
        Fuzzer.run(
                UrlFuzzTest::fuzzerTestOneInput,
                12_000,
                "0http://example.com:80/a/../b c?q#top",
                "0https:\\\\user:word@h\\x",
                "0http://[0:1:2:3:4:5:6::8]/",
                "0http://[::ffff:1.2.3.4]:81/?q",
                "0http://0x7f.1/%7euser/%zz%41?é'",
                "0//例え.jp/é?ü#x",
                "0http://xn--r8jz45g.jp/a|b");
    }

    @Test
    void someTextsAreUrlsAndSomeAreNot() {
        Random random = new Random(20_260_321);
        UrlNormalizer.Base base = BASES.get(0);
        int accepted = 0;
        for (int i = 0; i < 40_000; i++) {
            StringBuilder reference = new StringBuilder(random.nextInt(3) == 0 ? "http://" : "");
            for (int n = random.nextInt(8); n >= 0; n--) {
                reference.append(WORDS[random.nextInt(WORDS.length)]);
            }
            accepted += checkResolved(base, reference.toString()) ? 1 : 0;
        }
        assertThat(accepted).isBetween(10_000, 39_000);
    }

    public static void fuzzerTestOneInput(byte[] input) {
        String text = Fuzzer.text(input, WORDS);
        String url = UrlNormalizer.parse(text);
        check((url == null) == (UrlNormalizer.refusal(text) != null), "refusal", text);
        Printable.of(text);
        if (url != null) {
            checkStable(url);
        }
        checkHost(text, url);
        for (UrlNormalizer.Base base : BASES) {
            checkResolved(base, text);
        }
    }

    /** Returns whether a reference is a URL. */
    private static boolean checkResolved(UrlNormalizer.Base base, String reference) {
        String url = base.resolve(reference);
        check((url == null) == (base.refusal() != null), "refusal", reference);
        if (url != null) {
            checkStable(url);
        }
        return url != null;
    }

    /** Nothing that could break a header or a log; a fixed point, and so is the key; OkHttp sends the same URL. */
    public static void checkStable(String url) {
        check(url.length() <= UrlNormalizer.MAX_LENGTH, "length", url);
        check(url.chars().allMatch(c -> c > ' ' && c < 0x7f && "#<>".indexOf(c) < 0), "characters", url);
        check(url.equals(UrlNormalizer.parse(url)), "a fixed point", url);
        String key = UrlNormalizer.key(url);
        check(key.equals(UrlNormalizer.key(key)) && key.equals(UrlNormalizer.parse(key)), "key", url);
        String sent = HttpUrl.get(url).toString();
        check(sent.equals(url) || isMapped(url), "sent as " + sent, url);
        String host = UrlParts.host(url);
        check(host.endsWith(UrlParts.domain(url)), "domain", url);
        String whole = UrlParts.origin(url) + UrlParts.pathAndQuery(url);
        check(whole.equals(url) || url.contains(host + "."), "parts", url);
    }

    /** Checks the host, or the refusal, against what OkHttp makes of the same text. */
    private static void checkHost(String text, String url) {
        HttpUrl okHttp = okHttp(text.replaceAll("[\t\n\r]", "").replaceAll("^[\0- ]+|[\0- ]+$", ""));
        String host = url == null ? null : UrlParts.host(url);
        if (host != null && host.startsWith("[")) {
            check(host.equals(Ipv6.spell(text)), "IPv6 address, expected " + Ipv6.spell(text), text);
        } else if (okHttp == null) {
            check(host == null || IPV4.matcher(host).matches() || text.contains("%"), "OkHttp refuses " + host, text);
        } else if (host == null) {
            String other = okHttp.host();
            boolean isNumber = other.matches("(?s)(.*\\.)?([0-9]+|0x[0-9a-f]*)\\.?");
            boolean isPunycode = other.contains("xn--");
            boolean isNotIpv6 = other.contains(":") && Ipv6.spell(text) == null;
            boolean isInvalid = other.matches("(?s).*[<>^|].*|\\..*|.*\\.\\..*|\\.?");
            boolean isTooLong = UrlNormalizer.refusal(text) == Refusal.TOO_LONG;
            check(isNumber || isPunycode || isNotIpv6 || isInvalid || isTooLong, "OkHttp takes " + other, text);
        } else if (!IPV4.matcher(host).matches()) {
            String other = UrlParts.host("http://" + okHttp.host() + "/");
            check(host.equals(other), "OkHttp reads " + other + ", not " + host, text);
        }
    }

    private static HttpUrl okHttp(String text) {
        try {
            return HttpUrl.parse(text);
        } catch (RuntimeException e) {
            return null;
        }
    }

    /** Whether a host is an IPv4-mapped IPv6 address, which OkHttp turns into an IPv4 address. */
    private static boolean isMapped(String url) {
        return url.startsWith("[::ffff:", url.indexOf("//") + 2);
    }

    private static void check(boolean holds, String what, String text) {
        if (!holds) {
            throw new AssertionError(what + ": " + text);
        }
    }
}
