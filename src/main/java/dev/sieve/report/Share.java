package dev.sieve.report;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;
import org.jspecify.annotations.Nullable;

/**
 * What a worker of a shared crawl has done, as it is stored for the report of the whole crawl: compressed JSON. Its totals
 * are exact, its lists are shorter than those of a report, so that it takes some ten kilobytes and never more than a few
 * megabytes.
 *
 * @param startedAt when the worker started, in epoch milliseconds
 * @param command its seeds and options
 * @param sample its last numbers
 * @param first the first URL that was requested without a link to it
 */
record Share(
        long startedAt,
        @Nullable String command,
        Sample sample,
        @Nullable String first,
        Totals.Kept totals,
        BrokenLinks.Kept broken,
        List<Redirects.Kept> redirects,
        List<TopPages.Page> slowest,
        List<TopPages.Page> largest,
        Map<String, List<SkipExamples.Example>> skips,
        List<Aggregate.Passed> capacity) {
    /** Hosts that are counted by themselves. */
    static final int HOSTS = 300;
    /** Broken links, and redirects. */
    static final int LINKS = 500;
    /** Bytes before compression. */
    private static final int MOST_BYTES = 16 << 20;

    /** Checks what a line may lack. */
    Share {
        Objects.requireNonNull(sample);
        Objects.requireNonNull(totals);
        Objects.requireNonNull(broken);
        redirects = List.copyOf(redirects);
        slowest = List.copyOf(slowest);
        largest = List.copyOf(largest);
        skips = Map.copyOf(skips);
        capacity = List.copyOf(capacity);
    }

    /** Returns what is stored of a crawl; null before its first sample. */
    static @Nullable Share of(Aggregate crawl) {
        Sample sample = crawl.runs().last();
        if (sample == null) {
            return null;
        }
        Runs.Run run = crawl.runs().list().get(crawl.runs().list().size() - 1);
        return new Share(
                run.startedAt(),
                run.command(),
                sample,
                crawl.first(),
                crawl.totals().kept(HOSTS),
                crawl.broken().kept(LINKS),
                crawl.redirectChains().kept(LINKS),
                crawl.slowest().list(),
                crawl.largest().list(),
                crawl.skipExamples().all(),
                crawl.capacityEvents());
    }

    /** Returns the crawl of which all workers have stored these. */
    static Aggregate sum(List<Share> shares) {
        List<Share> inOrder = new ArrayList<>(shares);
        inOrder.sort(Comparator.comparingLong(Share::startedAt)
                .thenComparing(share -> Objects.requireNonNullElse(share.command, "")));
        Aggregate crawl = new Aggregate(false);
        // The times of events are those since the start of the first worker.
        inOrder.forEach(share -> crawl.runs().add(share.startedAt, share.command, share.sample));
        inOrder.forEach(share -> share.addTo(crawl));
        return crawl;
    }

    private void addTo(Aggregate crawl) {
        crawl.first(first);
        crawl.totals().add(totals);
        crawl.broken().add(broken);
        crawl.redirectChains().add(redirects);
        slowest.forEach(crawl.slowest()::add);
        largest.forEach(crawl.largest()::add);
        skips.forEach((rule, examples) ->
                examples.forEach(each -> crawl.skipExamples().add(rule, each.url(), each.detail(), each.referrer())));
        capacity.forEach(each -> crawl.capacity(each.event(), startedAt + each.millis()));
    }

    byte[] bytes() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DeflaterOutputStream out = new DeflaterOutputStream(bytes)) {
            out.write(JsonLine.RECORDS.asBytes(this));
        } catch (IOException e) {
            throw new AssertionError("memory does not fail", e);
        }
        return bytes.toByteArray();
    }

    /**
     * Reads a share.
     *
     * @throws IOException when it is not one
     */
    static Share of(byte[] bytes) throws IOException {
        try (InflaterInputStream in = new InflaterInputStream(new ByteArrayInputStream(bytes))) {
            return JsonLine.RECORDS.beanFrom(Share.class, in.readNBytes(MOST_BYTES));
        } catch (IOException | RuntimeException e) {
            throw new IOException("not the share of a worker: " + e.getMessage(), e);
        }
    }
}
