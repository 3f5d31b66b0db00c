package dev.sieve.crawl;

import dev.sieve.Lease;
import dev.sieve.fetch.FetchRequest;
import dev.sieve.fetch.FetchResult;
import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.PageFetcher;
import dev.sieve.output.History;
import dev.sieve.output.Likeness;
import dev.sieve.output.Visit;
import dev.sieve.output.VisitField;
import dev.sieve.parse.DocumentReader;
import dev.sieve.parse.LinkExtractor;
import dev.sieve.parse.PageText;
import dev.sieve.parse.TextDigest;
import dev.sieve.scope.SkipReason;
import dev.sieve.url.PageKeys;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The visit of a URL: its request, and what is found with it. The loop fills it in; the stages read it, and
 * add to its record. Used by one thread at a time.
 */
public final class VisitContext {
    private final Target target;
    private final PageKeys keys;
    private final Loss.Receiver losses;
    private final Instant fetchedAt;
    final long startNanos;
    private final List<StageVisit> parts = new ArrayList<>();
    private Duration took = Duration.ZERO;
    private @Nullable FetchResult result;
    private LinkExtractor.Document document = LinkExtractor.Document.UNREADABLE;
    private @Nullable TextDigest digest;
    private boolean isAccepted;
    private boolean isUnlisted;
    private @Nullable SkipReason linksSkipped;
    private @Nullable Likeness known;
    private @Nullable Likeness likeness;
    private @Nullable History history;
    private final Map<String, Object> more = new HashMap<>();

    /** Creates the visit of a URL that begins now. */
    VisitContext(Target target, PageKeys keys, Loss.Receiver losses, CrawlClock clock) {
        this.target = target;
        this.keys = keys;
        this.losses = losses;
        fetchedAt = clock.now();
        startNanos = clock.nanoTime();
    }

    void add(StageVisit part) {
        if (part != StageVisit.NONE) {
            parts.add(part);
        }
    }

    /** Makes a request through all stages, and returns its result. */
    FetchResult fetch(FetchRequest request, PageFetcher fetcher, CrawlClock clock) {
        PageFetcher last = fetcher;
        for (StageVisit part : parts) {
            PageFetcher next = last;
            last = new PageFetcher() {
                @Override
                public FetchResult fetch(FetchRequest each) {
                    return part.fetch(each, next);
                }

                @Override
                public void release(FetchResult read) {
                    next.release(read);
                }
            };
        }
        result = last.fetch(request);
        took = Duration.ofNanos(clock.nanoTime() - startNanos);
        return result;
    }

    /** Calls the parts of all stages. */
    public void forEach(Consumer<StageVisit> call) {
        parts.forEach(call);
    }

    /** Returns what reads the document, each once. */
    Set<DocumentReader> readers() {
        Set<DocumentReader> readers = new LinkedHashSet<>();
        parts.forEach(part -> readers.addAll(part.readers()));
        return readers;
    }

    Visit record(Duration waited) {
        Lease lease = target.lease();
        return new Visit(
                lease.url(),
                keys.of(lease.url()),
                lease.depth(),
                lease.referrer(),
                result(),
                new Visit.Timing(fetchedAt, took, waited),
                new Visit.Content(document.title(), document.links(), resources(), isIndexed(), more),
                new Visit.Marks(target.isCheck(), isAccepted),
                likeness,
                history,
                lease.id());
    }

    private List<String> resources() {
        return List.copyOf(document.resources().keySet());
    }

    /** Returns the record of a URL that is broken, although it was not requested. */
    public static Visit notRequested(
            String url, String key, int depth, String referrer, Failed failed, Instant fetchedAt, long id) {
        return new Visit(
                url,
                key,
                depth,
                referrer,
                failed,
                new Visit.Timing(fetchedAt, Duration.ZERO, Duration.ZERO),
                Visit.Content.NONE,
                new Visit.Marks(true, false),
                null,
                null,
                id);
    }

    /** Returns the URL that is visited. */
    public Target target() {
        return target;
    }

    /** Returns what counts losses of the visit. */
    public Loss.Receiver losses() {
        return losses;
    }

    /** Returns when the visit began. */
    public Instant fetchedAt() {
        return fetchedAt;
    }

    /** Returns what became of the URL. */
    public FetchResult result() {
        return Objects.requireNonNull(result);
    }

    void result(FetchResult present) {
        result = present;
    }

    /** Returns the document in the page; an empty one when there is none. */
    public LinkExtractor.Document document() {
        return document;
    }

    void document(LinkExtractor.Document read) {
        document = read;
    }

    /** Returns the common digest of the text, for the readers of a stage. */
    public TextDigest digest() {
        digest = digest == null ? new TextDigest() : digest;
        return digest;
    }

    /** Returns what identifies the text; null when the document cannot be read, or no stage reads it with the digest. */
    public @Nullable PageText text() {
        return digest == null || !document.isRead() ? null : digest.finish();
    }

    /** Returns whether the document is complete, and of a page that is not an error. */
    public boolean isWhole() {
        return !document.isCut() && result instanceof Page page && page.isSuccess() && !page.isCut();
    }

    /** Returns the URL that the document names as its canonical one; null when it names none, or itself. */
    public @Nullable String otherCanonical() {
        String canonical = document.canonical();
        boolean isOther = canonical != null
                && !keys.of(canonical).equals(keys.of(target.lease().url()));
        return isOther ? canonical : null;
    }

    private boolean isIndexed() {
        return result().isNotModified()
                ? !isUnlisted
                : document.isRead() && !document.isNoindex() && otherCanonical() == null;
    }

    /** Returns whether the options accept the status of the page, so that it is not a failure. */
    public boolean isAccepted() {
        return isAccepted;
    }

    void accept() {
        isAccepted = true;
    }

    /** Notes that the server wants the page, which is not modified, not to be indexed any more. */
    void unlist() {
        isUnlisted = true;
    }

    /** Returns why the links of the document are not followed; null when they are. */
    @Nullable
    SkipReason linksSkipped() {
        return linksSkipped;
    }

    /** Has the links of the document skipped. */
    public void skipLinks(SkipReason reason) {
        linksSkipped = reason;
    }

    /** Returns by what a page that is not modified was compared before; null when that is not known. */
    public @Nullable Likeness known() {
        return known;
    }

    /** Calls the part of the stage that knows earlier visits, if there is one. */
    public void earlier(Consumer<StageVisit.Earlier> call) {
        for (StageVisit part : parts) {
            if (part instanceof StageVisit.Earlier earlier) {
                call.accept(earlier);
            }
        }
    }

    /** Sets by what the page was compared before. */
    public void known(@Nullable Likeness before) {
        known = before;
    }

    /** Adds by what the page is compared to its record. */
    public void likeness(@Nullable Likeness each) {
        likeness = each;
    }

    /** Adds a field to its record. */
    public void add(VisitField field, Object value) {
        more.put(field.text(), value);
    }

    /** Adds what was known of the URL before to its record. */
    public void history(History each) {
        history = each;
    }
}
