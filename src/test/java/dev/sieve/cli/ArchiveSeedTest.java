package dev.sieve.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sieve.crawl.Site;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A crawl of an archive, without the network. */
class ArchiveSeedTest {
    private static final String RECORD = """
            WARC/1.1\r
            WARC-Type: %s\r
            WARC-Target-URI: %s\r
            WARC-Date: 2026-01-01T00:00:00Z\r
            WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-00000000000%d>\r
            Content-Type: application/http;msgtype=response\r
            %sContent-Length: %d\r
            \r
            %s\r
            \r
            """;
    private static final String HTML = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";

    @TempDir
    private Path folder;

    private int records;

    private String record(String type, String url, String fields, String content) {
        return RECORD.formatted(type, url, records++ % 10, fields, content.length(), content);
    }

    private static byte[] gzip(byte[] bytes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(bytes);
        }
        return out.toByteArray();
    }

    private Path write(String name, String... contents) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (String each : contents) {
            byte[] bytes = each.getBytes(ISO_8859_1);
            out.writeBytes(name.endsWith(".gz") ? gzip(bytes) : bytes);
        }
        return Files.write(folder.resolve(name), out.toByteArray());
    }

    private Map<String, JsonNode> crawl(Path archive, String... options) throws IOException {
        Path file = folder.resolve("pages.jsonl");
        String[] arguments = Arrays.copyOf(options, options.length + 4);
        System.arraycopy(
                new String[] {"-q", archive.toString(), "-o=" + file, "--force"}, 0, arguments, options.length, 4);
        assertThat(Run.of(Main.commandLine(), arguments).exitCode()).isZero();
        Map<String, JsonNode> pages = new TreeMap<>();
        for (String line : Files.readAllLines(file)) {
            JsonNode page = new ObjectMapper().readTree(line);
            pages.put(page.get("url").asText(), page);
        }
        return pages;
    }

    @ParameterizedTest
    @ValueSource(strings = {"site.warc.gz", "site.warc"})
    void recordsOfAnArchiveAreThoseOfItsCrawl(String name) throws IOException {
        Path archive = folder.resolve(name);
        Path first = folder.resolve("first.jsonl");
        String text = "<p>some words of text";
        try (Site site = new Site()) {
            site.html(
                    "/",
                    "<title>t</title><a href=/a>a</a><a href=/b>b</a><a href=/moved>m</a><a href=/gone>g</a>" + text);
            site.html("/a", "<title>same</title>" + text);
            site.html("/b", "<title>same</title>" + text);
            site.redirect("/moved", "/a");
            Run run = Run.of(
                    Main.commandLine(), "-q", site.url("/"), "--delay=0", "-o=" + archive, "-o=" + first, "--text");
            assertThat(run.exitCode()).isZero();
        }

        Map<String, JsonNode> again = crawl(archive, "--delay=1h", "--text");

        assertThat(again).hasSize(5);
        for (String line : Files.readAllLines(first)) {
            JsonNode before = new ObjectMapper().readTree(line);
            JsonNode after = again.get(before.get("url").asText());
            for (String field :
                    new String[] {"status", "type", "title", "links", "redirect_to", "text", "text_digest"}) {
                assertThat(after.get(field)).as(field).isEqualTo(before.get(field));
            }
        }
    }

    @Test
    void revisitsAreResolvedByDigestOrUrl() throws IOException {
        String digest = "WARC-Payload-Digest: sha1:AAAA\r\n";
        String profile = "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n";
        Path archive = write(
                "x.warc.gz",
                record("response", "http://a.test/", digest, HTML + "\r\n<title>one</title>"),
                record("revisit", "http://a.test/same", digest + profile, HTML + "\r\n"),
                record(
                        "revisit",
                        "http://a.test/other",
                        profile + "WARC-Refers-To-Target-URI: http://a.test/\r\n",
                        HTML + "\r\n"),
                record("revisit", "http://a.test/lost", "WARC-Payload-Digest: sha1:BBBB\r\n" + profile, HTML + "\r\n"),
                record("response", "http://a.test/later", "", HTML + "\r\n<title>old</title>"),
                record("response", "http://a.test/later", "", HTML + "\r\n<title>new</title>"));

        Map<String, JsonNode> pages = crawl(archive);

        assertThat(pages.get("http://a.test/same").get("title").asText()).isEqualTo("one");
        assertThat(pages.get("http://a.test/other").get("title").asText()).isEqualTo("one");
        assertThat(pages.get("http://a.test/later").get("title").asText()).isEqualTo("new");
        assertThat(pages).doesNotContainKey("http://a.test/lost");
    }

    @Test
    void whatIsNotInTheArchiveIsNotRequested() throws IOException {
        Path archive = write(
                "x.warc",
                record(
                        "response",
                        "http://a.test/",
                        "",
                        HTML + "\r\n<a href=/b>b</a><a href=http://127.0.0.1:1/>c</a>"));
        Path skipped = folder.resolve("skipped.tsv");

        crawl(archive, "--check-links", "--skipped=" + skipped);

        assertThat(Files.readString(skipped))
                .contains("http://a.test/b\tnot in the archive", "http://127.0.0.1:1/\tnot in the archive");
    }

    @Test
    void bodiesAreDecodedAndMayBeTruncated() throws IOException {
        String chunked = HTML + "Transfer-Encoding: chunked\r\n\r\n10\r\n<title>c</title>\r\n0\r\n\r\n";
        String packed = HTML + "Content-Encoding: gzip\r\n\r\n"
                + new String(gzip("<title>g</title>".getBytes(ISO_8859_1)), ISO_8859_1);
        Path archive = write(
                "x.warc",
                record("response", "http://a.test/c", "", chunked),
                record("response", "http://a.test/g", "", packed),
                record("response", "http://a.test/t", "WARC-Truncated: length\r\n", HTML + "\r\n<title>t</title>"));

        Map<String, JsonNode> pages = crawl(archive);

        assertThat(pages.get("http://a.test/c").get("title").asText()).isEqualTo("c");
        assertThat(pages.get("http://a.test/g").get("title").asText()).isEqualTo("g");
        assertThat(pages.get("http://a.test/t").get("title").asText()).isEqualTo("t");
        assertThat(pages.get("http://a.test/t").get("error").asText()).isNotEmpty();
    }

    @Test
    void headersOfAnArchiveMayBeBeyondAscii() throws IOException {
        String name = new String("é".getBytes(UTF_8), ISO_8859_1);
        Path archive = write(
                "x.warc",
                record(
                        "response",
                        "http://a.test/",
                        "",
                        "HTTP/1.1 302 Found\r\nX-Name: " + name + "\r\nLocation: /" + name + "\r\n\r\n"),
                record("response", "http://a.test/%C3%A9", "", HTML + "\r\n<title>one</title>"));

        assertThat(crawl(archive).get("http://a.test/").get("redirect_to").asText())
                .isEqualTo("http://a.test/%C3%A9");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "WARC-Payload-Digest: none\r\n",
                "WARC-Target-URI: http://a.test/c\r\n",
                "WARC-Block-Digest: none\r\n",
            })
    void anArchiveIsReadUpToAWrongField(String field) throws IOException {
        Path archive = write(
                "x.warc",
                record("response", "http://a.test/", "", HTML + "\r\n<title>one</title>"),
                record("response", "http://a.test/b", field, HTML + "\r\n<title>b</title>"));

        assertThat(crawl(archive)).containsKey("http://a.test/");
    }

    @Test
    void aDamagedArchiveIsReadUpToTheDamage() throws IOException {
        String first = record("response", "http://a.test/", "", HTML + "\r\n<title>one</title>");
        Path archive =
                write("x.warc.gz", first, record("response", "http://a.test/b", "", HTML + "\r\n<title>b</title>"));
        byte[] bytes = Files.readAllBytes(archive);
        Files.write(archive, Arrays.copyOf(bytes, bytes.length - 20));

        assertThat(crawl(archive)).containsKey("http://a.test/");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--job=x | an archive cannot be crawled with '--job', '--frontier' or an archive as output",
                "-o=x.warc.gz | an archive cannot be crawled with '--job', '--frontier' or an archive as output",
                "--base-path=/x/ | Option '--base-path' requires 'a folder as SEED'",
            })
    void whatCannotBeDoneIsRefused(String option, String message) throws IOException {
        Path archive = write("a.warc", record("response", "http://a.test/", "", HTML + "\r\n"));

        Run run = Run.of(Main.commandLine(), "-q", archive.toString(), option.replace("=x", "=" + folder.resolve("x")));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains(message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "no archive", "WARC/1.1\r\nX: ", "WARC/1.1\r\n"})
    void whatIsNotAnArchiveIsNamed(String content) throws IOException {
        Path archive = write("a.warc", content.startsWith("WARC") ? content + "a: b\r\n".repeat(400_000) : content);

        Run run = Run.of(Main.commandLine(), "-q", archive.toString());

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains(archive + " is not an archive: ");
    }
}
