package dev.sieve.crawl;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.Lease;
import dev.sieve.Sieve;
import dev.sieve.io.Disk;
import dev.sieve.io.ErrorDisk;
import dev.sieve.io.JobFiles;
import dev.sieve.io.LocalDisk;
import dev.sieve.job.CrawlDirectory;
import dev.sieve.scope.SkipReason;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class JobResultsTest {
    @TempDir
    private Path folder;

    private CrawlJob job() throws IOException {
        boolean exists = folder.resolve("log-00000001").toFile().exists();
        return CrawlDirectory.open(folder, exists ? builder -> {} : builder -> builder.capacity(100));
    }

    private static JobResults results(CrawlJob job) throws IOException {
        return new JobResults(job, (url, target) -> {});
    }

    @Test
    void failureOfAQueuedUrlCountsUntilRequestedAgain() throws IOException {
        long id;
        try (CrawlJob job = job()) {
            job.frontier().push("http://a.test/");
            Lease lease = Objects.requireNonNull(job.frontier().take(0));
            id = lease.id();
            JobResults results = results(job);
            for (String part : List.of("timeout", "malformed URL")) {
                results.note(Counter.FAILURES, part);
                results.add(id);
            }
            results.flush(false);
        }
        try (CrawlJob job = job()) {
            JobResults results = results(job);
            assertThat(results.earlier().by(Counter.FAILURES)).containsOnlyKeys("timeout", "malformed URL");

            results.note(Counter.FAILURES, "404");
            results.add(id);

            assertThat(results.earlier().by(Counter.FAILURES)).isEmpty();
            results.flush(false);
        }
        try (CrawlJob job = job()) {
            assertThat(results(job).earlier().by(Counter.FAILURES)).containsOnlyKeys("404");
        }
    }

    @Test
    void theFirstPageCountsWhateverBecomesOfItsUrl() throws IOException {
        try (CrawlJob job = job()) {
            JobResults results = results(job);
            for (int id = 0; id < 3; id++) {
                results.note(Counter.PAGES, "2xx");
                results.add(id);
            }
            results.flush(false);
        }
        try (CrawlJob job = job()) {
            assertThat(results(job).earlier().get(Counter.PAGES)).isOne();
        }
    }

    private CrawlJob job(Disk disk) throws IOException {
        JobFiles files = JobFiles.open(disk, 1, List.of(JobResults.KIND, Journal.KIND), true, () -> {});
        return new CrawlJob(new Sieve(10), folder, files, Sharing.NONE, (seeds, lines) -> JobStore.NONE);
    }

    @Test
    void resultsThatCannotBeWrittenEndTheCrawl() throws IOException {
        ErrorDisk disk = new ErrorDisk(new LocalDisk(folder));
        CrawlJob job = job(disk);
        Recorder recorder = new Recorder(job.frontier(), List.of());
        recorder.continues(results(job));
        job.frontier().push("http://a.test/");
        Lease lease = Objects.requireNonNull(job.frontier().take(0));
        disk.failAt(disk.calls(), ErrorDisk.Failure.ENOSPC, true);

        SkipReason large = new SkipReason("x".repeat(1 << 16));
        assertThatThrownBy(() -> recorder.refused(lease, large)).hasMessageContaining("No space left");
        assertThatThrownBy(() -> recorder.done(lease, () -> {})).hasMessageContaining("No space left");
    }

    @Test
    void linesAreAddedWhileOthersAreForced() throws Exception {
        CountDownLatch isForcing = new CountDownLatch(1);
        CountDownLatch isAdded = new CountDownLatch(1);
        Disk disk = new LocalDisk(folder);
        Disk slow = proxy(Disk.class, (object, method, arguments) -> {
            Object result = method.invoke(disk, arguments);
            boolean isJournal = method.getName().equals("append") && arguments[0].equals(Journal.KIND.name());
            return !isJournal
                    ? result
                    : proxy(Disk.Sink.class, (sink, call, values) -> {
                        if (call.getName().equals("force")) {
                            isForcing.countDown();
                            isAdded.await();
                        }
                        return call.invoke(result, values);
                    });
        });
        Journal journal = Journal.of(job(slow));
        journal.add("{}".getBytes(US_ASCII));
        Thread forcing = new Thread(() -> journal.flush(true));
        forcing.start();
        isForcing.await();

        journal.add("{}".getBytes(US_ASCII));
        isAdded.countDown();
        forcing.join();
        journal.flush(true);

        List<String> read = new ArrayList<>();
        journal.read((id, record) -> read.add(record));
        assertThat(read).containsExactly("{}", "{}");
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
