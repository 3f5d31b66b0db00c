package dev.sieve.fuzz;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.url.Seeds;
import dev.sieve.url.UrlNormalizer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each line of a list of seeds that is neither blank nor a comment is a URL or a problem, and each word likewise. */
@Tag("hostile")
public class SeedsFuzzTest {
    private static final String[] WORDS =
            Fuzzer.words("""
            http://h/a  https://user:secret@h/  ftp://h/  example.com  localhost  :80  /  x  #  \ufeff
            \0  \u001b[31m  \ud800  -  .txt  [::1]  [0:1:2:3:4:5:6::8]  %  @  \\  é
            """, "\u2028", "\u000b", "\u3000", " ", "\t", "\n", "\r", "\r\n", "\u0085", "a".repeat(5000));

    @Test
    void everyListIsRead() {
        Fuzzer.run(
                SeedsFuzzTest::fuzzerTestOneInput,
                4_000,
                "0http://h/a\nhttps://user:secret@h/\n# c\n\nftp://h/\nexample.com\r\nhttp://h/b c\r",
                "0[::1]:80/x");
    }

    public static void fuzzerTestOneInput(byte[] input) throws IOException {
        String text = Fuzzer.text(input, WORDS);
        List<String> urls = new ArrayList<>();
        List<Seeds.Problem> problems = new ArrayList<>();
        Seeds seeds = new Seeds(urls::add, problems::add);
        byte[] bytes = text.getBytes(UTF_8);
        try {
            seeds.readList("list", new ByteArrayInputStream(bytes));
        } catch (IOException e) {
            check(String.valueOf(e.getMessage()).contains("HTML or XML"), "not read: " + e, text);
            return;
        }
        boolean isUtf16 = bytes.length > 1 && ((bytes[0] & 0xff) << 8 | (bytes[1] & 0xff)) >= 0xfeff;
        String content = new String(bytes, UTF_8).replaceFirst("^\ufeff", "");
        long lines = Stream.of(content.split("\r\n|\r|\n", -1))
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .count();
        long refused = problems.stream()
                .filter(problem -> !problem.toString().matches("(?s)list:[0-9]+: user name and password.*|list: .*"))
                .count();
        check(isUtf16 || lines == urls.size() + refused, lines + " lines, " + urls + problems, text);
        check(urls.stream().allMatch(url -> url.equals(UrlNormalizer.parse(url))), "URLs " + urls, text);
        for (Seeds.Problem problem : problems) {
            check(problem.toString().matches("[^\\p{Cntrl}\u2028\u2029]*"), "not printable: " + problem, text);
            check(!problem.toString().contains("//user:secret@"), "a password: " + problem, text);
        }
        readWord(seeds, text);
    }

    private static void readWord(Seeds seeds, String word) {
        try {
            seeds.read(List.of(word), InputStream.nullInputStream());
        } catch (IOException e) {
            check(e.getMessage() != null, "no message", word);
        }
    }

    private static void check(boolean holds, String what, String text) {
        if (!holds) {
            throw new AssertionError(what + ": " + text);
        }
    }
}
