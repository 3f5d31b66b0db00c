package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.fetch.HostileServer;
import dev.sieve.fetch.HostileServer.Behaviour;
import dev.sieve.output.Archive;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A crawl with servers of every kind ends, whatever it writes, and a good host beside them is crawled. */
@Tag("hostile")
@Timeout(300)
class HostileCatalogueTest {
    private static final int GOOD_PAGES = 50;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @Tag("slow")
    @ValueSource(booleans = {false, true})
    void everyKindOfServerIsEndured(boolean writesAll) throws IOException {
        try (HostileServer bad = new HostileServer();
                HostileServer good = new HostileServer()) {
            List<String> arguments = arguments(bad, good);
            if (writesAll) {
                Stream.of("x.jsonl", "x.csv", "x.tsv", "x.warc.gz").forEach(name -> arguments.add("-o" + file(name)));
                arguments.addAll(List.of(
                        "--skipped=" + file("skipped"),
                        "--report=" + file("report.html"),
                        "--live=0",
                        "--text=main-markdown",
                        "--meta",
                        "--check-links",
                        "--check-resources"));
            } else {
                // Standard output belongs to the process that runs the tests.
                arguments.add("-o" + file("urls.txt"));
            }

            Run run = Run.of(Main.commandLine(), arguments.toArray(String[]::new));

            assertThat(run.exitCode()).as(run.err()).isZero();
            for (int i = 0; i < GOOD_PAGES; i++) {
                assertThat(good.requests("/page" + i)).isEqualTo(1);
            }
            if (writesAll) {
                assertThat(Archive.readToTheEnd(file("x.warc.gz"))).hasSizeGreaterThan(GOOD_PAGES);
                assertThat(Files.readAllLines(file("x.jsonl")))
                        .hasSizeGreaterThan(2 * bad.catalogue().size());
                assertThat(Files.readString(file("report.html")).contains("http://check3.test"))
                        .isTrue();
            }
        }
    }

    @Test
    void aResolvedAddressIsAllowedForItsHostsOnly() throws IOException {
        try (HostileServer server = new HostileServer()) {
            int port = server.port();
            server.on(
                    "/",
                    HostileServer.html("<a href='http://127.0.0.1:" + port + "/address'>x</a><a href='http://localhost:"
                            + port + "/name'>x</a><a href='http://below.h.test:" + port
                            + "/below'>x</a><a href='/x'>x</a>"));

            Run run = Run.of(
                    Main.commandLine(),
                    "http://www.h.test:" + port + "/",
                    "--resolve=.h.test=127.0.0.1",
                    "--scope=any",
                    "--delay=0",
                    "-q",
                    "-o" + file("urls.txt"));

            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(List.of("/address", "/name", "/below", "/x"))
                    .extracting(server::requests)
                    .containsExactly(0L, 0L, 1L, 1L);
        }
    }

    private Path file(String name) {
        return folder.resolve(name);
    }

    /** The good host links to every kind of server too, for a crawl that checks links. */
    private static List<String> arguments(HostileServer bad, HostileServer good) {
        bad.on("/robots.txt", HostileServer.raw("HTTP/1.1 404 None\n"));
        good.on("/robots.txt", HostileServer.raw("HTTP/1.1 404 None\n"));
        List<Behaviour> kinds = bad.catalogue();
        List<String> arguments = new ArrayList<>();
        StringBuilder html = new StringBuilder("<title>good</title>");
        for (int i = 0; i < kinds.size(); i++) {
            bad.on("/" + i, kinds.get(i));
            arguments.add("http://kind" + i + ".test:" + bad.port() + "/" + i);
            html.append("<a href='http://check").append(i).append(".test:").append(bad.port());
            html.append('/').append(i).append("'>x</a>");
        }
        for (int i = 0; i < GOOD_PAGES; i++) {
            html.append("<a href='/page").append(i).append("'>x</a>");
        }
        good.on("/", HostileServer.html(html.toString()));
        arguments.add("http://good.test:" + good.port() + "/");
        arguments.addAll(List.of(
                "--resolve=.test=127.0.0.1",
                "--delay=0",
                "--timeout=1s",
                "--retries=1",
                "--max-failures=2",
                "--max-time=2m",
                "-q"));
        return arguments;
    }
}
