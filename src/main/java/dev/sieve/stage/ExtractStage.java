package dev.sieve.stage;

import dev.sieve.crawl.Stage;
import dev.sieve.crawl.StageVisit;
import dev.sieve.crawl.VisitContext;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.output.VisitField;
import dev.sieve.parse.DocumentReader;
import dev.sieve.parse.Metadata;
import dev.sieve.parse.TextForm;
import dev.sieve.parse.TextWriter;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Adds the visible text of each page to its record, unless it has no form, and what the page says of itself. */
record ExtractStage(@Nullable TextForm form, boolean takesMeta) implements Stage {
    @Override
    public StageVisit visit(VisitContext visit) {
        return new Visiting(visit, form == null ? null : form.writer(), takesMeta ? new Metadata() : null);
    }

    private record Visiting(
            VisitContext visit,
            @Nullable TextWriter text,
            @Nullable Metadata meta) implements StageVisit {
        @Override
        public List<DocumentReader> readers() {
            return Stream.<DocumentReader>of(text, meta)
                    .filter(Objects::nonNull)
                    .toList();
        }

        @Override
        public void read() {
            if (text != null) {
                TextWriter.Kept kept = text.finish();
                visit.add(VisitField.TEXT, kept.text());
                if (kept.isCut()) {
                    visit.add(VisitField.TEXT_CUT, true);
                }
            }
            String language = ((Page) visit.result()).header("content-language");
            Map<String, Object> found = meta == null ? Map.of() : meta.finish(language);
            if (!found.isEmpty()) {
                visit.add(VisitField.META, found);
            }
        }
    }
}
