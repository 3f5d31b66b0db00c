package heritrix;

import dev.sieve.Deduplicator;
import dev.sieve.FilterKind;
import dev.sieve.UrlBatch;
import dev.sieve.bloom.Membership;
import dev.sieve.bloom.Memberships;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.archive.checkpointing.Checkpoint;
import org.archive.checkpointing.Checkpointable;
import org.archive.crawler.util.SetBasedUriUniqFilter;
import org.archive.modules.CrawlURI;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.Lifecycle;

/**
 * The already-seen test of Heritrix with a Bloom filter that grows, is part of each checkpoint, and accepts a URI exactly
 * once when threads race. Heritrix's own Bloom filter is empty after a restart from a checkpoint.
 *
 * <p>In the configuration of a job:
 *
 * <pre>
 *   &lt;bean id="uriUniqFilter" class="heritrix.SieveUriUniqFilter"&gt;
 *     &lt;property name="capacity" value="100000000"/&gt;
 *   &lt;/bean&gt;
 * </pre>
 *
 * <p>Safe for use by many threads. URIs cannot be forgotten: {@link #forget} logs a warning.
 */
public class SieveUriUniqFilter extends SetBasedUriUniqFilter implements Lifecycle, Checkpointable {
    private static final long serialVersionUID = 1;
    private static final Logger LOG = LoggerFactory.getLogger(SieveUriUniqFilter.class);
    private static final String FILE = "sieve-uris";

    /** Heritrix queues the URIs itself. */
    private static final Deduplicator.Store NO_QUEUE = (batch, from, mask) -> {};

    private long capacity = 10_000_000;
    private double falsePositiveRate = 1e-6;
    private transient Checkpoint recovery;
    private transient Membership filter;
    private transient Deduplicator deduplicator;
    private final AtomicLong count = new AtomicLong();

    /** The number of URIs that the filter is made for; beyond that it grows. Default: 10,000,000. */
    public void setCapacity(long capacity) {
        this.capacity = capacity;
    }

    /** The share of new URIs that may be mistaken for seen ones. Default: 0.000001. */
    public void setFalsePositiveRate(double falsePositiveRate) {
        this.falsePositiveRate = falsePositiveRate;
    }

    @Override
    public synchronized void start() {
        if (isRunning()) {
            return;
        }
        FilterKind kind = FilterKind.GROWING;
        try {
            filter = recovery == null
                    ? kind.create(capacity, falsePositiveRate, Memberships.randomSeed())
                    : read(file(recovery));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        count.set(filter.estimatedSize());
        deduplicator = new Deduplicator(filter, capacity, kind.defaultOnFull(), event -> {});
    }

    @Override
    public synchronized boolean isRunning() {
        return deduplicator != null;
    }

    @Override
    public void stop() {}

    @Override
    protected boolean setAdd(CharSequence key) {
        boolean isNew = deduplicator.push(UrlBatch.utf8(key.toString()), NO_QUEUE);
        if (isNew) {
            count.incrementAndGet();
        }
        return isNew;
    }

    /** Returns the number of URIs; after a restart from a checkpoint, those before it are estimated. */
    @Override
    protected long setCount() {
        return count.get();
    }

    @Override
    public void forget(String key, CrawlURI value) {
        LOG.warn("A Bloom filter cannot forget {}", key);
    }

    @Override
    protected boolean setRemove(CharSequence key) {
        return false;
    }

    // Checkpoints: Heritrix adds no URIs meanwhile

    @Override
    public void startCheckpoint(Checkpoint checkpoint) {}

    @Override
    public void doCheckpoint(Checkpoint checkpoint) throws IOException {
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file(checkpoint)))) {
            filter.writeTo(out);
        }
    }

    @Override
    public void finishCheckpoint(Checkpoint checkpoint) {}

    @Override
    @Autowired(required = false)
    public void setRecoveryCheckpoint(Checkpoint checkpoint) {
        recovery = checkpoint;
    }

    private static Membership read(Path file) throws IOException {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
            return Memberships.read(in);
        }
    }

    private static Path file(Checkpoint checkpoint) {
        return checkpoint.getCheckpointDir().getFile().toPath().resolve(FILE);
    }
}
