package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.crawl.Site;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Keys are made and used by commands, and shown by none. */
@Timeout(60)
class SignOptionTest {
    @TempDir
    private Path folder;

    @AutoClose
    private final Site site = new Site("127.0.0.1");

    private String key() {
        return folder.resolve("key.pem").toString();
    }

    private Run makeKey() {
        return Run.of(Main.commandLine(), "key", key(), "https://bot.example.org");
    }

    @Test
    void aKeyIsMadeOnceAndOnlyItsPublicHalfIsShown() throws IOException {
        Run made = makeKey();
        assertThat(made.exitCode()).isZero();
        assertThat(made.out()).startsWith("{\"keys\":[{\"crv\":\"Ed25519\"").endsWith("}]}\n");
        assertThat(made.err())
                .contains(
                        "https://bot.example.org/.well-known/http-message-signatures-directory",
                        "Signature-Input: sig=(");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(Path.of(key()))))
                .isEqualTo("rw-------");
        String secret = Files.readAllLines(Path.of(key())).get(2);
        assertThat(made.out() + made.err()).doesNotContain(secret);

        assertThat(makeKey().exitCode()).isEqualTo(FailOn.ExitCode.INPUT_OR_OUTPUT_FAILED);
        assertThat(Files.readString(Path.of(key()))).contains(secret);
        assertThat(Run.of(Main.commandLine(), "key", key()).out()).isEqualTo(made.out());
    }

    @Test
    void anAddressThatIsNoSiteMakesNoKey() {
        Run run = Run.of(Main.commandLine(), "key", key(), "http://bot.example.org/x");
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("not the https address of a site");
        assertThat(Path.of(key())).doesNotExist();
    }

    @Test
    void everyRequestIsSignedForItself() {
        makeKey();
        Map<String, String> signed = new ConcurrentHashMap<>();
        site.otherwise(request -> {
            String path = request.getRequestURI().getPath();
            signed.put(
                    path,
                    request.getRequestHeaders().getFirst("Signature")
                            + request.getRequestHeaders().getFirst("Signature-Agent"));
            return path.equals("/")
                    ? Site.status(302).field("Location", "/a")
                    : Site.status(path.equals("/robots.txt") ? 404 : 200)
                            .field("Content-Type", "text/html")
                            .body("text");
        });
        assertThat(Run.of(Main.commandLine(), site.url("/"), "--sign", key(), "--delay=0")
                        .exitCode())
                .isZero();
        assertThat(signed).containsOnlyKeys("/robots.txt", "/", "/a");
        assertThat(signed.values())
                .doesNotHaveDuplicates()
                .allMatch(each -> each.matches("sig=:.*:\"https://bot.example.org\""));
    }

    @Test
    void aKeyThatCannotBeReadIsNamed() {
        Run run = Run.of(Main.commandLine(), site.url("/"), "--sign", key());
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("--sign", "key.pem");
    }
}
