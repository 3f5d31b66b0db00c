package dev.sieve.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What the other tests with a browser rely on: whatever a page does wrong is noticed. */
@Tag("browser")
@Tag("slow")
@Timeout(120)
@ExtendWith(BrowserExtension.class)
class BrowserTest {
    @TempDir
    private Path folder;

    private String page(String html) throws IOException {
        return Files.writeString(folder.resolve("page.html"), html).toUri().toString();
    }

    @Test
    void aQuietPageHasNoProblemsAndNoRequests(Browser browser) throws IOException {
        try (Tab tab = browser.tab()) {
            tab.open(page("<!DOCTYPE html><title>quiet</title><p>text"));

            assertThat(tab.eval("document.title").asText()).isEqualTo("quiet");
            assertThat(tab.problems()).isEmpty();
            assertThat(tab.requests()).isEmpty();
        }
    }

    @Test
    void errorsAndViolationsAndRequestsAreCollected(Browser browser) throws IOException {
        try (Tab tab = browser.tab()) {
            tab.open(page("""
                    <!DOCTYPE html><meta http-equiv="Content-Security-Policy" content="img-src 'none'">
                    <link rel=stylesheet href="missing.css">
                    <img src="forbidden.png">
                    <script>console.error('one'); setTimeout(() => { throw new Error('two'); });
                    alert('three'); fetch('http://127.0.0.1:1/').catch(() => 0).then(() => window.over = true)</script>
                    """));
            tab.await("window.over");

            assertThat(String.join("\n", tab.problems()))
                    .contains("console error", "one", "exception", "two", "dialog: three", "policy: img-src");
            assertThat(tab.requests()).contains("http://127.0.0.1:1/").anyMatch(url -> url.endsWith("missing.css"));
        }
    }

    @Test
    void aUserClicksAndTypesAndChangesTheView(Browser browser) throws IOException {
        try (Tab tab = browser.tab()) {
            tab.size(400, 800).media("print", "dark").open(page("""
                    <!DOCTYPE html><style>@media print { p { color: rgb(1, 2, 3) } }</style>
                    <p>text <input> <button onclick="window.pressed = true">go</button>"""));
            tab.type("input", "words");
            tab.click("button");

            assertThat(tab.eval("document.querySelector('input').value + window.pressed + innerWidth"
                                    + " + matchMedia('(prefers-color-scheme: dark)').matches"
                                    + " + getComputedStyle(document.querySelector('p')).color")
                            .asText())
                    .isEqualTo("wordstrue400truergb(1, 2, 3)");
            assertThat(tab.screenshot(true)).startsWith(0x89, 'P', 'N', 'G');
            assertThat(tab.pdf()).startsWith('%', 'P', 'D', 'F');
        }
    }

    @Test
    void scriptsCanBeOff(Browser browser) throws IOException {
        try (Tab tab = browser.tab()) {
            tab.scripts(false).open(page("<!DOCTYPE html><p>text<script>document.title = 'ran'</script>"));

            assertThat(tab.eval("document.title + document.querySelector('p').innerText")
                            .asText())
                    .isEqualTo("text");
        }
    }
}
