package dev.sieve.polite;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Tier;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Large crawls in virtual time. The system property {@code sieve.hosts} sets how many hosts stand for a million, in as
 * small a part of the heap; 1,000,000 makes it the whole, as does {@code sieve.proof}.
 */
class HostScheduleScaleTest {
    private static final int MILLION = 1_000_000;
    private static final int HOSTS = Integer.getInteger("sieve.hosts", Tier.of(MILLION / 40, MILLION));
    private static final long REQUEST = VirtualCrawl.SECOND / 5;
    private static final int WORKERS = 200;

    @TempDir
    private Path directory;

    @Test
    @Tag("slow")
    void aMillionHostsFitIn256Megabytes() throws IOException, InterruptedException {
        long heapMegabytes = 8 + 240L * HOSTS / MILLION;
        Process crawl = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx" + heapMegabytes + "m",
                        "-XX:+UseSerialGC",
                        "-Djava.io.tmpdir=" + directory,
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        VirtualCrawl.class.getName(),
                        Integer.toString(HOSTS))
                .redirectErrorStream(true)
                .start();
        String said = new String(crawl.getInputStream().readAllBytes(), UTF_8);
        assertThat(crawl.waitFor()).as(said).isZero();
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.6, 1.0})
    void powerLawHostsAreCrawledAtFullSpeed(double exponent) throws IOException {
        int hosts = 100_000;
        double weights = 0;
        for (int rank = 1; rank <= hosts; rank++) {
            weights += Math.pow(rank, -exponent);
        }
        int[] sizes = VirtualCrawl.powerLaw(hosts, 5.0 * hosts / weights, exponent);
        VirtualCrawl crawl = new VirtualCrawl(sizes, WORKERS, REQUEST);
        long took = crawl.run(directory, MILLION, 1);
        assertThat((double) crawl.idealNanos() / took).isBetween(0.95, 1.0);
    }

    @Test
    @Tag("slow")
    void aHugeHostDoesNotDelaySmallOnes() throws IOException {
        int[] sizes = new int[10_001];
        Arrays.fill(sizes, 20);
        sizes[0] = 10 * HOSTS;
        assertThat(endOfSmall(sizes)).isLessThan(endOfSmallAlone(sizes) * 1.01);
    }

    private double endOfSmallAlone(int[] sizes) throws IOException {
        int[] small = sizes.clone();
        small[0] = 1;
        return endOfSmall(small);
    }

    private double endOfSmall(int[] sizes) throws IOException {
        VirtualCrawl crawl = new VirtualCrawl(sizes, WORKERS, REQUEST);
        crawl.run(directory, 1000, 2);
        long end = 0;
        for (int host = 1; host < sizes.length; host++) {
            end = Math.max(end, crawl.endOf(host));
        }
        return end;
    }
}
