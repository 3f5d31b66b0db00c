package dev.sieve.stage;

import dev.sieve.crawl.Stage;
import dev.sieve.crawl.StageVisit;
import dev.sieve.crawl.VisitContext;
import dev.sieve.output.VisitField;
import dev.sieve.parse.TextForm;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Adds the visible text of each page to its record, unless it has no form, and what the page says of itself. */
record ExtractStage(@Nullable TextForm form, boolean takesMeta) implements Stage {
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
