package dev.sieve.stage;

import dev.sieve.crawl.Stage;
import dev.sieve.crawl.StageVisit;
import dev.sieve.crawl.VisitContext;
import dev.sieve.output.VisitField;
import dev.sieve.parse.TextForm;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Adds the visible text of each page to its record, and what the page says of itself. */
final class ExtractStage implements Stage {
    private final @Nullable TextForm form;
    private final boolean takesMeta;

    /** Creates the stage; the text is left out if it has no form. */
    ExtractStage(@Nullable TextForm form, boolean takesMeta) {
        this.form = form;
        this.takesMeta = takesMeta;
    }

    @Override
    public StageVisit visit(VisitContext visit) {
        return new StageVisit() {
            @Override
            public @Nullable TextForm textForm() {
                return form;
            }

            @Override
            public void text(String text, boolean isCut) {
                visit.add(VisitField.TEXT, text);
                if (isCut) {
                    visit.add(VisitField.TEXT_CUT, true);
                }
            }

            @Override
            public boolean takesMeta() {
                return takesMeta;
            }

            @Override
            public void meta(Map<String, Object> meta) {
                if (!meta.isEmpty()) {
                    visit.add(VisitField.META, meta);
                }
            }
        };
    }
}
