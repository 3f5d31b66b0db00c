package dev.sieve.stage;

import dev.sieve.crawl.Stage;
import dev.sieve.crawl.StageVisit;
import dev.sieve.crawl.VisitContext;
import dev.sieve.parse.TextForm;

/** Adds the visible text of each page to its record. */
final class TextStage implements Stage {
    private final TextForm form;

    TextStage(TextForm form) {
        this.form = form;
    }

    @Override
    public StageVisit visit(VisitContext visit) {
        return new StageVisit() {
            @Override
            public TextForm textForm() {
                return form;
            }

            @Override
            public void text(String text, boolean isCut) {
                visit.text(text, isCut);
            }
        };
    }
}
