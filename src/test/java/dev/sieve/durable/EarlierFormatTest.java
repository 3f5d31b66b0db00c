package dev.sieve.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.FrontierContract;
import dev.sieve.Lease;
import dev.sieve.UrlBatch;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A folder that was written with segments of version 1, and left without an orderly stop.
 *
 * <p>It holds a seed, 40 URLs with keys that its page linked to, 5 further URLs behind a checkpoint, and the URL of a
 * sitemap, marked by a fragment as there were no labels. The first 10 URLs, and 2 later ones, are done; one was retried 4
 * times.
 */
class EarlierFormatTest {
    private static final String[] FILES = {"settings", "lock", "log-00000001", "checkpoint-00000001"};
    private static final String SITEMAP = "http://seed.example/sitemap.xml#sitemap";

    @TempDir
    Path temporary;

    private Path version1() throws IOException {
        Path folder = Files.createDirectory(temporary.resolve("frontier"));
        for (String file : FILES) {
            try (InputStream in = EarlierFormatTest.class.getResourceAsStream("version1/" + file)) {
                Files.copy(in, folder.resolve(file));
            }
        }
        return folder;
    }

    private static List<Lease> pending() {
        List<Lease> leases = new ArrayList<>();
        leases.add(new Lease(10, "http://seed.example/%7Ep9", 1, 0, "http://seed.example/", 0, 4));
        for (int i = 12; i < 40; i++) {
            leases.add(new Lease(i + 1, "http://seed.example/%7Ep" + i, 1, 0, "http://seed.example/", 0, 0));
        }
        for (int i = 0; i < 5; i++) {
            leases.add(new Lease(41 + i, "http://other.example/q" + i, 2, 1, "http://seed.example/ü", 0, 0));
        }
        leases.add(new Lease(46, SITEMAP, 0, 0, null, 0, 0));
        return leases;
    }

    @Test
    void allUrlsComeOutAsTheyWereWritten() throws IOException {
        Path folder = version1();
        try (DurableSieve frontier = DurableSieve.builder(folder).open()) {
            assertThat(frontier.stats().accepted()).isEqualTo(47);
            assertThat(frontier.stats().done()).isEqualTo(12);
            assertThat(FrontierContract.takeAll(frontier, 0)).isEqualTo(pending());

            assertThat(frontier.push("http://seed.example/")).isFalse();
            assertThat(frontier.push("http://seed.example/~p7")).isFalse();
            assertThat(frontier.push("http://other.example/q4")).isFalse();
            assertThat(frontier.push("sitemap http://seed.example/sitemap.xml")).isFalse();
        }
    }

    @Test
    void itGoesOnInASegmentOfThePresentVersion() throws IOException {
        Path folder = version1();
        byte[] before = Files.readAllBytes(folder.resolve("log-00000001"));
        List<Lease> expected = pending().subList(2, 35);
        try (DurableSieve frontier = DurableSieve.builder(folder).open()) {
            UrlBatch sitemaps = new UrlBatch(0, 0, null, 2);
            sitemaps.add("http://seed.example/news.xml");
            assertThat(frontier.pushAll(sitemaps)).isEqualTo(1);
            frontier.done(frontier.take(0));
            frontier.done(frontier.take(0));
        }
        assertThat(Files.readAllBytes(folder.resolve("log-00000001"))).isEqualTo(before);
        assertThat(Files.readAllBytes(folder.resolve("log-00000002"))[8]).isEqualTo((byte) 2);

        try (DurableSieve frontier = DurableSieve.builder(folder).open()) {
            List<Lease> leases = FrontierContract.takeAll(frontier, 0);
            assertThat(leases.subList(0, 33)).isEqualTo(expected);
            assertThat(leases.get(33)).isEqualTo(new Lease(47, "http://seed.example/news.xml", 0, 0, null, 2, 0));
            assertThat(leases).hasSize(34);
        }
        List<String> done = new ArrayList<>();
        DurableFolder.export(folder, Export.DONE, done::add);
        assertThat(done).hasSize(14).startsWith("http://seed.example/").endsWith("http://seed.example/%7Ep12");
    }

    @Test
    void itIsSoundAndCanBeInspectedAsItIs() throws IOException {
        Path folder = version1();

        DurableState state = DurableFolder.inspect(folder);
        assertThat(state.problems()).isEmpty();
        assertThat(state.stats().pending()).isEqualTo(35);
        assertThat(state.owner()).isEmpty();
        RepairReport report = DurableFolder.repair(folder);
        assertThat(report.findings()).isEmpty();
        assertThat(report.urls()).isEqualTo(47);
    }

    @Test
    void aSegmentOfALaterVersionIsRefusedByItsNumberAndNotRepaired() throws IOException {
        Path folder = version1();
        Path segment = folder.resolve("log-00000001");
        byte[] bytes = Files.readAllBytes(segment);
        ByteBuffer header = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        CRC32C crc = new CRC32C();
        header.putInt(8, 3);
        crc.update(bytes, 0, 32);
        header.putInt(32, (int) crc.getValue());
        Files.write(segment, bytes);

        assertThatThrownBy(() -> DurableSieve.builder(folder).open().close())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("log-00000001: its format has version 3, this Sieve reads version 2");
        assertThatThrownBy(() -> DurableFolder.repair(folder)).hasMessageContaining("version 3");
    }
}
