package dev.sieve.serve;

import static dev.sieve.serve.Door.START_SECONDS;
import static dev.sieve.serve.Door.discovered;
import static dev.sieve.serve.Door.info;
import static dev.sieve.serve.Door.known;
import static dev.sieve.serve.Door.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import crawlercommons.urlfrontier.Urlfrontier.Active;
import crawlercommons.urlfrontier.Urlfrontier.BlockQueueParams;
import crawlercommons.urlfrontier.Urlfrontier.CrawlLimitParams;
import crawlercommons.urlfrontier.Urlfrontier.DeleteCrawlMessage;
import crawlercommons.urlfrontier.Urlfrontier.GetParams;
import crawlercommons.urlfrontier.Urlfrontier.Local;
import crawlercommons.urlfrontier.Urlfrontier.QueueDelayParams;
import crawlercommons.urlfrontier.Urlfrontier.QueueWithinCrawlParams;
import crawlercommons.urlfrontier.Urlfrontier.StringList;
import crawlercommons.urlfrontier.Urlfrontier.URLInfo;
import dev.sieve.bloom.Murmur3;
import dev.sieve.durable.DurableFolder;
import dev.sieve.durable.DurableSieve;
import dev.sieve.io.JobFiles;
import dev.sieve.io.LineFile;
import dev.sieve.io.LocalDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is left after a stop, and after a kill: a copy of the folder while the server runs. */
class RestartTest {
    @TempDir
    Path folders;

    private Door open(String name, long seconds) throws IOException {
        return new Door(folders.resolve(name), seconds, builder -> builder);
    }

    /** Ends the server in one way or the other and returns the one that follows it. */
    private Door next(Door door, boolean isKilled) throws IOException {
        if (!isKilled) {
            door.close();
            return open("a", door.seconds());
        }
        return killed(door, "a", "b");
    }

    private Door killed(Door door, String from, String to) throws IOException {
        copy(folders.resolve(from), folders.resolve(to));
        door.close();
        return open(to, door.seconds());
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            // The end of a log is copied before the log, which may grow.
            for (Path file : files.sorted().toList()) {
                if (!file.getFileName().toString().endsWith(".tmp")) {
                    Files.copy(file, to.resolve(from.relativize(file).toString()));
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatWasAcknowledgedIsHandedOut(boolean isKilled) throws Exception {
        Door first = open("a", START_SECONDS);
        String[] urls = IntStream.range(0, 500)
                .mapToObj(i -> "http://" + i % 50 + ".com/" + i)
                .toArray(String[]::new);
        first.discover(urls);
        URLInfo special = URLInfo.newBuilder()
                .setUrl("http://a.com/")
                .setKey("q")
                .setCrawlID("other")
                .putMetadata("m", StringList.newBuilder().addValues("1").build())
                .build();
        first.put(discovered(special), known("http://a.com/x", START_SECONDS + 50), known("http://a.com/y", 0));
        assertThat(first.get(request(10, 2))).hasSize(20);
        assertThat(first.numbers()).containsExactly(51L, 501L, 20L, 1L);
        try (Door second = next(first, isKilled)) {
            assertThat(second.numbers()).containsExactly(51L, 501L, 0L, 1L);
            assertThat(second.client.listCrawls(Local.getDefaultInstance()).getValuesList())
                    .containsExactly("DEFAULT", "other");
            second.noDelay();
            assertThat(second.get()).containsExactlyInAnyOrder(urls);
            second.pass(50);
            assertThat(second.get(request(0, 0).setKey("a.com"))).containsExactly("http://a.com/x");
            assertThat(second.discover("http://a.com/y", urls[0], urls[499])).isEqualTo("SSS");
            assertThat(second.client
                            .getURLs(GetParams.newBuilder().setCrawlID("other").build())
                            .next())
                    .isEqualTo(special);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aClientMayFinishAfterTheRestartWhatItGotBefore(boolean isKilled) throws Exception {
        Door first = open("a", START_SECONDS);
        first.discover("http://a.com/1", "http://a.com/2", "http://a.com/3");
        first.get(request(1, 2));
        try (Door second = next(first, isKilled)) {
            assertThat(second.put(known("http://a.com/1", 0), known("http://a.com/2", START_SECONDS + 9)))
                    .isEqualTo("OO");
            assertThat(second.get()).containsExactly("http://a.com/3");
            second.pass(9);
            assertThat(second.get()).containsExactly("http://a.com/2");
            assertThat(second.numbers()).containsExactly(1L, 2L, 2L, 1L);
        }
    }

    @Test
    void whatWasReportedAfterAKillStaysDoneAfterTheNext() throws Exception {
        Door first = open("a", START_SECONDS);
        first.discover("http://a.com/1", "http://a.com/2", "http://a.com/3", "http://a.com/4");
        first.get(request(1, 3));
        Door second = killed(first, "a", "b");
        assertThat(second.put(known("http://a.com/1", 0), known("http://a.com/2", START_SECONDS + 9)))
                .isEqualTo("OO");
        Door third = killed(second, "b", "c");
        assertThat(third.get()).containsExactly("http://a.com/3", "http://a.com/4");
        third.put(known("http://a.com/3", 0));
        third.close();
        try (Door fourth = open("c", START_SECONDS + 9)) {
            assertThat(fourth.get()).containsExactlyInAnyOrder("http://a.com/2", "http://a.com/4");
            assertThat(fourth.numbers()).containsExactly(1L, 2L, 2L, 2L);
        }
    }

    @Test
    void endOfARecordWhoseSuccessorWasLostDoesNotCount() throws Exception {
        Door first = open("a", START_SECONDS);
        first.discover("http://a.com/1");
        first.close();
        Path crawl = folders.resolve("a/crawl-DEFAULT");
        try (JobFiles files =
                JobFiles.open(new LocalDisk(crawl), DurableFolder.id(crawl), ServedFiles.OF_CRAWL, false, () -> {})) {
            long hash = Murmur3.hash("http://a.com/1", files.owner())[0];
            String lost = new ServedFiles.Replaced(1, 2, hash).line();
            files.replace(ServedFiles.REPLACED, lines -> lines.accept(lost));
        }
        try (Door next = open("a", START_SECONDS)) {
            assertThat(next.get()).containsExactly("http://a.com/1");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void datesOfOtherVisitsAreKept(boolean isKilled) throws Exception {
        Door first = open("a", START_SECONDS);
        first.discover("http://a.com/1", "http://a.com/2");
        first.get();
        first.put(known("http://a.com/1", START_SECONDS + 100), known("http://a.com/2", START_SECONDS + 200));
        try (Door second = next(first, isKilled)) {
            assertThat(second.get()).isEmpty();
            assertThat(second.numbers()).containsExactly(1L, 2L, 0L, 0L);
            second.pass(100);
            assertThat(second.get()).containsExactly("http://a.com/1");
            second.pass(100);
            assertThat(second.get(request(0, 0).setKey("a.com"))).contains("http://a.com/2");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void settingsAreKept(boolean isKilled) throws Exception {
        Door first = open("a", START_SECONDS);
        first.noDelay();
        first.discover("http://a.com/1", "http://b.com/1", "http://c.com/1", "http://c.com/2", "http://d.com/1");
        first.client.blockQueueUntil(BlockQueueParams.newBuilder()
                .setKey("a.com")
                .setTime(START_SECONDS + 1000)
                .build());
        first.client.setDelay(QueueDelayParams.newBuilder()
                .setKey("c.com")
                .setDelayRequestable(500)
                .build());
        first.client.setCrawlLimit(
                CrawlLimitParams.newBuilder().setKey("b.com").setLimit(1).build());
        first.put(known("http://b.com/2", 0));
        first.client.deleteQueue(
                QueueWithinCrawlParams.newBuilder().setKey("d.com").build());
        assertThat(first.discover("http://d.com/1")).isEqualTo("O");
        first.client.setActive(Active.getDefaultInstance());
        try (Door second = next(first, isKilled)) {
            assertThat(second.client.getActive(Local.getDefaultInstance()).getState())
                    .isFalse();
            second.client.setActive(Active.newBuilder().setState(true).build());
            assertThat(second.get(request(0, 1))).containsExactlyInAnyOrder("http://c.com/1", "http://d.com/1");
            second.put(known("http://c.com/1", 0), known("http://d.com/1", 0));
            assertThat(second.get(request(0, 1))).isEmpty();
            assertThat(second.discover("http://d.com/1")).isEqualTo("S");
            second.pass(500);
            assertThat(second.get(request(0, 1))).containsExactly("http://c.com/2");
            second.pass(500);
            assertThat(second.get(request(0, 1).setKey("a.com"))).containsExactly("http://a.com/1");
            assertThat(second.numbers().get(0)).isEqualTo(4);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void prioritiesAndTheDelayOfACrawlAreKept(boolean isKilled) throws Exception {
        Door first = open("a", START_SECONDS);
        first.client.setDelay(QueueDelayParams.newBuilder()
                .setCrawlID("DEFAULT")
                .setDelayRequestable(500)
                .build());
        first.discover("http://a.com/1", "http://a.com/2");
        first.put(Door.discovered(URLInfo.newBuilder()
                .setUrl("http://a.com/3")
                .putMetadata(
                        "sieve.priority", StringList.newBuilder().addValues("1").build())
                .build()));
        try (Door second = next(first, isKilled)) {
            assertThat(second.get(request(0, 1))).containsExactly("http://a.com/3");
            second.put(known("http://a.com/3", 0));
            second.pass(499);
            assertThat(second.get(request(0, 1))).isEmpty();
            second.pass(1);
            assertThat(second.get(request(0, 1))).containsExactly("http://a.com/1");
        }
    }

    @Test
    void aQueueThatWasDeletedStaysDeleted() throws Exception {
        Door first = open("a", START_SECONDS);
        first.discover("http://a.com/1", "http://a.com/2", "http://b.com/");
        first.get(request(0, 1));
        first.client.deleteQueue(
                QueueWithinCrawlParams.newBuilder().setKey("a.com").build());
        first.client.deleteCrawl(
                DeleteCrawlMessage.newBuilder().setValue("none").build());
        try (Door second = next(first, true)) {
            assertThat(second.numbers()).containsExactly(1L, 1L, 0L, 0L);
            assertThat(second.get()).containsExactly("http://b.com/");
            assertThat(second.discover("http://a.com/1")).isEqualTo("O");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aQueueMayBeDeletedAndRediscoveredOften(boolean restarts) throws Exception {
        Door door = open("a", START_SECONDS);
        for (int i = 0; i < 5; i++) {
            assertThat(door.discover("http://a.com/1", "http://" + i + ".com/")).isEqualTo("OO");
            assertThat(door.get(request(0, 0).setKey("a.com"))).hasSize(1);
            door.put(known("http://a.com/1", 0));
            if (restarts) {
                door = next(door, false);
            }
            assertThat(door.discover("http://a.com/1", "http://" + i + ".com/")).isEqualTo("SS");
            door.client.deleteQueue(
                    QueueWithinCrawlParams.newBuilder().setKey("a.com").build());
            if (restarts) {
                door = next(door, false);
            }
            assertThat(door.numbers()).containsExactly(i + 1L, i + 1L, 0L, 0L);
            door.pass(1);
        }
        assertThat(door.get()).hasSize(5);
        door.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, START_SECONDS + 500})
    void aUrlThatWasScheduledMoreThanOnceIsHandedOutOnce(long date) throws Exception {
        Door first = open("a", START_SECONDS);
        first.discover("http://a.com/");
        first.put(known("http://a.com/", START_SECONDS + 100), known("http://a.com/", START_SECONDS + 200));
        first.close();
        loseLines(ServedFiles.REPLACED);
        try (Door second = open("a", START_SECONDS)) {
            assertThat(second.get()).containsExactly("http://a.com/");
            assertThat(second.put(known("http://a.com/", date))).isEqualTo("O");
            second.pass(300);
            assertThat(second.get()).isEmpty();
            assertThat(second.numbers().get(1)).isEqualTo(date == 0 ? 0 : 1);
            second.pass(200);
            assertThat(second.get()).hasSize(date == 0 ? 0 : 1);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 40})
    void theLastMetadataOfAUrlThatIsInProcessAreNotLost(long secondsUntilRead) throws Exception {
        Door first = open("a", START_SECONDS);
        first.discover("http://a.com/");
        URLInfo changed = info("http://a.com/").toBuilder()
                .putMetadata("m", StringList.newBuilder().addValues("1").build())
                .build();
        first.put(known(changed, START_SECONDS + secondsUntilRead));
        first.close();
        loseLines(ServedFiles.REPLACED);
        try (Door second = open("a", START_SECONDS)) {
            assertThat(second.get(request(1, 5))).containsExactly("http://a.com/");
            assertThat(second.numbers().get(2)).isEqualTo(1);
            second.pass(40);
            List<URLInfo> got = new ArrayList<>();
            second.client.getURLs(request(1, 5).build()).forEachRemaining(got::add);
            assertThat(got).extracting(URLInfo::getUrl).containsExactly("http://a.com/");
            second.pass(40);
            second.client.getURLs(request(1, 5).build()).forEachRemaining(got::add);
            assertThat(got.get(1).getMetadataMap()).isEqualTo(changed.getMetadataMap());
            assertThat(second.put(known("http://a.com/", 0))).isEqualTo("O");
            assertThat(second.numbers()).containsExactly(1L, 0L, 0L, 1L);
        }
    }

    @Test
    void urlsAreHandedOutIfADeletionWasLost() throws Exception {
        Door first = open("a", START_SECONDS);
        first.discover("http://a.com/1", "http://a.com/2");
        first.client.deleteQueue(
                QueueWithinCrawlParams.newBuilder().setKey("a.com").build());
        assertThat(first.discover("http://a.com/2", "http://a.com/3")).isEqualTo("OO");
        first.close();
        loseLines(ServedFiles.QUEUES);
        loseLines(ServedFiles.DELETIONS);
        open("a", START_SECONDS).close();
        try (Door next = open("a", START_SECONDS)) {
            assertThat(next.numbers()).containsExactly(1L, 2L, 0L, 0L);
            assertThat(next.discover("http://a.com/1", "http://a.com/2")).isEqualTo("OS");
            assertThat(next.get()).containsExactly("http://a.com/2", "http://a.com/3", "http://a.com/1");
        }
        assertThat(folders.resolve("a/crawl-DEFAULT/crawl-queues")).content().contains("generation 1 ");
    }

    @Test
    void aHalfDeletedQueueCanBeDeletedAgain() throws Exception {
        Door first = open("a", START_SECONDS);
        first.discover("http://a.com/1");
        first.client.deleteQueue(
                QueueWithinCrawlParams.newBuilder().setKey("a.com").build());
        assertThat(first.discover("http://a.com/2")).isEqualTo("O");
        first.close();
        assertThat(folders.resolve("a/crawl-DEFAULT/crawl-queues")).content().contains("generation 1 ");
        loseLines(ServedFiles.DELETIONS);
        try (Door next = open("a", START_SECONDS)) {
            next.client.deleteQueue(
                    QueueWithinCrawlParams.newBuilder().setKey("a.com").build());
            assertThat(next.discover("http://a.com/2")).isEqualTo("O");
            assertThat(next.get()).containsExactly("http://a.com/2");
        }
    }

    /** Replaces a file of the crawl by one without lines, as if they had never been forced to the disk. */
    private void loseLines(LineFile.Kind kind) throws IOException {
        Path crawl = folders.resolve("a/crawl-DEFAULT");
        try (JobFiles files =
                JobFiles.open(new LocalDisk(crawl), DurableFolder.id(crawl), ServedFiles.OF_CRAWL, false, () -> {})) {
            files.replace(kind, lines -> {});
        }
    }

    @Test
    void cutSettingsAreIgnoredAndDamagedOnesNamed() throws Exception {
        Door first = open("a", START_SECONDS);
        first.discover("http://a.com/1");
        first.client.setCrawlLimit(
                CrawlLimitParams.newBuilder().setKey("a.com").setLimit(7).build());
        first.close();
        Path file = folders.resolve("a/crawl-DEFAULT/crawl-queues");
        String whole = Files.readString(file);
        assertThat(whole).endsWith(" limit 7 queue a.com\n");
        Files.writeString(file, "89abcdef 2 gener", StandardOpenOption.APPEND);
        open("a", START_SECONDS).close();
        Files.writeString(file, whole.replace("limit 7", "limit 8"));
        assertThatThrownBy(() -> open("a", START_SECONDS))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("crawl-queues: line 2 is damaged; 'repair' keeps what is intact");
    }

    @Test
    void settingsFilesStaySmall() throws Exception {
        try (Door door = open("a", START_SECONDS)) {
            door.discover("http://a.com/1", "http://b.com/1");
            for (int i = 0; i < 2_500; i++) {
                QueueDelayParams.Builder params = QueueDelayParams.newBuilder().setKey(i % 2 == 0 ? "a.com" : "b.com");
                door.client.setDelay(params.setDelayRequestable(i).build());
            }
            Path file = folders.resolve("a/crawl-DEFAULT/crawl-queues");
            List<String> lines = Files.readAllLines(file);
            assertThat(lines.size()).isLessThan(1_100);
            assertThat(lines.get(lines.size() - 1)).contains("delay 2499 ");
        }
    }

    @ParameterizedTest
    @Tag("slow")
    @ValueSource(booleans = {false, true})
    void theDeletionsOfAQueueStayFewWhileTheServerRuns(boolean isKilled) throws Exception {
        Door first = open("a", START_SECONDS);
        for (int i = 0; i < 1_100; i++) {
            first.discover("http://a.com/1", "http://" + i % 3 + ".com/" + i);
            first.client.deleteQueue(
                    QueueWithinCrawlParams.newBuilder().setKey("a.com").build());
        }
        assertThat(first.discover("http://a.com/1")).isEqualTo("O");
        first.client.deleteQueue(
                QueueWithinCrawlParams.newBuilder().setKey("0.com").build());
        assertThat(Files.readAllLines(folders.resolve("a/crawl-DEFAULT/crawl-deletions")))
                .hasSizeBetween(3, 200);
        Door second = next(first, isKilled);
        List<Long> numbers = second.numbers();
        assertThat(second.discover("http://a.com/1", "http://0.com/0")).isEqualTo("SO");
        assertThat(numbers).containsExactly(3L, 734L, 0L, 0L);
        second.close();
        try (Door third = open(isKilled ? "b" : "a", START_SECONDS)) {
            assertThat(third.numbers()).containsExactly(4L, 735L, 0L, 0L);
        }
    }

    @Test
    void theFolderOfACrawlIsRefused() throws Exception {
        DurableSieve.open(folders.resolve("a"), 10).close();
        assertThatThrownBy(() -> open("a", START_SECONDS)).hasMessageContaining("a server needs a folder of its own");
    }

    @Test
    void aRestartKeepsTheLastOfManyVisits() throws Exception {
        Door first = open("a", START_SECONDS);
        first.noDelay();
        first.discover("http://a.com/1", "http://a.com/2");
        for (int i = 0; i < 5; i++) {
            assertThat(first.get(request(1, 2))).hasSize(2);
            first.put(known("http://a.com/1", first.seconds() + 10), known("http://a.com/2", first.seconds() + 10));
            first.pass(10);
        }
        first.get();
        first.put(known("http://a.com/2", 0));
        try (Door second = next(first, false)) {
            assertThat(second.numbers()).containsExactly(1L, 1L, 0L, 1L);
            assertThat(second.list()).containsEntry("http://a.com/2", 0L).hasSize(2);
            assertThat(second.get()).containsExactly("http://a.com/1");
            assertThat(second.put(discovered(info("http://a.com/1")))).isEqualTo("S");
        }
    }
}
