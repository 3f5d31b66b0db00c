package dev.sieve.shared;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.OnFull;
import java.util.BitSet;
import org.junit.jupiter.api.Test;

class TotalsTest {
    private static final Session.Run RUN = new Session.Run("a");

    private final Totals totals = new Totals(
            new CrawlSettings("id", 2, 1, false, 100, OnFull.WARN, 1, "host"), new Holdings(2, Long.MAX_VALUE));

    private static Survey survey(Session.Run run, long... accepted) {
        Survey.OfSlice[] slices = {slice(accepted[0]), slice(accepted[1])};
        return new Survey(run, "id", -1, slices, new BitSet());
    }

    private static Survey.OfSlice slice(long accepted) {
        return new Survey.OfSlice(accepted, 0, 0, 0, 0, 0, false, "", "id", true);
    }

    @Test
    void pushIsCountedOnceWhenASurveySawItFirst() {
        totals.note(survey(RUN, 0, 0));
        totals.note(survey(RUN, 16, 0));

        totals.pushed(RUN, 0, 16, 16);

        assertThat(totals.accepted()).isEqualTo(16);
        assertThat(totals.stats().pending()).isEqualTo(16);
    }

    @Test
    void pushIsCountedOnceWhenASurveyMissedItOrSeesItLater() {
        totals.note(survey(RUN, 0, 0));
        totals.pushed(RUN, 1, 16, 16);
        totals.note(survey(RUN, 3, 0));
        assertThat(totals.accepted()).isEqualTo(19);

        totals.note(survey(RUN, 3, 16));

        assertThat(totals.accepted()).isEqualTo(19);
    }

    @Test
    void newRunCountsOnlyWhatTheEngineStillHas() {
        totals.note(survey(RUN, 10, 20));
        Session.Run next = new Session.Run("b");
        totals.pushed(next, 0, 6, 5);
        assertThat(totals.accepted()).isEqualTo(35);

        totals.note(survey(next, 6, 20));
        totals.pushed(RUN, 0, 10, 1);
        totals.note(survey(next, 7, 20));

        assertThat(totals.accepted()).isEqualTo(27);
    }
}
