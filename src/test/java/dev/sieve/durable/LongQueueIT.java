package dev.sieve.durable;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Sieve;
import dev.sieve.Tier;
import dev.sieve.bloom.BloomSize;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A long queue passes through a process whose heap has 96 MiB besides the filter.
 */
@Tag("process")
class LongQueueIT {
    private static final int URLS = Tier.of(200_000, 2_000_000, 20_000_000);
    private static final int HEAP_MEGABYTES = 96;
    /** What may differ between two looks at the heap: what the JVM itself has loaded and compiled meanwhile. */
    private static final long NOISE_BYTES = 4 << 20;

    @TempDir
    Path folder;

    @Test
    void aLongQueueKeepsItsOrderInAConstantHeap() throws Exception {
        long filterBytes = BloomSize.splitBlockBits(URLS, Sieve.DEFAULT_FALSE_POSITIVE_RATE) / 8;
        long heapMegabytes = HEAP_MEGABYTES + (filterBytes >> 20) + 1;
        Path directory = folder.resolve("frontier");

        List<long[]> samples = run(List.of("-Xmx" + heapMegabytes + "m"), directory);

        long[] first = samples.get(0);
        long[] full = samples.get(LongQueueChild.LOOKS - 1);
        long[] last = samples.get(samples.size() - 1);
        assertThat(samples).hasSize(2 * LongQueueChild.LOOKS);
        assertThat(full[LongQueueChild.ACCEPTED]).isBetween((long) (URLS * 0.999), (long) URLS);
        assertThat(full[LongQueueChild.PENDING]).isEqualTo(full[LongQueueChild.ACCEPTED]);
        assertThat(last[LongQueueChild.PENDING]).isZero();
        assertThat(last[LongQueueChild.TAKEN]).isEqualTo(full[LongQueueChild.ACCEPTED]);
        assertThat(last[LongQueueChild.SUM_TAKEN]).isEqualTo(full[LongQueueChild.SUM_ACCEPTED]);
        assertThat(samples)
                .allSatisfy(sample ->
                        assertThat(sample[LongQueueChild.HEAP]).isLessThan(first[LongQueueChild.HEAP] + NOISE_BYTES));
        print(samples, heapMegabytes, filterBytes);
    }

    private static List<long[]> run(List<String> jvm, Path directory) throws Exception {
        List<long[]> samples = new ArrayList<>();
        Process child = ChildJvm.start(jvm, LongQueueChild.class, directory.toString(), Integer.toString(URLS));
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(child.getInputStream(), US_ASCII))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                samples.add(Stream.of(line.split(" ", -1))
                        .mapToLong(Long::parseLong)
                        .toArray());
            }
        } finally {
            child.destroyForcibly().waitFor();
        }
        return samples;
    }

    private static void print(List<long[]> samples, long heapMegabytes, long filterBytes) throws IOException {
        long heap = samples.stream()
                .mapToLong(sample -> sample[LongQueueChild.HEAP])
                .max()
                .orElseThrow();
        long disk = samples.stream()
                .mapToLong(sample -> sample[LongQueueChild.DISK])
                .max()
                .orElseThrow();
        Map<String, Object> told = new LinkedHashMap<>();
        told.put("URLs", URLS);
        told.put("MB of heap allowed", heapMegabytes);
        told.put("MB of it for the filter", filterBytes >> 20);
        told.put("MB in use after a collection, at most", heap >> 20);
        told.put("MB on the disk, at most", disk >> 20);
        told.put("ms to push", samples.get(LongQueueChild.LOOKS - 1)[LongQueueChild.MILLIS]);
        told.put("ms to push and drain", samples.get(samples.size() - 1)[LongQueueChild.MILLIS]);
        System.out.println(told);
    }
}
