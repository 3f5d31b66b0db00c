package heritrix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.archive.checkpointing.Checkpoint;
import org.archive.crawler.datamodel.UriUniqFilter;
import org.archive.spring.ConfigPath;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class SieveUriUniqFilterTest {
    private static final int URIS = 20_000;

    private final AtomicInteger received = new AtomicInteger();
    private final SieveUriUniqFilter sieve = new SieveUriUniqFilter();
    /** The filter as Heritrix sees it. */
    private final UriUniqFilter filter = sieve;

    @BeforeEach
    void start() {
        sieve.setCapacity(1_000);
        sieve.start();
        filter.setDestination(uri -> received.incrementAndGet());
    }

    private static String key(int number) {
        return "http://example.org/" + number;
    }

    @Test
    void passesOnAUriOnce() {
        filter.add(key(1), null);
        filter.add(key(1), null);
        filter.addNow(key(2), null);
        filter.addNow(key(1), null);

        assertEquals(2, received.get());
        assertEquals(2, filter.count());
        assertEquals(0, filter.pending());
    }

    @Test
    void passesOnAUriThatIsForced() {
        filter.add(key(1), null);
        filter.addForce(key(1), null);
        filter.addForce(key(2), null);
        filter.add(key(2), null);

        assertEquals(3, received.get());
        assertEquals(2, filter.count());
    }

    @Test
    void doesNotPassOnANotedUri() {
        filter.note(key(1));
        filter.add(key(1), null);

        assertEquals(0, received.get());
        assertEquals(1, filter.count());
    }

    @Test
    void aUriCannotBeForgotten() {
        filter.add(key(1), null);
        filter.forget(key(1), null);
        filter.add(key(1), null);

        assertEquals(1, received.get());
    }

    @Test
    void passesOnEachUriOnceToRacingThreadsAndGrows() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<?>> adders = new ArrayList<>();
            for (int thread = 0; thread < 4; thread++) {
                adders.add(threads.submit(() -> {
                    for (int i = 0; i < URIS; i++) {
                        filter.add(key(i), null);
                    }
                }));
            }
            for (Future<?> adder : adders) {
                adder.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertTrue(received.get() <= URIS && received.get() > URIS * 0.999, "received: " + received);
        assertEquals(received.get(), filter.count());
    }

    @Test
    void isPartOfACheckpoint(@TempDir Path folder) throws Exception {
        for (int i = 0; i < URIS; i++) {
            filter.add(key(i), null);
        }
        Checkpoint checkpoint = new Checkpoint();
        checkpoint.setCheckpointDir(new ConfigPath("checkpoint", folder.toString()));
        sieve.startCheckpoint(checkpoint);
        sieve.doCheckpoint(checkpoint);
        sieve.finishCheckpoint(checkpoint);

        SieveUriUniqFilter again = new SieveUriUniqFilter();
        again.setRecoveryCheckpoint(checkpoint);
        again.start();
        AtomicInteger receivedAgain = new AtomicInteger();
        again.setDestination(uri -> receivedAgain.incrementAndGet());
        for (int i = 0; i < URIS; i++) {
            again.add(key(i), null);
        }
        again.add(key(URIS), null);

        assertEquals(1, receivedAgain.get());
        assertEquals(URIS, again.count(), URIS * 0.05);
    }
}
