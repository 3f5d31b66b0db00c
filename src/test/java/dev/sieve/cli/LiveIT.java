package dev.sieve.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLConnection;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The live page of the packaged program. */
@Tag("process")
@Tag("slow")
@Timeout(300)
class LiveIT {
    @TempDir
    private Path folder;

    private Process start(String... arguments) throws IOException {
        return Program.of(folder, arguments)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.PIPE)
                .start();
    }

    private static BufferedReader text(InputStream in) {
        return new BufferedReader(new InputStreamReader(in, UTF_8));
    }

    /** Returns the first line that begins so. */
    private static String line(BufferedReader in, String start) throws IOException {
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.startsWith(start)) {
                return line;
            }
        }
        throw new AssertionError("no line begins with " + start);
    }

    private record Update(String html, boolean isLast) {}

    /** Asks for an update, as the page does. */
    private static Update update(String url) throws IOException {
        URLConnection connection = URI.create(url + "update?progress&a").toURL().openConnection();
        try (InputStream in = connection.getInputStream()) {
            boolean isLast = connection.getHeaderField("Next-Update-Millis") == null;
            return new Update(new String(in.readAllBytes(), UTF_8), isLast);
        }
    }

    @Test
    void aCrawlIsShownUntilASignalEndsIt() throws Exception {
        Process demo = start("demo", "--pages", "100000", "--delay", "100ms", "--live=0");
        try (BufferedReader err = text(demo.getErrorStream())) {
            String url = line(err, "Live page: ").split(" ", -1)[2];
            assertThat(update(url).isLast()).isFalse();
            try (BufferedReader metrics =
                    text(URI.create(url + "metrics").toURL().openStream())) {
                assertThat(line(metrics, "sieve_crawl_running")).isEqualTo("sieve_crawl_running 1.0");
            }
            demo.toHandle().destroy();
            Update update = update(url);
            while (!update.isLast()) {
                update = update(url);
            }
            assertThat(update.html()).contains("interrupted");
            assertThat(line(err, "Done in ")).contains("interrupted");
            assertThat(demo.waitFor()).isEqualTo(143);
            assertThatThrownBy(() -> URI.create(url).toURL().openStream()).isInstanceOf(ConnectException.class);
        } finally {
            demo.destroyForcibly();
        }
    }

    @Test
    void whenThePortIsInUseNothingIsCrawled() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            String port = String.valueOf(other.getLocalPort());
            Process crawl = start("http://127.0.0.1:1/", "--job", "job", "--live=" + port);
            try (Stream<String> err = text(crawl.getErrorStream()).lines()) {
                assertThat(err)
                        .singleElement()
                        .asString()
                        .startsWith("sieve: cannot listen on 127.0.0.1:" + port + ": ")
                        .endsWith("; choose another port with --live=PORT");
            }
            assertThat(crawl.waitFor()).isEqualTo(FailOn.ExitCode.INPUT_OR_OUTPUT_FAILED);
            assertThat(folder.resolve("job")).doesNotExist();
        }
    }

    @Test
    void aBadPortIsNamedInOneLine() throws Exception {
        Process crawl = start("http://127.0.0.1:1/", "--live=x");
        try (Stream<String> err = text(crawl.getErrorStream()).lines()) {
            assertThat(err).singleElement().asString().contains("--live", "'x' is not a port");
        }
        assertThat(crawl.waitFor()).isEqualTo(FailOn.ExitCode.WRONG_USAGE);
    }
}
