package dev.sieve.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.io.JobFiles;
import dev.sieve.io.LineFile;
import dev.sieve.io.LocalDisk;
import dev.sieve.job.CrawlDirectory;
import dev.sieve.stage.KnownPage.State;
import dev.sieve.url.PageKeys;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KnownPagesTest {
    private static final long OWNER = 7;
    private static final String URL = "http://h.test/";

    @TempDir
    private Path folder;

    private JobFiles files() throws IOException {
        return JobFiles.open(new LocalDisk(folder), OWNER, CrawlDirectory.FILES, false, () -> {});
    }

    private static KnownPage page(String url, long... links) {
        return new KnownPage(
                -1,
                0,
                url,
                new KnownPage.Discovery(1, KnownPage.NO_REFERRER),
                new KnownPage.Content(State.PAGE, -2, 3, "W/\"a-b\"", 1_000_000_000, null),
                new KnownPage.Visits(1, 200, 2_000_000_000, 1_999_999_999, 0),
                links);
    }

    private static long[] links(KnownPages pages, String... urls) {
        return Arrays.stream(urls)
                .mapToLong(url -> ~pages.fingerprint(url))
                .sorted()
                .toArray();
    }

    private static KnownPage find(KnownPages pages, String url) {
        return Objects.requireNonNull(pages.find(0, url));
    }

    private static Round end(KnownPages pages, boolean isOpen, Predicate<String> isSeed) throws IOException {
        Round round = pages.complete(isOpen, isSeed, () -> false);
        pages.ended();
        return round;
    }

    /** Without the array, which is not compared. */
    private static String text(KnownPage page) {
        return page.line();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPageIsTheSameAfterAnOpen(boolean ends) throws IOException {
        KnownPage page = page(URL);
        try (JobFiles files = files()) {
            KnownPages pages = new KnownPages(files, PageKeys.ALL);
            assertThat(pages.find(0, URL)).isNull();
            pages.add(page, false);
            if (ends) {
                assertThat(end(pages, false, url -> true).orphans()).isEmpty();
            }
            assertThat(text(find(pages, URL))).isEqualTo(text(page.with(0, KnownPage.NO_REFERRER, KnownPage.NO_LINKS)));
            pages.flush(false);
        }
        try (JobFiles files = files()) {
            KnownPages pages = new KnownPages(files, PageKeys.ALL);
            assertThat(text(find(pages, URL))).isEqualTo(text(page.with(0, KnownPage.NO_REFERRER, KnownPage.NO_LINKS)));
            assertThat(pages.find(4, URL)).isNull();
            assertThat(pages.find(0, URL + "x")).isNull();
            assertThat(pages.isEnded()).isEqualTo(ends);
        }
    }

    @Test
    void aPageWithoutRoomIsRefusedAndTheOthersStay() throws IOException {
        int most = 768;
        int bytes = 1 << 14;
        try (JobFiles files = files()) {
            KnownPages pages = new KnownPages(files, PageKeys.ALL, bytes);
            for (int i = 0; i < most; i++) {
                pages.add(page(URL + i), false);
            }
            assertThatThrownBy(() -> pages.add(page(URL + most), false))
                    .isInstanceOf(UncheckedIOException.class)
                    .hasMessageContaining("crawl-pages: a job that is crawled in rounds has at most 768 pages");
            pages.add(
                    find(pages, URL + 1).visited(new KnownPage.Visits(2, 404, 2_000_000_001, 1_999_999_999, 0)), false);
        }
        try (JobFiles files = files()) {
            KnownPages pages = new KnownPages(files, PageKeys.ALL, bytes);
            assertThat(pages.size()).isEqualTo(most);
            assertThat(find(pages, URL + 1).visits().status()).isEqualTo(404);
            assertThat(pages.find(0, URL + most)).isNull();
        }
    }

    @Test
    void aClockThatIsSetBackDamagesNothing() throws IOException {
        try (JobFiles files = files()) {
            KnownPages pages = new KnownPages(files, PageKeys.ALL);
            pages.add(page(URL), false);
            pages.touch(find(pages, URL).visited(new KnownPage.Visits(2, 200, 1_000_000_000, 1_999_999_999, 60)));
            end(pages, false, url -> true);
        }
        try (JobFiles files = files()) {
            KnownPages pages = new KnownPages(files, PageKeys.ALL);
            assertThat(find(pages, URL).visits().last()).isEqualTo(1_000_000_000);
            assertThat(find(pages, URL).visits().lastChange()).isEqualTo(1_000_000_000);
        }
    }

    @Test
    void aVisitWithoutChangesIsAShortLineThatCounts() throws IOException {
        try (JobFiles files = files()) {
            KnownPages pages = new KnownPages(files, PageKeys.ALL);
            pages.add(page(URL), false);
            pages.flush(false);
            long before = Files.size(folder.resolve("crawl-pages"));
            pages.touch(find(pages, URL).visited(new KnownPage.Visits(5, 503, 2_000_000_099, 1_999_999_999, 60)));
            pages.flush(false);
            assertThat(Files.size(folder.resolve("crawl-pages")) - before).isLessThan(45);
        }
        for (int run = 0; run < 2; run++) {
            try (JobFiles files = files()) {
                KnownPages pages = new KnownPages(files, PageKeys.ALL);
                KnownPage page = find(pages, URL);
                assertThat(page.visits().count()).isEqualTo(5);
                assertThat(page.visits().last()).isEqualTo(2_000_000_099);
                assertThat(page.visits().lastChange()).isEqualTo(1_999_999_999);
                assertThat(page.visits().interval()).isEqualTo(60);
                assertThat(page.visits().status()).isEqualTo(503);
                end(pages, false, url -> true);
            }
        }
    }

    @Test
    void aVisitBelongsToTheRoundInWhichItIsNoted() throws IOException {
        // Not closed, as a kill leaves it.
        KnownPages killed = new KnownPages(files(), PageKeys.ALL);
        killed.add(page(URL), false);
        assertThat(killed.isVisited(0, URL)).isTrue();
        end(killed, false, url -> true);
        assertThat(killed.isVisited(0, URL)).isFalse();
        killed.begin(false);
        assertThat(killed.round()).isEqualTo(2);
        assertThat(killed.isQueued()).isFalse();
        killed.queued();
        killed.touch(find(killed, URL));
        try (JobFiles files = files()) {
            KnownPages pages = new KnownPages(files, PageKeys.ALL);
            assertThat(pages.isVisited(0, URL)).as("not flushed").isFalse();
            pages.touch(find(pages, URL));
            pages.flush(true);
        }
        try (JobFiles files = files()) {
            KnownPages pages = new KnownPages(files, PageKeys.ALL);
            assertThat(pages.isVisited(0, URL)).isTrue();
            assertThat(pages.isQueued()).isTrue();
            assertThat(pages.isEnded()).isFalse();
        }
    }

    @Test
    void thePagesToWhichNoOtherOneLinksAreOrphans() throws IOException {
        try (JobFiles files = files()) {
            KnownPages pages = new KnownPages(files, PageKeys.ALL);
            pages.add(page(URL, links(pages, URL + "a", URL + "later")), false);
            pages.add(page(URL + "self", links(pages, URL + "self")), false);
            pages.add(page(URL + "a", links(pages, URL + "b", URL)), false);
            pages.add(page(URL + "b"), false);
            assertThat(end(pages, true, URL::equals).orphans()).containsExactly(URL + "self");
        }
        try (JobFiles files = files()) {
            KnownPages pages = new KnownPages(files, PageKeys.ALL);
            pages.begin(false);
            pages.add(page(URL + "later"), false);
            assertThat(find(pages, URL).links()).hasSize(2);
            pages.add(find(pages, URL + "a").with(2, KnownPage.NO_REFERRER, KnownPage.NO_LINKS), false);
            assertThat(end(pages, false, URL::equals).orphans()).containsExactly(URL + "self", URL + "b");
            assertThat(find(pages, URL).links()).containsExactly(2, 4);
        }
    }

    @Test
    void manyPagesAreFoundAndTakeFewBytes() throws IOException {
        int count = 3000;
        int most = 120;
        try (JobFiles files = files()) {
            KnownPages pages = new KnownPages(files, PageKeys.ALL);
            long urlBytes = 0;
            for (int i = 0; i < count; i++) {
                String[] links = new String[20];
                for (int link = 0; link < links.length; link++) {
                    links[link] = URL + (link < 10 ? link : (i + link) % count);
                }
                pages.add(page(URL + i, links(pages, links)), false);
                urlBytes += (URL + i).length() + page(URL).content().etag().length();
            }
            assertThat(end(pages, false, url -> false).orphans()).isEmpty();
            assertThat(Files.size(folder.resolve("crawl-pages")) - urlBytes).isLessThan((long) most * count);
            for (int i = 0; i < count; i++) {
                assertThat(find(pages, URL + i).number()).isEqualTo(i);
            }
            List<KnownPage> all = new ArrayList<>();
            pages.all(all::add);
            assertThat(all).hasSize(count);
        }
    }

    @Test
    void aLostLineLosesOnlyItsPage() throws IOException {
        // Not closed, as a kill leaves it.
        KnownPages killed = new KnownPages(files(), PageKeys.ALL);
        for (int i = 0; i < 3; i++) {
            killed.add(page(URL + i, links(killed, URL + (i + 1) % 3)), false);
        }
        end(killed, false, url -> false);
        killed.begin(false);
        for (int i = 0; i < 3; i++) {
            killed.touch(find(killed, URL + i));
        }
        killed.flush(false);
        LocalDisk disk = new LocalDisk(folder);
        List<String> kept = new ArrayList<>();
        LineFile.read(disk, KnownPages.KIND, OWNER, 0, (position, line) -> kept.add(line), LineFile.REFUSE);
        kept.removeIf(line -> line.endsWith(URL + "1"));
        LineFile.replace(disk, KnownPages.KIND, OWNER, kept);
        try (JobFiles files = files()) {
            KnownPages pages = new KnownPages(files, PageKeys.ALL);
            assertThat(pages.find(0, URL + "1")).isNull();
            assertThat(find(pages, URL + "2").number()).isEqualTo(2);
            assertThat(pages.page(find(pages, URL + "2").links()[0])).isNotNull();
            end(pages, false, url -> false);
            assertThat(pages.find(0, URL + "1")).isNull();
            assertThat(pages.size()).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "page 0 0 1 - p5k - - - 1 a 0 0 - - - http://H.test/",
                "page 0 0 1 - x5k - - - 1 a 0 0 - - - http://h.test/",
                "page -1 0 1 - p5k - - - 1 a 0 0 - - - http://h.test/",
                "page 0 0 1 - p5k - - - 1 a b 0 - - - http://h.test/",
                "page 0 0 1 - p5k - - - 1 a 0 0 - gICAgICAgICAgICA - http://h.test/",
                "page 0 0 1 - p5k - - - 1 a 0 0 - - tag http://h.test/",
                "page 0 0 1 - p5k AAAA - - 1 a 0 0 - - - http://h.test/",
                "same 0 1",
                "round x begun",
                ""
            })
    void aLineThatIsNoPageIsNamed(String line) throws IOException {
        try (JobFiles files = files()) {
            new KnownPages(files, PageKeys.ALL);
        }
        LineFile.Kind kind = new LineFile.Kind("crawl-pages", 3, "a line", "", each -> true);
        LineFile.replace(new LocalDisk(folder), kind, OWNER, List.of(line));
        assertThatThrownBy(() -> new KnownPages(files(), PageKeys.ALL)).hasMessageContaining("line 2 is not a page");
    }
}
