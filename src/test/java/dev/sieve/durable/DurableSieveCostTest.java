package dev.sieve.durable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.FrontierContract;
import dev.sieve.UrlBatch;
import dev.sieve.io.FakeDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What calls cost of the disk. */
class DurableSieveCostTest {
    private static final int SEGMENT_BYTES = 2000;

    private final FakeDisk disk = new FakeDisk();

    private static DurableSieve open(FakeDisk disk) throws IOException {
        return DurableSieve.builder(Path.of("fake"))
                .capacity(10_000)
                .seed(5)
                .segmentBytes(SEGMENT_BYTES)
                .withoutKeepers()
                .open(disk, () -> {});
    }

    private static UrlBatch batch(List<String> urls) {
        UrlBatch batch = new UrlBatch(1, 0, "http://host/page");
        urls.forEach(batch::add);
        return batch;
    }

    @Test
    void aBatchOfNewUrlsIsOneWrite() throws IOException {
        try (DurableSieve frontier = open(disk)) {
            int before = disk.calls();

            frontier.pushAll(batch(FrontierContract.urls(64)));

            assertThat(disk.calls()).isEqualTo(before + 1);
        }
    }

    @Test
    void aPushOfSeenUrlsNeitherWritesNorReads() throws IOException {
        List<String> urls = FrontierContract.urls(500);
        try (DurableSieve frontier = open(disk)) {
            frontier.pushAll(urls);
            int before = disk.calls();
            long readBefore = disk.bytesRead("");

            assertThat(frontier.push(urls.get(0))).isFalse();
            assertThat(frontier.pushAll(urls)).isZero();
            assertThat(frontier.pushAll(batch(urls))).isZero();

            assertThat(disk.calls()).isEqualTo(before);
            assertThat(disk.bytesRead("")).isEqualTo(readBefore);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 100, 2000})
    void openReadsTheLogOnlyAfterTheCheckpoint(int more) throws IOException {
        List<String> urls = FrontierContract.urls(3000 + more);
        DurableSieve frontier = open(disk);
        frontier.pushAll(urls.subList(0, 3000));
        frontier.checkpoint();
        LogPosition position = newestCheckpoint().position();
        frontier.pushAll(urls.subList(3000, 3000 + more));
        FakeDisk killed = disk.afterKill();

        DurableSieve next = open(killed);

        assertThat(next.stats().accepted()).isEqualTo(3000 + more);
        assertThat(position.segment()).isGreaterThan(5);
        assertThat(killed.bytesRead("log-")).isLessThanOrEqualTo(bytesFrom(position));
    }

    private Checkpoint newestCheckpoint() throws IOException {
        return Checkpoint.read(disk, FrontierFiles.list(disk).checkpoints().last());
    }

    /** The bytes of the log from a position on, and the head of the segment in which it is. */
    private long bytesFrom(LogPosition position) throws IOException {
        long bytes = Segment.HEADER_BYTES - position.offset();
        for (int number : FrontierFiles.list(disk).logs().tailSet(position.segment())) {
            bytes += disk.bytes(FrontierFiles.segment(number)).length;
        }
        return bytes;
    }

    @Test
    void openAfterAnOrderlyEndReadsOnlyAHead() throws IOException {
        DurableSieve frontier = open(disk);
        frontier.pushAll(FrontierContract.urls(3000));
        frontier.close();
        FakeDisk closed = disk.copy();

        DurableSieve next = open(closed);

        assertThat(next.pending()).isEqualTo(3000);
        assertThat(closed.bytesRead("log-")).isEqualTo(Segment.HEADER_BYTES);
    }
}
