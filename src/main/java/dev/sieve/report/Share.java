package dev.sieve.report;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;
import org.jspecify.annotations.Nullable;

/**
 * What a worker of a shared crawl has done, as it is stored for the report of the whole crawl: compressed JSON. Its
 * totals are exact, its lists are shorter than those of a report, so that it takes some ten kilobytes and never more
 * than a few megabytes.
 *
 * @param startedAt when the worker started, in epoch milliseconds
 * @param command its seeds and options
 * @param sample its last numbers
 * @param crawl the stored part of what it has recorded
 */
record Share(long startedAt, @Nullable String command, Sample sample, Aggregate crawl) {
    /** Hosts that are counted by themselves. */
    private static final int HOSTS = 300;
    /** Broken links, and redirects. */
    private static final int LINKS = 500;
    /** Bytes before compression. */
    private static final int MOST_BYTES = 16 << 20;
    /** Names, values, and starts and ends of objects: three for an empty object, which may take a kilobyte of memory. */
    private static final int MOST_TOKENS = 200_000;
    /** The sums over all workers are below the highest number. */
    private static final double MOST = 1e15;
    /** The highest number if there is none. */
    private static final String CAPACITY = "capacity";

    /** Checks what a line may lack. */
    Share {
        Objects.requireNonNull(sample);
        Objects.requireNonNull(crawl);
    }

    /** Returns what is stored of a crawl; null before its first sample. */
    static @Nullable Share of(Aggregate crawl) {
        Sample sample = crawl.runs.last();
        if (sample == null) {
            return null;
        }
        Runs.Run run = crawl.runs.list().get(crawl.runs.list().size() - 1);
        Aggregate stored = new Aggregate(false, HOSTS, LINKS, LINKS);
        stored.merge(crawl, 0);
        return new Share(run.startedAt, run.command, sample, stored);
    }

    /** Returns the crawl of which all workers have stored these. */
    static Aggregate sum(List<Share> shares) {
        List<Share> inOrder = new ArrayList<>(shares);
        inOrder.sort(Comparator.comparingLong(Share::startedAt)
                .thenComparing(share -> Objects.requireNonNullElse(share.command, "")));
        Aggregate sum = new Aggregate();
        // The times of events are those since the start of the first worker.
        inOrder.forEach(share -> sum.runs.add(share.startedAt, share.command, share.sample));
        inOrder.forEach(share -> sum.merge(share.crawl, sum.runs.millisAt(share.startedAt)));
        return sum;
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

    /** Reads a share; throws when it is not one. */
    static Share of(byte[] bytes) throws IOException {
        try (InflaterInputStream in = new InflaterInputStream(new ByteArrayInputStream(bytes))) {
            byte[] json = in.readNBytes(MOST_BYTES);
            check(json);
            return JsonLine.RECORDS.beanFrom(Share.class, json);
        } catch (IOException | RuntimeException e) {
            throw new IOException("not the share of a worker: " + e.getMessage(), e);
        }
    }

    /** Requires that it fits into memory, and that its numbers can be added. */
    private static void check(byte[] json) throws IOException {
        try (JsonParser parser = JsonLine.FACTORY.createParser(json)) {
            int count = 0;
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (++count > MOST_TOKENS) {
                    throw new IOException("too large");
                }
                if (token.isNumeric()) {
                    JsonStreamContext place = parser.getParsingContext();
                    String name = String.valueOf((place.inArray() ? place.getParent() : place).getCurrentName());
                    double number = parser.getDoubleValue();
                    if (number < 0 || (number > MOST && !name.equals(CAPACITY))) {
                        throw new IOException(Bounds.cut(name) + ": not from 0 to 10^15: " + number);
                    }
                }
            }
        }
    }
}
