package dev.sieve.stage;

import dev.sieve.crawl.CrawlJob;
import dev.sieve.crawl.Stage;
import dev.sieve.crawl.StageVisit;
import dev.sieve.crawl.VisitContext;
import dev.sieve.fetch.FetchResult;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.output.Likeness;
import dev.sieve.output.PageSink;
import dev.sieve.parse.Digest;
import dev.sieve.parse.DocumentElement;
import dev.sieve.parse.DocumentReader;
import dev.sieve.parse.PageText;
import dev.sieve.parse.Sketch;
import dev.sieve.scope.SkipRule;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Compares the texts of pages if the sink needs that, or if the links of duplicates are not followed. */
final class DuplicateStage implements Stage {
    private final CrawlJob job;
    private final boolean skips;
    private volatile boolean sketches;
    /** Null while pages are not compared. */
    private volatile @Nullable KnownTexts texts;

    /** Creates the stage; it may skip the links of a page if an earlier one of the same host has the same text. */
    DuplicateStage(CrawlJob job, boolean skips) {
        this.job = job;
        this.skips = skips;
    }

    @Override
    public void open(PageSink sink) throws IOException {
        sketches = sink.comparesPages() && sink.comparesSketches();
        if (skips || sink.comparesPages()) {
            texts = job.part(KnownTexts.class, KnownTexts::new);
        }
    }

    @Override
    public StageVisit visit(VisitContext visit) {
        KnownTexts open = texts;
        return open == null ? StageVisit.NONE : new Visiting(visit, open);
    }

    @Override
    public void flush(boolean isForced) {
        KnownTexts open = texts;
        if (open != null) {
            open.flush(isForced);
        }
    }

    private final class Visiting implements StageVisit, DocumentReader {
        private final VisitContext visit;
        private final KnownTexts open;
        private String description = "";
        private KnownTexts.Earlier earlier = KnownTexts.Earlier.NONE;

        Visiting(VisitContext visit, KnownTexts open) {
            this.visit = visit;
            this.open = open;
        }

        @Override
        public List<DocumentReader> readers() {
            if (sketches) {
                visit.digest().sketch();
            }
            return List.of(visit.digest(), this);
        }

        @Override
        public void begin(DocumentElement element) {
            if (description.isEmpty()
                    && element.name().equals("meta")
                    && element.isHtml()
                    && element.value("name").equalsIgnoreCase("description")) {
                description = element.folded("content");
            }
        }

        @Override
        public void read() {
            PageText text = visit.text();
            if (visit.isWhole() && text != null && text.words() > 0) {
                earlier = open.add(text.digest(), visit.target().url());
            }
            if (skips && earlier.isOnHost()) {
                visit.skipLinks(SkipRule.DUPLICATE.reason());
            }
        }

        @Override
        public void visited() {
            visit.likeness(visit.result().isNotModified() ? visit.known() : likeness(visit.result()));
        }

        /** Returns by what a page is compared with others; null for an error, and for what is not a document. */
        private @Nullable Likeness likeness(FetchResult result) {
            PageText text = visit.text();
            if (text == null || !(result instanceof Page page) || !page.isSuccess()) {
                return null;
            }
            Sketch sketch = page.isCut() || text.words() == 0 ? null : text.sketch();
            return new Likeness(
                    Digest.of(page.body()),
                    text.digest(),
                    description,
                    visit.otherCanonical(),
                    earlier.first(),
                    sketch == null ? null : sketch.base64());
        }
    }
}
