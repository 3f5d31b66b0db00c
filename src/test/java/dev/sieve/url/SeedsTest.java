package dev.sieve.url;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("hostile")
class SeedsTest {
    private final List<String> urls = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();
    private final Seeds seeds = new Seeds(urls::add, problem -> problems.add(problem.toString()));

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"\n", "\r\n", "\r"})
    void listHoldsAUrlALineWhateverEndsTheLines(String end) throws IOException {
        read("\ufeff# seeds", "", "  http://a/  ", "\t", "HTTP://B:80/x#y", " # more", "https://c/", end);
        assertThat(urls).containsExactly("http://a/", "http://b/x", "https://c/");
        assertThat(problems).isEmpty();
    }

    private void read(String... linesAndEnd) throws IOException {
        List<String> lines = Arrays.asList(linesAndEnd).subList(0, linesAndEnd.length - 1);
        readList(String.join(linesAndEnd[linesAndEnd.length - 1], lines).getBytes(UTF_8));
    }

    private void readList(byte[] list) throws IOException {
        seeds.readList("list", new ByteArrayInputStream(list));
    }

    @Test
    void commentMayComeAfterAUrl() throws IOException {
        String longComment = " # " + "x".repeat(100_000);
        read(
                "http://a/ # the first",
                "http://b/\t#",
                "http://c/#x # y",
                "http://d/x#y z",
                "h.test" + longComment,
                "\n");

        assertThat(urls).containsExactly("http://a/", "http://b/", "http://c/", "http://h.test/");
        assertThat(problems).containsExactly("list:4: whitespace in the URL; write a space as %20: http://d/x#y z");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n", "\r\n", "\r"})
    void badLineIsAProblemWithItsNumberAndReadingGoesOn(String end) throws IOException {
        read("http://a/", "", "example", "# x", "ftp://b/", "http://c/", "http://d..e/", "http://f/ g", end);
        assertThat(urls).containsExactly("http://a/", "http://c/");
        assertThat(problems)
                .containsExactly(
                        "list:3: no scheme: example",
                        "list:5: not http or https: ftp://b/",
                        "list:7: no valid host: http://d..e/",
                        "list:8: whitespace in the URL; write a space as %20: http://f/ g");
    }

    @Test
    void aLineWithoutSchemeIsAUrlWhereAWordIsOne() throws IOException {
        read("example.org", "localhost:81/x", "h.test/a?b#c", "list.txt", "plain", "\n");
        assertThat(urls).containsExactly("http://example.org/", "http://localhost:81/x", "http://h.test/a?b");
        assertThat(problems).containsExactly("list:4: no scheme: list.txt", "list:5: no scheme: plain");
    }

    @Test
    void credentialsAreReportedWithoutThePassword() throws IOException {
        read("http://user:secret@a/", "http://c/@?d=http://e@f/", "\n");
        seeds.read(List.of("https://user@b/"), InputStream.nullInputStream());
        assertThat(urls).containsExactly("http://a/", "http://c/@?d=http://e@f/", "https://b/");
        assertThat(problems)
                .containsExactly(
                        "list:1: user name and password are not sent: http://...@a/",
                        "command line:1: user name and password are not sent: https://...@b/");
    }

    @Test
    void anEmptyListIsNamed() throws IOException {
        readList("# nothing yet\n\n".getBytes(UTF_8));
        assertThat(problems).containsExactly("list: no URL in this list");
    }

    @Test
    void lastLineNeedsNoEnd() throws IOException {
        readList("http://a/\nhttp://b/".getBytes(UTF_8));
        readList("http://c/\r".getBytes(UTF_8));
        readList(new byte[0]);
        assertThat(urls).containsExactly("http://a/", "http://b/", "http://c/");
    }

    @Test
    void utf16ListIsReadBehindItsMark() throws IOException {
        readList("\ufeffhttp://é/\r\nhttp://b/".getBytes(UTF_16LE));
        readList("\ufeffhttp://é/\r\nhttp://b/".getBytes(UTF_16BE));
        assertThat(urls).containsExactly("http://xn--9ca/", "http://b/", "http://xn--9ca/", "http://b/");
        assertThat(problems).isEmpty();
    }

    @Test
    void aLineThatIsNotUtf8IsNamedAndNotReplaced() throws IOException {
        readList("http://a/caf\u00e9\nhttp://b/\n".getBytes(ISO_8859_1));

        assertThat(urls).containsExactly("http://b/");
        assertThat(problems)
                .containsExactly("list:1: not UTF-8; convert the list, as with 'iconv -f ISO-8859-1 -t UTF-8':"
                        + " http://a/caf\ufffd");
    }

    @Test
    void controlCharactersOfABadLineAreNotPrinted() throws IOException {
        readList("\u001b[31mred\u202e\u0000".getBytes(UTF_8));
        assertThat(problems).containsExactly("list:1: no scheme: ?[31mred??");
    }

    @Test
    void credentialsOfABadLineAreNotPrinted() throws IOException {
        readList("https://me:secret@@example.org:99999/a@b".getBytes(UTF_8));

        assertThat(problems).hasSize(1);
        assertThat(problems.get(0))
                .contains("https://...@example.org:99999/a@b")
                .doesNotContain("secret");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://a..b/ https://me:secret@h/",
                "https:\\\\me:secret@h:99999/",
                "HTTPS:me:secret@h:99999/",
                "//me:secret@h/",
                "http://me:my secret@h:99999/",
            })
    void credentialsAreNotPrintedHoweverTheyAreWritten(String line) throws IOException {
        readList((line + "\n" + line.replace("secret", "secret".repeat(100))).getBytes(UTF_8));

        assertThat(problems).hasSize(2).noneMatch(problem -> problem.contains("secret"));
    }

    @Test
    void lineBeyondTheLimitIsOneBadLine() throws IOException {
        String longLine = "http://h/" + "a".repeat(100_000);
        read("http://a/", longLine, " ".repeat(100_000), "#" + longLine, "http://b/", "\n");
        assertThat(urls).containsExactly("http://a/", "http://b/");
        assertThat(problems).hasSize(2);
        assertThat(problems.get(0))
                .startsWith("list:2: longer than 8192 characters: http://h/aaa")
                .hasSizeLessThan(300);
        assertThat(problems.get(1)).startsWith("list:3: longer than 8192 characters");
    }

    @Test
    void binaryJunkIsBadLinesAndNoMore() throws IOException {
        long seed = 7;
        byte[] junk = new byte[200_000];
        new Random(seed).nextBytes(junk);
        readList(junk);
        readList("\nhttp://é/\n".getBytes(ISO_8859_1));
        assertThat(urls).isEmpty();
        assertThat(problems).isNotEmpty().allMatch(problem -> problem.length() < 600);
    }

    @Test
    void endlessListsAreStreamed() throws IOException {
        byte[] line = "http://example.com/0123456789\n".getBytes(UTF_8);
        AtomicLong handed = new AtomicLong();
        Seeds counting = new Seeds(url -> handed.incrementAndGet(), problem -> problems.add(problem.toString()));
        counting.readList("long", repeated(line, 50_000));
        assertThat(handed).hasValue(50_000);

        counting.readList("without line ends", repeated(new byte[4096], 500));
        assertThat(problems).hasSize(1);
    }

    private static InputStream repeated(byte[] part, int times) {
        return new InputStream() {
            private long left = (long) part.length * times;

            @Override
            public int read() {
                return left > 0 ? part[(int) (left-- % part.length)] : -1;
            }

            @Override
            public int read(byte[] into, int from, int length) {
                int n = (int) Math.min(length, left);
                long start = (long) part.length * times - left;
                for (int i = 0; i < n; i++) {
                    into[from + i] = part[(int) ((start + i) % part.length)];
                }
                left -= n;
                return n == 0 ? -1 : n;
            }
        };
    }

    @Test
    void wordsAreUrlsFilesAndStandardInputInTheirOrder() throws IOException {
        Path file = Files.writeString(directory.resolve("my.seeds"), "http://from-file/\nbad\n");
        InputStream standardInput = new ByteArrayInputStream("http://from-input/\nworse".getBytes(UTF_8));
        seeds.read(List.of("HTTPS://a", file.toString(), "-", "example.com/x", "http://b:0/"), standardInput);
        assertThat(urls)
                .containsExactly("https://a/", "http://from-file/", "http://from-input/", "http://example.com/x");
        assertThat(problems)
                .containsExactly(
                        file + ":2: no scheme: bad",
                        "standard input:2: no scheme: worse",
                        "command line:5: no valid port: http://b:0/");
    }

    @ParameterizedTest
    @CsvSource({
        "example.com, http://example.com/",
        "example.com:8080/x?y, http://example.com:8080/x?y",
        "www.example.com/seeds.txt, http://www.example.com/seeds.txt",
        "localhost, http://localhost/",
        "localhost:8101/index.html, http://localhost:8101/index.html",
        "127.0.0.1:8101, http://127.0.0.1:8101/",
        "[::1]:8101, http://[::1]:8101/",
        "例え.jp, http://xn--r8jz45g.jp/"
    })
    void wordThatLooksLikeAUrlIsOne(String word, String url) throws IOException {
        seeds.read(List.of(word), InputStream.nullInputStream());
        assertThat(urls).containsExactly(url);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "no-such-list.txt",
                "Seeds.CSV",
                "seeds",
                "lists/seeds.txt",
                "./seeds",
                "../example.com",
                "/no/such.file",
                "C:\\seeds",
                "8101",
                "",
                "ftp://example.com/",
                "mailto:a@example.com",
                "javascript:x.y",
                "a..b",
                "x\u0000.y z"
            })
    void fileThatDoesNotExistIsNamed(String word) {
        assertThatThrownBy(() -> seeds.read(List.of(word), InputStream.nullInputStream()))
                .isInstanceOf(IOException.class)
                .hasMessage("'" + word.replace('\u0000', '?') + "' is neither an existing file nor an http(s) URL");
        assertThat(urls).isEmpty();
    }

    @Test
    void fileGoesBeforeWhatLooksLikeAUrl() throws IOException {
        Path file = Files.writeString(directory.resolve("example.com"), "http://a/");
        seeds.read(List.of(file.toString()), InputStream.nullInputStream());
        assertThat(urls).containsExactly("http://a/");
    }

    @Test
    void linkAndPipeAreReadLikeFiles() throws Exception {
        Path file = Files.writeString(directory.resolve("list"), "http://a/");
        Path link = Files.createSymbolicLink(directory.resolve("link.txt"), file);
        Path pipe = directory.resolve("pipe");
        assumeTrue(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor() == 0, "mkfifo fails here");
        CompletableFuture<Path> writer = CompletableFuture.supplyAsync(() -> {
            try {
                return Files.writeString(pipe, "http://b/\nbad\nhttp://c/");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        seeds.read(List.of(link.toString(), pipe.toString()), InputStream.nullInputStream());
        writer.get();
        assertThat(urls).containsExactly("http://a/", "http://b/", "http://c/");
        assertThat(problems).containsExactly(pipe + ":2: no scheme: bad");
    }

    @Test
    void linkToNowhereIsNamed() throws IOException {
        Path link = Files.createSymbolicLink(directory.resolve("link.txt"), directory.resolve("gone"));
        assertThatThrownBy(() -> seeds.read(List.of(link.toString()), InputStream.nullInputStream()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(link.toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<!doctype html>\n<a href=x>",
                "\n <?xml version='1.0'?>",
                "<urlset>",
                "<a href='http://a.test/'>"
            })
    void documentIsNotAList(String text) throws IOException {
        Path file = Files.writeString(directory.resolve("index.html"), text);
        assertThatThrownBy(() -> seeds.read(List.of(file.toString()), InputStream.nullInputStream()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file.toString())
                .hasMessageEndingWith(Seeds.NOT_A_LIST);
    }

    @Test
    void directoryIsRefusedByName() {
        assertThatThrownBy(() -> seeds.read(List.of(directory.toString()), InputStream.nullInputStream()))
                .isInstanceOf(IOException.class)
                .hasMessage("a directory, not a list of URLs: " + directory);
    }

    @Test
    void failureWhileReadingNamesSourceAndLine() {
        InputStream ends = new ByteArrayInputStream("http://a/\nhttp://b/\n".getBytes(UTF_8));
        InputStream failing = new SequenceInputStream(ends, new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("gone");
            }

            @Override
            public int read(byte[] into, int from, int length) throws IOException {
                throw new IOException("gone");
            }
        });
        assertThatThrownBy(() -> seeds.readList("disk", failing))
                .isInstanceOf(IOException.class)
                .hasMessage("cannot read disk after line 2: gone");
        assertThat(urls).containsExactly("http://a/", "http://b/");
    }
}
