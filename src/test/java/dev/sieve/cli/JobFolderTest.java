package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.job.CrawlDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The folder of a job belongs to the job alone. */
class JobFolderTest {
    private static final String SEED = "http://127.0.0.1:1/";

    @TempDir
    private Path folder;

    private static Run sieve(String... arguments) {
        return Run.of(Main.commandLine(), arguments);
    }

    @Test
    void aFolderWithFilesOfTheUserIsRefused() throws IOException {
        Path mine = Files.writeString(folder.resolve("seeds.txt"), SEED + "\nhttp://unfinished.test/");

        Run run = sieve(mine.toString(), "--job", folder.toString(), "--capacity", "1000");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("--job", folder + " is neither empty nor a job; it contains seeds.txt");
        assertThat(mine).hasContent(SEED + "\nhttp://unfinished.test/");
        assertThat(folder).isDirectoryContaining(mine::equals);
    }

    @Test
    void anEmptyNameIsRefused() {
        Run run = sieve(SEED, "--job", "");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("--job", "empty");
    }

    @Test
    void aFileIsRefused() throws IOException {
        Run run = sieve(SEED, "--job", Files.createFile(folder.resolve("job")).toString());

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("--job", "not a directory");
    }

    @Test
    void damagedSeedsAndPausesAreShownAndRepaired() throws IOException {
        Path job = folder.resolve("job");
        CrawlDirectory.open(job, builder -> builder.capacity(100)).close();
        assertThat(sieve("state", job.toString()).exitCode()).isZero();
        for (String name : new String[] {"crawl-seeds", "crawl-pauses"}) {
            Files.writeString(job.resolve(name), "damaged\n");
        }

        assertThat(sieve("state", job.toString()).exitCode()).isEqualTo(4);
        assertThat(sieve("repair", job.toString()).exitCode()).isZero();

        assertThat(sieve("state", job.toString()).exitCode()).isZero();
        CrawlDirectory.open(job, builder -> {}).close();
    }
}
