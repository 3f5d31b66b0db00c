package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sieve.demo.DemoWeb;
import dev.sieve.judge.PolitenessJudge;
import dev.sieve.shared.EngineAddress;
import dev.sieve.shared.SharedSieve;
import dev.sieve.shared.SharedTools;
import dev.sieve.shared.TestEngine;
import dev.sieve.stage.CookieStage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The commands on a shared frontier, inside the test. */
@Tag("engine")
@Timeout(300)
class SharedCommandsTest {
    private static final String PASSWORD = "a b:/@%";
    private static TestEngine engine;
    private static TestEngine locked;

    @TempDir
    private Path folder;

    private EngineAddress address;

    @BeforeAll
    static void start() {
        engine = TestEngine.start();
        locked = TestEngine.start("--requirepass", PASSWORD);
    }

    @AfterAll
    static void stop() {
        engine.close();
        locked.close();
    }

    @BeforeEach
    void name(TestInfo test) {
        address = engine.address(test.getTestMethod().orElseThrow().getName());
    }

    private static Run run(String... arguments) {
        return Run.of(Main.commandLine(), arguments);
    }

    private void fill(String... urls) throws Exception {
        try (SharedSieve sieve =
                SharedSieve.builder(address).capacity(1000).slices(4).open()) {
            sieve.pushAll(List.of(urls));
            sieve.notes().add("seeds", List.of(urls[0]));
        }
    }

    @Test
    void theStateIsTextAndJson() throws Exception {
        fill("http://h.test/", "http://h.test/a");

        Run text = run("state", address.toString());
        Run json = run("state", address.toString(), "--json");

        assertThat(text.exitCode()).as(text.err()).isZero();
        assertThat(text.out())
                .contains("2 accepted = 0 done + 2 pending", "2 of 1,000 URLs (0.2 %)", "health    good")
                .contains("slices without an owner: 4 of 4", address.server());
        JsonNode state = new ObjectMapper().readTree(json.out());
        assertThat(json.out().lines()).hasSize(1);
        assertThat(state.get("accepted").longValue()).isEqualTo(2);
        assertThat(state.get("pending").longValue()).isEqualTo(2);
        assertThat(state.get("slices").intValue()).isEqualTo(4);
        assertThat(state.get("workers").isEmpty()).isTrue();
        assertThat(state.get("problems").isEmpty()).isTrue();
    }

    @Test
    void finishedUrlsAreNotKept() throws Exception {
        fill("http://h.test/");

        assertThat(run("export", address.toString(), "--done").err())
                .contains("'--done' requires a directory: a shared frontier does not keep finished URLs");
        assertThat(run("export", address.toString(), "--all").exitCode()).isEqualTo(2);
    }

    @Test
    void aCrawlIsDeletedByItsAddress() throws Exception {
        fill("http://h.test/");

        assertThat(run("delete", address.toString()).exitCode()).isZero();

        assertThat(SharedTools.exists(address, Duration.ZERO)).isFalse();
        Run again = run("delete", address.toString());
        assertThat(again.exitCode()).isEqualTo(4);
        assertThat(again.err()).isEqualTo("sieve: " + address + ": the engine has no crawl of this name\n");
        assertThat(run("delete", folder.toString()).exitCode()).isEqualTo(2);
    }

    @Test
    void aDryRunShowsWhatIsLeftAndChangesNothing() throws Exception {
        fill("http://127.0.0.1:1/", "http://127.0.0.1:1/a");
        List<Object> before = List.of(engine.command("DBSIZE"), engine.command("LASTSAVE"));

        Run run = run("--dry-run", "-q", "--frontier", address.toString(), "--ignore-robots");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out())
                .contains(
                        "frontier " + address + ": 2 URLs left",
                        "http://127.0.0.1:1/a",
                        "filter   that of the frontier");
        assertThat(List.of(engine.command("DBSIZE"), engine.command("LASTSAVE")))
                .isEqualTo(before);
        assertThat(run("--dry-run", "-q", "http://127.0.0.1:1/", "--frontier", address + "new", "--ignore-robots")
                        .out())
                .contains(address + "new: new");
    }

    /** The same numbers, from the records that each worker has written. */
    @Test
    @Tag("slow")
    void theReportIsTheSumOfItsWorkers() throws Exception {
        List<Path> records = new ArrayList<>();
        ExecutorService pool = Executors.newFixedThreadPool(4);
        try (DemoWeb web =
                PolitenessJudge.web().hosts(40).pages(1000).even(true).open()) {
            List<CompletableFuture<Run>> workers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Path file = folder.resolve(i + ".jsonl");
                records.add(file);
                String options = web.start() + " -q --scope any --resolve .test=127.0.0.1 --delay 0 --frontier "
                        + address + " -o " + file;
                workers.add(CompletableFuture.supplyAsync(() -> run(options.split(" ")), pool));
            }
            for (CompletableFuture<Run> worker : workers) {
                assertThat(worker.get().exitCode()).as(worker.get().err()).isZero();
            }
        } finally {
            pool.shutdown();
        }
        Map<String, Long> expected = new TreeMap<>();
        Map<String, Long> pagesOfHosts = new TreeMap<>();
        for (Path file : records) {
            for (String line : Files.readAllLines(file)) {
                JsonNode each = new ObjectMapper().readTree(line);
                String result = each.hasNonNull("error")
                        ? "failed"
                        : each.hasNonNull("redirect_to")
                                ? "3xx"
                                : each.get("status").asInt() / 100 + "xx";
                expected.merge(result, 1L, Long::sum);
                if (!each.hasNonNull("error") && !each.hasNonNull("redirect_to")) {
                    pagesOfHosts.merge(URI.create(each.get("url").asText()).getAuthority(), 1L, Long::sum);
                }
            }
        }
        Path report = folder.resolve("report.html");

        Run run = run("report", "--frontier", address.toString(), "-o", report.toString());

        assertThat(run.exitCode()).as(run.err()).isZero();
        Document page = Jsoup.parse(report.toFile(), "UTF-8");
        Map<String, Long> classes = new TreeMap<>();
        page.select("#classes tbody tr").forEach(row -> classes.put(row.child(0).text(), number(row.child(1))));
        assertThat(classes).isEqualTo(expected);
        Map<String, Long> hosts = new TreeMap<>();
        page.select("#host-table tbody tr")
                .forEach(row -> hosts.put(row.child(0).text(), number(row.child(1))));
        hosts.values().removeIf(pages -> pages == 0);
        assertThat(hosts).isEqualTo(pagesOfHosts);
        assertThat(page.select("#runs tr:first-child").text()).isEqualTo("Worker 1 2 3 4");
    }

    private static long number(Element cell) {
        return Long.parseLong(cell.attr("data-v"));
    }

    @Test
    void aReportNeedsFilesOrACrawlWithWorkers() throws Exception {
        fill("http://h.test/");
        String report = folder.resolve("report.html").toString();

        assertThat(run("report", "--frontier", address.toString(), "-o", report).err())
                .isEqualTo("sieve: nothing to report: no worker has stored anything in " + address + "\n");
        assertThat(run("report", "-o", report).err()).contains("sieve: Missing FILE, or option '--frontier'");
        assertThat(run("report", "a.jsonl", "--frontier", address.toString()).err())
                .contains("sieve: Option '--frontier' cannot be combined with FILE");
        engine.command("SET", "{" + address.name() + "}n", "another type");
        try (SharedSieve worker = SharedSieve.builder(address).open()) {
            worker.notes().share(new byte[] {1});
        }
        engine.command("DEL", "{" + address.name() + "}n");
        engine.command("HSET", "{" + address.name() + "}n", "w", "damaged");
        assertThat(run("report", "--frontier", address.toString(), "-o", report).err())
                .startsWith("sieve: not the share of a worker: ");
    }

    @Test
    void whyShowsWhetherTheCrawlHasSeenAUrl() throws Exception {
        fill("http://h.test/", "http://h.test/a");

        assertThat(run("why", "http://h.test/a", "--frontier", address.toString())
                        .out())
                .contains("crawled: in scope", "in the frontier: pending");
        assertThat(run("why", "http://h.test/b", "--frontier", address.toString())
                        .out())
                .contains("in the frontier: not seen yet");
        Run none = run("why", "http://h.test/b", "--frontier", address + "none");
        assertThat(none.exitCode()).isEqualTo(2);
        assertThat(none.err()).contains("no crawl of this name");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--job=x | option '--frontier' cannot be combined with '--job'",
                "--durability=always | option '--frontier' cannot be combined with '--durability'",
                "--keep-log | option '--frontier' cannot be combined with '--keep-log'",
                "--filter=classic | option '--frontier' cannot be combined with '--filter'",
                "--filter=exact | option '--frontier' cannot be combined with '--filter'",
                "--miss-rate=0.1 | option '--frontier' cannot be combined with '--miss-rate'",
                "--on-full=grow | option '--on-full': ",
                "--capacity=0 | option '--capacity': must be at least 1: 0",
            })
    void whatContradictsASharedFrontierIsNamed(String option, String message) {
        Run run = run("http://h.test/", "-q", option, "--frontier", address.toString());

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).containsIgnoringCase(message).hasLineCount(1);
    }

    @Test
    void optionsOfASharedFrontierRequireOne() {
        assertThat(run("http://h.test/", "--patience", "1s").err()).contains("'--patience' requires '--frontier'");
        assertThat(run("http://h.test/", "--frontier-password-file", "x").err())
                .contains("'--frontier-password-file' requires '--frontier'");
    }

    @ParameterizedTest
    @CsvSource({"redis://h", "valkey://:secret@h:99999/x", "http://h/x", "redis://h/a b"})
    void anAddressThatIsNoneIsNamedWithoutItsPassword(String text) {
        Run run = run("http://h.test/", "--frontier", text);

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("Invalid value for option '--frontier'").doesNotContain("secret");
    }

    @Test
    void anEngineThatDoesNotRespondIsNamed() {
        int port = unusedPort();
        for (String[] command : List.of(
                new String[] {"state", "redis://127.0.0.1:" + port + "/x"},
                new String[] {"http://h.test/", "--frontier", "redis://127.0.0.1:" + port + "/x"})) {
            Run run = run(command);

            assertThat(run.exitCode()).isEqualTo(4);
            assertThat(run.err()).contains("127.0.0.1:" + port, "refused").hasLineCount(1);
        }
    }

    private static int unusedPort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void thePasswordIsReadFromFileOrEnvironmentNeverShown() throws Exception {
        String place = "redis://127.0.0.1:" + locked.port() + "/x";
        Path file = Files.writeString(folder.resolve("password"), PASSWORD + "\nrest\n");
        Path wrong = Files.writeString(folder.resolve("wrong"), "s3cret\n");

        assertThat(run("state", place).err()).contains("NOAUTH");
        Run refused = run("state", place, "--frontier-password-file", wrong.toString());
        assertThat(refused.exitCode()).isEqualTo(4);
        assertThat(refused.err()).contains("WRONGPASS").doesNotContain("s3cret");
        assertThat(run("state", place, "--frontier-password-file", file.toString())
                        .err())
                .contains("no crawl of this name");
        assertThat(run("state", place, "--frontier-password-file", folder + "/none")
                        .exitCode())
                .isEqualTo(4);
        assertThat(run("state", place.replace("//", "//:p@"), "--frontier-password-file", file.toString())
                        .err())
                .contains("cannot be combined with a password in the address");
        assertThat(new EngineAccess()
                        .address("x", place, Map.of(EngineAccess.VARIABLE, "of the environment"))
                        .password())
                .isEqualTo("of the environment");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SET {%s} x | another program",
                "HSET {%s} a b | another program",
                "HSET {%s} sieve 999 | another version"
            })
    void dataOfOthersAndOfLaterVersionsAreRefusedAndKept(String command, String message) throws Exception {
        String name = address.name() + message.length() + command.length();
        engine.command(command.formatted(name).split(" "));
        String place = engine.address(name).toString();

        for (String[] arguments : List.of(
                new String[] {"state", place},
                new String[] {"repair", place},
                new String[] {"delete", place},
                new String[] {"http://h.test/", "-q", "--frontier", place})) {
            Run run = run(arguments);

            assertThat(run.exitCode()).as(run.err()).isEqualTo(4);
            assertThat(run.err()).contains(message).hasLineCount(1);
        }
        assertThat(engine.command("EXISTS", "{" + name + "}w", "{" + name + "}l:seeds", "{" + name + "}0q"))
                .isEqualTo(0L);
    }

    @Test
    void settingsThatDifferAreNamedAsOptions() throws Exception {
        fill("http://h.test/");

        Run run = run("http://h.test/", "-q", "--frontier", address.toString(), "--capacity", "5000");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err())
                .contains("option '--frontier': the crawl has other settings: capacity is 1000, not 5000")
                .hasLineCount(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "delay | 2s | --delay | 3s | Option '--delay' is 3s here, but 2s in",
                "retries | 2 | --retries | 5 | Option '--retries' is 5 here, but 2 in",
                "max-per-host | 7 | --max-per-host | 9 | Option '--max-per-host' is 9 here, but 7 in",
                "header | cookie | -H | Authorization: secret | Option '--header' is authorization here, but cookie in",
            })
    void optionsThatDifferFromThoseOfOtherWorkersAreNamed(
            String name, String theirs, String option, String own, String message) throws Exception {
        try (SharedSieve other =
                SharedSieve.builder(address).capacity(1_000_000).open()) {
            // What the options are that are not given here.
            Map<String, String> options = new TreeMap<>(
                    Map.of("scope", "host", "delay", "1s", "per-host", "1", "retries", "2", "max-body", "8388608"));
            options.put("log-out", CookieStage.LOG_OUT);
            options.put(name, theirs);
            other.notes().options(options);

            Run run = run("http://h.test/", "-q", "--frontier", address.toString(), option, own);

            assertThat(run.exitCode()).as(run.err()).isEqualTo(2);
            assertThat(run.err()).contains(message + " the processes").hasLineCount(1);
        }
    }

    @Test
    @Tag("slow")
    void valuesOfHeadersAreNotStored() throws Exception {
        run("http://127.0.0.1:1/", "-q", "--frontier", address.toString(), "-H", "Cookie: secret", "-H", "A: secret");

        String stored = engine.text("HGET", "{valuesOfHeadersAreNotStored}", "opt.header");
        assertThat(stored).isEqualTo("a cookie");
    }
}
