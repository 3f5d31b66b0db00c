package dev.sieve.cli;

import dev.sieve.report.Numbers;
import dev.sieve.url.Seeds;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs problems with seeds: the first ones, and when it is closed, how many more there were. */
final class SeedProblems implements Consumer<Seeds.Problem>, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.cli");
    private static final int MOST = 10;

    private long count;

    @Override
    public void accept(Seeds.Problem problem) {
        count++;
        if (count <= MOST) {
            LOG.warn("{}", problem);
        }
    }

    @Override
    public void close() {
        if (count > MOST) {
            LOG.warn("and {} with seeds", Numbers.count(count - MOST, "more problem"));
        }
    }
}
