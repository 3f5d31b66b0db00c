package dev.sieve.cli;

import static crawlercommons.urlfrontier.Urlfrontier.AckMessage.Status.OK;
import static crawlercommons.urlfrontier.Urlfrontier.AckMessage.Status.SKIPPED;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.TestCertificate;
import io.grpc.StatusRuntimeException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The service of the packaged program, with a client of the protocol. */
@Tag("process")
@Tag("slow")
@Timeout(300)
class ServeIT {
    private static final Path CLI = Path.of(System.getProperty("sieve.cli"));
    private static final Path SERVE = beside("-serve.jar");
    private static final String READY = "Serving URLFrontier at ";

    @TempDir
    private Path folder;

    private final List<Process> processes = new ArrayList<>();

    private static Path beside(String end) {
        return CLI.resolveSibling(CLI.getFileName().toString().replace("-cli.jar", end));
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    @AfterEach
    void end() {
        processes.forEach(Process::destroyForcibly);
        processes.forEach(process -> process.onExit().join());
    }

    private Process start(String... command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(Interrupts.heededBy(List.of(command)))
                .directory(folder.toFile())
                .redirectOutput(folder.resolve("out").toFile())
                .redirectError(folder.resolve("err").toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("JAVA_OPTS", "-Xmx256m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
        Process process = builder.start();
        processes.add(process);
        return process;
    }

    private String err() throws IOException {
        return Files.readString(folder.resolve("err"));
    }

    /** Waits until the service is ready; returns its address. */
    private String address(Process process) throws Exception {
        while (!err().matches("(?s).*" + READY + ".*\n")) {
            assertThat(process.waitFor(5, TimeUnit.MILLISECONDS)).as(err()).isFalse();
        }
        String line =
                err().lines().filter(each -> each.startsWith(READY)).findFirst().orElseThrow();
        return line.substring(READY.length()).split("[ ,]", -1)[0];
    }

    private String metrics() throws IOException {
        String line = err().lines()
                .filter(each -> each.startsWith("Metrics: "))
                .findFirst()
                .orElseThrow();
        try (InputStream text = URI.create(line.substring(9)).toURL().openStream()) {
            return new String(text.readAllBytes(), UTF_8);
        }
    }

    /** Connects as a client of another protocol, and waits until the service closes the connection. */
    private static void noProtocol(int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(US_ASCII));
            socket.getInputStream().readAllBytes();
        }
    }

    private static List<String> urls(int hosts, int perHost) {
        return IntStream.range(0, hosts * perHost)
                .mapToObj(i -> "https://h" + i % hosts + ".test/" + i / hosts)
                .toList();
    }

    /** The start script, with the jars where the archive of a release has them. */
    private Path installed() throws IOException {
        Path lib = Files.createDirectory(folder.resolve("lib"));
        Files.copy(CLI, lib.resolve("sieve.jar"));
        Files.copy(SERVE, lib.resolve(SERVE.getFileName()));
        Path script = Files.createDirectory(folder.resolve("bin")).resolve("sieve");
        Files.copy(Path.of("src/cli/bin/sieve"), script, StandardCopyOption.COPY_ATTRIBUTES);
        return script;
    }

    @Test
    void whatItHasAcknowledgedSurvivesKillMinusNine() throws Exception {
        Path script = installed();
        String[] command = {script.toString(), "serve", "--dir", "crawls", "--listen", "0", "--metrics", "0"};
        List<String> urls = urls(10, 20);
        List<String> done = urls.subList(0, 50);

        Process first = start(command);
        String address = address(first);
        try (FrontierClient client = FrontierClient.plain(address)) {
            noProtocol(Integer.parseInt(address.split(":", -1)[1]));
            client.delay(0);
            assertThat(client.discover(urls))
                    .hasSize(urls.size())
                    .containsValue(OK)
                    .doesNotContainValue(SKIPPED);
            assertThat(client.takeAll()).containsExactlyInAnyOrderElementsOf(urls);
            assertThat(client.done(done)).hasSize(done.size());
            assertThat(metrics())
                    .contains("\nsieve_serve_queues{crawl=\"DEFAULT\"} 10.0\n")
                    .contains("\nsieve_serve_in_process_urls{crawl=\"DEFAULT\"} 150.0\n")
                    .contains("\nprocess_cpu_seconds_total ");
        }
        first.destroyForcibly();
        Program.exitCode(first);
        Process second = start(command);
        try (FrontierClient client = FrontierClient.plain(address(second))) {
            // What was done in the second before may be handed out again.
            assertThat(client.takeAll())
                    .doesNotHaveDuplicates()
                    .containsAll(urls.subList(done.size(), urls.size()))
                    .isSubsetOf(urls);
            assertThat(client.discover(done).values()).containsOnly(SKIPPED);
            assertThat(client.done(done).values()).containsOnly(OK);
        }
        Program.signal(second, "TERM");
        assertThat(Program.exitCode(second)).isEqualTo(143);
        assertThat(err()).contains("Stopping: ").doesNotContain("Exception", "WARN", "ERROR");

        Process export = start(java(), "-jar", CLI.toString(), "export", "crawls/crawl-DEFAULT", "--done");
        assertThat(Program.exitCode(export)).as(err()).isZero();
        assertThat(Files.readAllLines(folder.resolve("out"))).containsExactlyInAnyOrderElementsOf(done);
    }

    @Test
    void tlsProtectsAnAddressThatOthersCanReach() throws Exception {
        TestCertificate pem = TestCertificate.create(folder);
        Process server = start(
                java(),
                "-cp",
                CLI + File.pathSeparator + SERVE,
                "dev.sieve.cli.Main",
                "serve",
                "--dir",
                "crawls",
                "--listen",
                "0.0.0.0:0",
                "--tls-cert",
                pem.certificate().toString(),
                "--tls-key",
                pem.key().toString());
        String address = address(server);
        int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));

        try (FrontierClient client = FrontierClient.tls("localhost", port, pem.certificate());
                FrontierClient other = FrontierClient.plain("127.0.0.1:" + port)) {
            assertThat(client.discover(List.of("https://a.test/"))).containsValue(OK);
            assertThatThrownBy(other::takeAll)
                    .isInstanceOf(StatusRuntimeException.class)
                    .hasMessageStartingWith("UNAVAILABLE");
            noProtocol(port);
            assertThat(client.takeAll()).containsExactly("https://a.test/");
        }
        Program.signal(server, "INT");
        assertThat(Program.exitCode(server)).isEqualTo(130);
        assertThat(err()).contains("with TLS").doesNotContain("Exception");
    }

    @Test
    void withoutItsJarOtherCommandsRun() throws Exception {
        Path alone = Files.copy(CLI, folder.resolve("sieve.jar"));

        Process serve = start(java(), "-jar", alone.toString(), "serve", "--dir", "crawls");

        assertThat(Program.exitCode(serve)).isEqualTo(FailOn.ExitCode.INPUT_OR_OUTPUT_FAILED);
        assertThat(err().lines())
                .singleElement()
                .asString()
                .startsWith("sieve: 'serve' requires " + SERVE.getFileName() + ":");
        assertThat(folder.resolve("crawls")).doesNotExist();
        assertThat(Program.exitCode(start(java(), "-jar", alone.toString(), "plan")))
                .isZero();
    }

    @Test
    void noClassIsInBothJars() throws Exception {
        assertThat(classes(SERVE)).contains("io/grpc/netty/NettyServerBuilder.class");
        assertThat(classes(CLI)).contains("dev/sieve/cli/Main.class").doesNotContainAnyElementsOf(classes(SERVE));
        assertThat(Files.size(CLI)).isLessThan(15_000_000);
    }

    private static Set<String> classes(Path path) throws IOException {
        try (JarFile jar = new JarFile(path.toFile());
                Stream<JarEntry> entries = jar.stream()) {
            return entries.map(JarEntry::getName)
                    .filter(name -> name.endsWith(".class"))
                    .collect(toSet());
        }
    }
}
