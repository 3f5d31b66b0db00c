package dev.sieve.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.crawl.Site;
import dev.sieve.scope.Trap;
import dev.sieve.scope.TrapGuard;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Links that ask not to be followed, and the mazes for robots behind them. */
@Timeout(120)
class NofollowCrawlTest {
    @TempDir
    private Path folder;

    @AutoClose
    private final Site site = new Site();

    private Run crawl(String... options) {
        site.html(
                "/",
                "<a rel='external nofollow' href=/a>a</a><a rel=nofollow href=/b>b</a><a href=/b>b</a><a href=/c>c</a>");
        site.page("/a", "/behind").page("/b").page("/c", "/moved");
        site.html("/moved", "<a rel=nofollow href=/to>x</a>");
        site.redirect("/to", "/a");
        site.page("/behind");
        List<String> all = new ArrayList<>(List.of(site.url("/"), "--delay", "0", "--per-host", "1"));
        all.addAll(List.of("--skipped", folder.resolve("s.tsv").toString()));
        all.addAll(List.of(options));
        return Run.of(Main.commandLine(), all.toArray(String[]::new));
    }

    @Test
    void nofollowLinksAreListedAndNotRequested() throws IOException {
        assertThat(crawl().exitCode()).isZero();

        assertThat(site.requests()).containsExactly("/", "/b", "/c", "/moved");
        assertThat(Files.readString(folder.resolve("s.tsv"), UTF_8))
                .contains(site.url("/a") + "\tnofollow", site.url("/to") + "\tnofollow");
    }

    @Test
    void nofollowLinksAreFollowedIfTheUserSaysSo() {
        assertThat(crawl("--follow-nofollow").exitCode()).isZero();

        assertThat(site.requests()).containsOnlyOnce("/", "/a", "/b", "/c", "/moved", "/to", "/behind");
    }

    @Test
    void aCheckOfANofollowLinkGoesNoFurther() {
        assertThat(crawl("--check-links").exitCode()).isZero();

        assertThat(site.requests()).containsOnlyOnce("/", "/a", "/b", "/c", "/moved", "/to");
        assertThat(site.requests()).doesNotContain("/behind");
    }

    @Test
    void pagesThatOnlyLeadToNewOnesAreAMaze() {
        TrapGuard traps = new TrapGuard(Map.of(Trap.MAZE, 100));
        for (int i = 0; i < 100; i++) {
            traps.led("http://h.test/" + i, null, List.of(), true);
        }

        assertThat(traps.skipReasonOfQueued("http://h.test/x", "http://h.test/7"))
                .hasToString(
                        "SkipReason[rule=trap maze, detail=more than 100 pages of a host in a row that only lead to new ones]");
        assertThat(traps.skipReasonOfQueued("http://h.test/x", "http://h.test/page"))
                .isNull();
        assertThat(traps.skipReasonOfQueued("http://other.test/x", "http://h.test/7"))
                .isNull();
        traps.led("http://h.test/end", null, List.of(), false);
        assertThat(traps.skipReasonOfQueued("http://h.test/x", "http://h.test/7"))
                .isNull();
    }

    @Test
    void pagesThatLeadBackAreNoMaze() {
        TrapGuard traps = new TrapGuard(Map.of(Trap.MAZE, 100));
        for (int i = 1; i < 10_000; i++) {
            String before = "http://h.test/" + (i - 1);
            traps.led("http://h.test/" + i, before, List.of("http://h.test/", before), true);
        }

        assertThat(traps.skipReasonOfQueued("http://h.test/x", "http://h.test/9998"))
                .isNull();
    }
}
