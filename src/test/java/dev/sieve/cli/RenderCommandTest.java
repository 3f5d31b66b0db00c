package dev.sieve.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.browser.Browser;
import dev.sieve.browser.BrowserExtension;
import dev.sieve.browser.ScriptedSite;
import dev.sieve.output.Archive;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@Tag("browser")
@Tag("slow")
@Timeout(120)
@ExtendWith(BrowserExtension.class)
class RenderCommandTest {
    private static final String SHELL = "<!DOCTYPE html><div id=app></div><script src=/app.js></script>";
    private static final String APP = "fetch('/data').then(r => r.text()).then(t => document.body.innerHTML = t)";

    @Test
    void aRenderedPageSendsItsCookiesAndIsMarked(Browser unused, @TempDir Path folder) throws IOException {
        Path records = folder.resolve("records.jsonl");
        Path archive = folder.resolve("a.warc.gz");
        String job = folder.resolve("job").toString();
        try (ScriptedSite site = new ScriptedSite()) {
            site.on("/", "text/html", SHELL, "Set-Cookie", "a=1")
                    .on("/one", "text/html", SHELL)
                    .on("/app.js", "text/javascript", APP)
                    .on("/data", "text/plain", "<a href=/one>one</a>");

            Run run = Run.of(
                    Main.commandLine(),
                    site.url("/"),
                    "--render=auto",
                    "--keep-cookies",
                    "--delay=0",
                    "-q",
                    "-o" + records,
                    "-o" + archive,
                    "--job=" + job,
                    "--report=" + folder.resolve("r.html"));

            assertThat(run.exitCode()).as(run.err()).isZero();
            Run why = Run.of(Main.commandLine(), "why", site.url("/one"), "--job", job);
            assertThat(why.out()).contains("rendered at the last visit: {\"requests\":2,\"bytes\":");
            assertThat(site.cookies()).contains("/ null", "/one a=1", "/app.js a=1", "/data a=1");
        }
        List<String> lines = Files.readAllLines(records);
        assertThat(lines)
                .hasSize(2)
                .allMatch(line -> line.contains("\"links\": 1"))
                .allMatch(line -> line.contains("\"rendered\": {\"requests\": 2, \"bytes\": "));
        List<Archive.Entry> entries = Archive.read(archive);
        assertThat(entries).extracting(Archive.Entry::type).containsExactly("""
                        warcinfo request response request response conversion request revisit conversion""".split("\\s+", -1));
        for (int made : new int[] {5, 8}) {
            Archive.Entry conversion = entries.get(made);
            assertThat(conversion.field("WARC-Refers-To"))
                    .isEqualTo(entries.get(made - 1).field("WARC-Record-ID"));
            assertThat(new String(conversion.payload(), UTF_8)).contains("<a href=\"/one\">one</a>");
        }
        assertThat(new String(entries.get(4).payload(), UTF_8)).isEqualTo(SHELL);
    }
}
