package dev.sieve.crawl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.FrontierSettings;
import dev.sieve.UrlBatch;
import dev.sieve.durable.Durability;
import dev.sieve.durable.DurableSieve;
import dev.sieve.durable.Export;
import dev.sieve.job.CrawlPlace;
import dev.sieve.job.EnginePlace;
import dev.sieve.job.FolderPlace;
import dev.sieve.job.MemoryPlace;
import dev.sieve.job.SavedPlace;
import dev.sieve.shared.TestEngine;
import dev.sieve.stage.AllStages;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What holds for each place where a crawl can be kept. */
@Tag("engine")
@Timeout(60)
class CrawlPlaceTest {
    private static final FrontierSettings NEW = FrontierSettings.DEFAULTS.withCapacity(1000);
    private static final FrontierSettings SAME = FrontierSettings.DEFAULTS;

    @TempDir
    private Path folder;

    private @Nullable TestEngine engine;

    @AfterEach
    void stop() {
        if (engine != null) {
            engine.close();
        }
    }

    private static List<String> export(CrawlPlace place, Export which) throws IOException {
        List<String> urls = new ArrayList<>();
        place.export(which, urls::add);
        return urls;
    }

    private static void startAndContinue(SavedPlace place) throws IOException {
        place.check();
        assertThat(place.exists()).isFalse();
        try (CrawlJob job = place.open(new CrawlOptions(), NEW);
                Crawler crawler = new Crawler(new CrawlOptions(), job, AllStages::of)) {
            crawler.seed("http://h.test/");
        }
        try (CrawlJob job = place.open(new CrawlOptions(), SAME);
                Crawler crawler = new Crawler(new CrawlOptions(), job, AllStages::of)) {
            assertThat(crawler.report().pending().before()).isEqualTo(1);
            assertThat(job.sharing() != Sharing.NONE).isEqualTo(place.isShared());
            assertThat(job.sharing().processes()).isEqualTo(1);
        }

        assertThat(place.isSaved()).isTrue();
        assertThat(place.exists()).isTrue();
        List<String> seeds = new ArrayList<>();
        place.seeds(seeds::add);
        assertThat(seeds).containsExactly("http://h.test/");
        assertThat(export(place, Export.PENDING)).containsExactly("http://h.test/");
        assertThat(export(place, Export.DONE)).isEmpty();
        assertThat(place.mightContain("http://h.test/")).isTrue();
        assertThat(place.mightContain("http://h.test/other")).isFalse();
        assertThat(place.inspect().values())
                .containsEntry("accepted", 1L)
                .containsEntry("pending", 1L)
                .containsEntry("seeds", 1L)
                .containsEntry("problems", List.of());
        assertThat(place.repair().urls()).isEqualTo(1);
        assertThat(place.inspect().problems()).isEmpty();
    }

    @Test
    void folder() throws IOException {
        SavedPlace place = new FolderPlace(folder.resolve("job"), Durability.ALWAYS, true, false);

        startAndContinue(place);

        assertThat(place.contains(folder.resolve("job/x"))).isTrue();
        assertThat(place.contains(folder.resolve("jobs"))).isFalse();
        assertThat(place.forces()).isTrue();
        assertThat(new FolderPlace(folder).forces()).isFalse();
        assertThat(place).hasToString(folder + "/job");
        assertThatThrownBy(place::delete).isInstanceOf(IOException.class).hasMessageContaining("delete the directory");
    }

    @Test
    void engine() throws IOException {
        engine = TestEngine.start();

        SavedPlace place = new EnginePlace(engine.address("x"), Duration.ZERO);

        startAndContinue(place);

        assertThat(place.delete()).isPositive();
        assertThat(place.exists()).isFalse();
    }

    @Test
    void onlyThePagesOfACrawlAreExported() throws IOException {
        engine = TestEngine.start();
        for (SavedPlace place : List.of(
                new FolderPlace(folder.resolve("job")),
                new EnginePlace(engine.address("crawl"), Duration.ofMinutes(1)))) {
            try (CrawlJob job = place.open(new CrawlOptions(), NEW);
                    Crawler crawler = new Crawler(new CrawlOptions(), job, AllStages::of)) {
                crawler.seed("http://h.test/");
                UrlBatch sitemaps = Target.Kind.GUESSED_SITEMAP.batch(0, 0, null);
                sitemaps.add("http://h.test/sitemap.xml");
                assertThat(job.frontier().pushAll(sitemaps)).isEqualTo(1);
            }
            assertThat(export(place, Export.PENDING)).containsExactly("http://h.test/");
        }
    }

    @Test
    void allUrlsOfAnotherFrontierAreExported() throws IOException {
        try (DurableSieve served = DurableSieve.builder(folder).capacity(100).open()) {
            for (int label = 0; label < 3; label++) {
                UrlBatch urls = new UrlBatch(0, 0, null, label);
                urls.add("http://h.test/" + label);
                served.pushAll(urls);
            }
        }
        assertThat(export(new FolderPlace(folder), Export.ALL))
                .containsExactly("http://h.test/0", "http://h.test/1", "http://h.test/2");
    }

    @Test
    void memoryKeepsNothing() throws IOException {
        CrawlPlace place = new MemoryPlace();
        try (CrawlJob job = place.open(new CrawlOptions(), NEW)) {
            job.frontier().push("http://h.test/");
        }

        assertThat(place.isSaved()).isFalse();
        assertThat(place.exists()).isFalse();
        assertThat(export(place, Export.PENDING)).isEmpty();
        assertThat(place.mightContain("http://h.test/")).isFalse();
    }
}
