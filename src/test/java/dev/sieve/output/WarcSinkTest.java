package dev.sieve.output;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.fetch.Exchange;
import dev.sieve.fetch.Exchange.Cut;
import dev.sieve.output.Archive.Entry;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.netpreserve.jwarc.WarcDigest;

/** What is in an archive, which readers that others wrote accept. */
@Timeout(60)
class WarcSinkTest {
    private static final Instant TIME = Instant.parse("2026-11-22T02:35:42.570Z");
    private static final String REQUEST = "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n";
    private static final String HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
    private static final long MEMORY = 1 << 20;

    @TempDir
    private Path folder;

    private Path file(String name) {
        return folder.resolve(name);
    }

    private static Exchange exchange(String url, String head, byte[] body, Cut cut) throws IOException {
        InetAddress address = InetAddress.getByName("2001:db8::1");
        return new Exchange(url, TIME, address, REQUEST, head, body, cut, null, null);
    }

    private static Exchange page(String url, String body) throws IOException {
        return exchange(url, HEAD, body.getBytes(UTF_8), Cut.NONE);
    }

    private static OutputOpening opening(StandardOpenOption how, FileEnds ends) {
        return new OutputOpening(how, false, ends, "sieve/test", "");
    }

    private static WarcSink open(Path file, StandardOpenOption how) throws IOException {
        return new WarcSink(file, opening(how, FileEnds.NONE), MEMORY);
    }

    private void write(Path file, StandardOpenOption how, Exchange... exchanges) throws IOException {
        try (WarcSink sink = open(file, how)) {
            for (Exchange each : exchanges) {
                sink.exchanged(each);
            }
        }
    }

    private List<Entry> written(Exchange... exchanges) throws IOException {
        write(file("a.warc.gz"), CREATE_NEW, exchanges);
        return Archive.read(file("a.warc.gz"));
    }

    private static byte[] sha1(byte[]... parts) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-1");
        for (byte[] part : parts) {
            digest.update(part);
        }
        return digest.digest();
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.warc.gz", "a.warc", "A.WARC.GZ"})
    void anExchangeIsARequestAndAResponse(String name) throws Exception {
        write(file(name), CREATE_NEW, page("http://a.test/?q=1", "<p>hello"));

        List<Entry> records = Archive.read(file(name));

        assertThat(records).extracting(Entry::type).containsExactly("warcinfo", "request", "response");
        Entry info = records.get(0);
        Entry request = records.get(1);
        Entry response = records.get(2);
        assertThat(info.field("WARC-Filename")).isEqualTo(name);
        assertThat(request.field("WARC-Concurrent-To")).isEqualTo(response.field("WARC-Record-ID"));
        assertThat(response.payload()).asString(UTF_8).isEqualTo("<p>hello");
        assertThat(new WarcDigest(response.field("WARC-Payload-Digest")).bytes())
                .isEqualTo(sha1("<p>hello".getBytes(UTF_8)));
        assertThat(new WarcDigest(response.field("WARC-Block-Digest")).bytes())
                .isEqualTo(sha1(HEAD.getBytes(UTF_8), "<p>hello".getBytes(UTF_8)));
        for (Entry each : records.subList(1, 3)) {
            assertThat(each.url()).isEqualTo("http://a.test/?q=1");
            assertThat(each.field("WARC-Date")).isEqualTo(TIME.toString());
            assertThat(each.field("WARC-IP-Address")).isEqualTo("2001:db8::1");
            assertThat(each.field("WARC-Warcinfo-ID")).isEqualTo(info.field("WARC-Record-ID"));
            assertThat(each.field("WARC-Truncated")).isNull();
            assertThat(each.record().version().toString()).isEqualTo("WARC/1.1");
        }
    }

    @Test
    void whatABrowserHasMadeIsAConversionOfTheResponse() throws Exception {
        byte[] html = "<!DOCTYPE html><h1>caf\u00e9</h1>".getBytes(UTF_8);
        List<Entry> records = written(
                page("http://a.test/1", "<script>").rendered(html, false),
                page("http://a.test/2", "<script>")
                        .rendered(html, true)
                        .withoutCookies()
                        .after(null));

        assertThat(records)
                .extracting(Entry::type)
                .containsExactly("warcinfo", "request", "response", "conversion", "request", "revisit", "conversion");
        for (int i : new int[] {3, 6}) {
            Entry made = records.get(i);
            assertThat(made.payload()).isEqualTo(html);
            assertThat(made.field("Content-Type")).isEqualTo("text/html;charset=utf-8");
            assertThat(made.field("WARC-Refers-To"))
                    .isEqualTo(records.get(i - 1).field("WARC-Record-ID"));
            assertThat(made.url()).isEqualTo(records.get(i - 1).url());
            assertThat(made.field("WARC-Date")).isEqualTo(TIME.toString());
            assertThat(made.field("WARC-Warcinfo-ID")).isEqualTo(records.get(0).field("WARC-Record-ID"));
            assertThat(new WarcDigest(made.field("WARC-Block-Digest")).bytes()).isEqualTo(sha1(html));
            assertThat(new WarcDigest(made.field("WARC-Payload-Digest")).bytes())
                    .isEqualTo(sha1(html));
        }
        assertThat(records.get(3).field("WARC-Truncated")).isNull();
        assertThat(records.get(6).field("WARC-Truncated")).isEqualTo("length");
    }

    @Test
    void aPayloadThatIsInTheArchiveIsARevisit() throws IOException {
        List<Entry> records = written(
                page("http://a.test/", "same"), page("http://a.test/other", "same"), page("http://a.test/", "new"));

        assertThat(records)
                .extracting(Entry::type)
                .containsExactly("warcinfo", "request", "response", "request", "revisit", "request", "response");
        Entry first = records.get(2);
        Entry revisit = records.get(4);
        assertThat(revisit.url()).isEqualTo("http://a.test/other");
        assertThat(revisit.field("WARC-Refers-To")).isEqualTo(first.field("WARC-Record-ID"));
        assertThat(revisit.field("WARC-Refers-To-Target-URI")).isEqualTo("http://a.test/");
        assertThat(revisit.field("WARC-Refers-To-Date")).isEqualTo(first.field("WARC-Date"));
        assertThat(revisit.field("WARC-Payload-Digest")).isEqualTo(first.field("WARC-Payload-Digest"));
        assertThat(revisit.field("Content-Length")).isEqualTo(String.valueOf(HEAD.length()));
    }

    @Test
    void anEmptyOrCutPayloadIsNeverARevisit() throws IOException {
        byte[] body = "same".getBytes(UTF_8);
        List<Entry> records = written(
                page("http://a.test/1", ""),
                page("http://a.test/2", ""),
                exchange("http://a.test/3", HEAD, body, Cut.LENGTH),
                page("http://a.test/4", "same"),
                exchange("http://a.test/5", HEAD, body, Cut.TIME));

        assertThat(records).extracting(Entry::type).doesNotContain("revisit");
    }

    @Test
    void payloadsThatNoLongerFitIntoMemoryAreWrittenAgain() throws IOException {
        try (WarcSink sink = new WarcSink(file("a.warc.gz"), opening(CREATE_NEW, FileEnds.NONE), 50_000)) {
            for (int i = 0; i <= 1000; i++) {
                sink.exchanged(page("http://a.test/", "page " + i % 1000));
            }
            sink.exchanged(page("http://a.test/", "page 999"));
        }
        List<Entry> records = Archive.read(file("a.warc.gz"));

        assertThat(records.get(records.size() - 3).type()).isEqualTo("response");
        assertThat(records.get(records.size() - 1).type()).isEqualTo("revisit");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", "0", "0\r\n\r\n", "abc", "abc\r\ndef", "5\r\nhello\r\n0\r\n\r\n", "1;x=y\r\n1", "1,2\r\n3,4\r\n",
                        "a b",
                "Disallow: /", "<p>", "\r\n", " 1\r\n2", "ffffffffffffffffffffffff", "12 \r\nx", "7\n8\n", ";", "\n"
            })
    void aPayloadThatWasChunkedIsReadAsItIs(String body) throws IOException {
        String head = "HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n";
        byte[] small = body.getBytes(US_ASCII);
        byte[] large = (body + "\n").repeat(10_000).getBytes(US_ASCII);

        List<Entry> records = written(
                exchange("http://a.test/1", head, small, Cut.NONE), exchange("http://a.test/2", head, large, Cut.NONE));

        assertThat(records.get(2).payload()).isEqualTo(small);
        assertThat(records.get(4).payload()).isEqualTo(large);
    }

    @Test
    void whyABodyWasCutIsSaid() throws IOException {
        byte[] body = "cut".getBytes(UTF_8);
        List<Entry> records = written(
                exchange("http://a.test/1", HEAD, body, Cut.LENGTH),
                exchange("http://a.test/2", HEAD, body, Cut.TIME),
                exchange("http://a.test/3", HEAD, body, Cut.DISCONNECT),
                exchange("http://a.test/4", HEAD, body, Cut.OTHER));

        assertThat(records.stream().filter(each -> each.type().equals("response")))
                .extracting(each -> each.field("WARC-Truncated"))
                .containsExactly("length", "time", "disconnect", "unspecified");
    }

    @Test
    void headsOfAnyKindAreAccepted() throws IOException {
        List<String> fields = List.of(
                "X: <script>\"'",
                "x y: z",
                ": empty",
                "Ü: ä\u0085\u202e",
                "A: \u0001\u0007",
                "Content-Type: \"",
                "é: \ufffd");
        Exchange[] exchanges = new Exchange[fields.size() + 1];
        for (int i = 0; i < fields.size(); i++) {
            String head = "HTTP/1.1 200 \u00e9\r\n" + fields.get(i) + "\r\nSet-Cookie: a\r\nset-cookie: b\r\n\r\n";
            exchanges[i] = exchange("http://a.test/'%22|" + i, head, ("body " + i).getBytes(UTF_8), Cut.NONE);
        }
        exchanges[fields.size()] = exchange("http://a.test/last", "HTTP/1.0 299 \r\n\r\n", new byte[] {0, 1}, Cut.NONE);

        List<Entry> records = written(exchanges);

        for (int i = 0; i < fields.size(); i++) {
            assertThat(records.get(2 + 2 * i).payload()).asString(UTF_8).isEqualTo("body " + i);
        }
    }

    @Test
    void anExchangeIsInTheFileWhenItWasPassedOn() throws IOException {
        try (WarcSink sink = open(file("a.warc.gz"), CREATE_NEW)) {
            sink.exchanged(page("http://a.test/", "x"));
            assertThat(Archive.read(file("a.warc.gz"))).hasSize(3);
            sink.exchanged(page("http://a.test/2", "y"));
            assertThat(Archive.read(file("a.warc.gz"))).hasSize(5);
        }
    }

    @Test
    void aFullFileIsFollowedByAnother() throws IOException {
        Random random = new Random(1);
        byte[] body = new byte[4000];
        try (WarcSink sink = new WarcSink(
                file("a.warc.gz"), new OutputOpening(CREATE_NEW, true, FileEnds.NONE, "x", ""), MEMORY, 10_000)) {
            for (int i = 0; i < 7; i++) {
                random.nextBytes(body);
                sink.exchanged(exchange("http://a.test/" + i, HEAD, body.clone(), Cut.NONE));
                sink.flush();
            }
        }
        assertThat(names()).containsExactly("a-00001.warc.gz", "a-00002.warc.gz", "a.warc.gz");
        for (String name : names()) {
            List<Entry> records = Archive.read(file(name));
            assertThat(records.get(0).field("WARC-Filename")).isEqualTo(name);
            assertThat(records)
                    .allMatch(each -> each.type().equals("warcinfo")
                            || each.field("WARC-Warcinfo-ID")
                                    .equals(records.get(0).field("WARC-Record-ID")));
        }
        assertThat(WarcSink.existing(file("a.warc.gz")))
                .containsExactly(file("a.warc.gz"), file("a-00001.warc.gz"), file("a-00002.warc.gz"));
    }

    @Test
    void theEndsOfAFullFileAndOfTheNextAreKnownAfterAFlush() throws IOException {
        Map<Path, FileEnd> ends = new TreeMap<>();
        FileEnds receiver = new FileEnds() {
            @Override
            public void opened(Path file, FileEnd end, long removed) {
                ends.put(file, end);
            }

            @Override
            public void flushed(Path file, FileEnd end) {
                ends.put(file, end);
            }
        };
        try (WarcSink sink = new WarcSink(file("a.warc"), opening(CREATE_NEW, receiver), MEMORY, 1000)) {
            for (int i = 0; i < 3; i++) {
                sink.exchanged(page("http://a.test/" + i, "x".repeat(900)));
                if (i != 1) {
                    sink.flush();
                    for (Path each : WarcSink.existing(file("a.warc"))) {
                        assertThat(ends.get(each).length()).isEqualTo(Files.size(each));
                    }
                }
            }
            assertThat(ends.keySet()).containsExactly(file("a-00001.warc"), file("a-00002.warc"), file("a.warc"));
        }
        assertThat(names()).containsExactly("a-00001.warc", "a.warc");
    }

    @Test
    void aNewArchiveDoesNotReplaceAnother() throws IOException {
        Files.writeString(file("a.warc.gz"), "old");

        assertThatThrownBy(() -> open(file("a.warc.gz"), CREATE_NEW))
                .isInstanceOf(FileAlreadyExistsException.class)
                .hasMessageContaining("a.warc.gz");
        assertThat(file("a.warc.gz")).hasContent("old");
    }

    @Test
    void numbersOfOtherArchivesAreSkipped() throws IOException {
        Files.writeString(file("a-00001.warc.gz"), "other");
        byte[] body = new byte[4000];
        new Random(1).nextBytes(body);
        try (WarcSink sink = new WarcSink(
                file("a.warc.gz"), new OutputOpening(CREATE_NEW, true, FileEnds.NONE, "x", ""), MEMORY, 1000)) {
            for (int i = 0; i < 2; i++) {
                sink.exchanged(exchange("http://a.test/" + i, HEAD, body, Cut.NONE));
                sink.flush();
            }
        }

        assertThat(names()).containsExactly("a-00001.warc.gz", "a-00002.warc.gz", "a.warc.gz");
        assertThat(file("a-00001.warc.gz")).hasContent("other");
    }

    @Test
    void anArchiveThatIsOverwrittenLeavesOtherFiles() throws IOException {
        List<String> others = List.of(
                "a-0001.warc.gz",
                "a-00000.warc.gz",
                "a-00001.warc",
                "a-00001.warc.gz",
                "a-20241128.warc.gz",
                "ab-00001.warc.gz");
        for (String name : others) {
            Files.createFile(file(name));
        }
        Files.writeString(file("a.warc.gz"), "old");

        write(file("a.warc.gz"), TRUNCATE_EXISTING, page("http://a.test/", "x"));

        assertThat(names()).contains("a.warc.gz").containsAll(others).hasSize(others.size() + 1);
        assertThat(Archive.read(file("a.warc.gz"))).hasSize(3);
    }

    @Test
    void anArchiveContinuesInANewFile() throws IOException {
        write(file("a.warc.gz"), APPEND, page("http://a.test/1", "x"));
        write(file("a.warc.gz"), APPEND, page("http://a.test/2", "x"));
        Files.createFile(file("a-00041.warc.gz"));
        write(file("a.warc.gz"), APPEND, page("http://a.test/3", "x"));
        write(file("a.warc.gz"), APPEND);

        assertThat(names()).containsExactly("a-00001.warc.gz", "a-00002.warc.gz", "a-00041.warc.gz", "a.warc.gz");
        assertThat(Archive.read(file("a-00002.warc.gz")).get(1).url()).isEqualTo("http://a.test/3");
    }
}
