package dev.sieve.shared;

import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

/** The contract of a frontier, with many slices. */
class ManySlicesContractTest extends SharedSieveContractTest {
    private static final String REASON = "the order holds within a slice, that of several slices is not defined";

    @Override
    int slices() {
        return 16;
    }

    @Override
    @Test
    @Disabled(REASON)
    protected void urlsComeOutInTheOrderInWhichTheyWerePushed() {}

    @Override
    @Test
    @Disabled(REASON)
    protected void whatIsDueComesOutBeforeTheQueueInTheOrderOfItsTime() {}
}
