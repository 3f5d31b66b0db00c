package dev.sieve.stage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Lease;
import dev.sieve.crawl.CrawlJob;
import dev.sieve.crawl.Target;
import dev.sieve.crawl.VisitContext;
import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.url.PageKeys;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/** What the stages keep in a job. */
public final class JobParts {
    private JobParts() {}

    private static Rounds rounds(CrawlJob job) throws IOException {
        return Objects.requireNonNull(Rounds.of(job, RevisitRuleTest.RULE, PageKeys.ALL));
    }

    private static KnownTexts texts(CrawlJob job) throws IOException {
        return job.part(KnownTexts.class, KnownTexts::new);
    }

    private static Fragments fragments(CrawlJob job) throws IOException {
        return job.part(Fragments.class, files -> new Fragments(files, PageKeys.ALL));
    }

    private static CookieJar cookies(CrawlJob job) throws IOException {
        return job.part(CookieJar.class, files -> new CookieJar(files, List.of(), Instant.EPOCH));
    }

    private static CheckedLinks links(CrawlJob job) throws IOException {
        return job.part(
                CheckedLinks.class,
                files -> new CheckedLinks(files, url -> true, (loss, sentence) -> {}, 1, 1, Instant.EPOCH));
    }

    /** Opens all that exist, and creates the others, but no rounds. */
    public static void open(CrawlJob job) throws IOException {
        texts(job);
        fragments(job);
        cookies(job);
        if (Rounds.of(job, RevisitRuleTest.RULE, PageKeys.ALL) != null) {
            links(job);
        }
    }

    /** Makes it a job with rounds. */
    public static void beginRounds(CrawlJob job) throws IOException {
        if (Rounds.of(job, RevisitRuleTest.RULE, PageKeys.ALL) == null) {
            Rounds.again(job, false, RevisitRuleTest.RULE, PageKeys.ALL);
        }
    }

    /** Adds a page to a job with rounds, unless it is known. */
    public static void addPage(CrawlJob job, String url) throws IOException {
        Target page = Target.of(new Lease(0, url, 0, 0, null, 0, 0));
        if (rounds(job).base(page) == null) {
            rounds(job).store(List.of(rounds(job).refused(page)), false);
        }
    }

    /** Adds a page to all files. */
    public static void add(CrawlJob job, String url, long text) throws IOException {
        addPage(job, url);
        texts(job).add(text, url);
        fragments(job).add(0, url, fragments(job).page(), true);
        links(job)
                .recorded(VisitContext.notRequested(
                        url, url, 0, url, new Failed(0, Reason.FRAGMENT, ""), Instant.EPOCH, -1));
        cookies(job).take(url, List.of("n=v"), Instant.EPOCH, (loss, sentence) -> {});
    }

    /** Hands all lines to the operating system. */
    public static void flush(CrawlJob job, boolean isForced) throws IOException {
        rounds(job).store(List.of(), isForced);
        texts(job).flush(false);
        fragments(job).flush(false);
        cookies(job).flush(false);
        links(job).flush(false);
    }

    /** Passes on the fragments and the pages of rounds, each with its sort. */
    public static void read(CrawlJob job, Consumer<String> lines) throws IOException {
        fragments(job).read((position, line) -> lines.accept("fragment " + line));
        assertThat(texts(job)).isNotNull();
        assertThat(cookies(job)).isNotNull();
        if (Rounds.of(job, RevisitRuleTest.RULE, PageKeys.ALL) != null) {
            rounds(job).pages.all(page -> {
                lines.accept("page " + page.line());
                return true;
            });
        }
    }

    /** Whether a page is known. */
    public static boolean hasPage(CrawlJob job, String url) throws IOException {
        return rounds(job).pages.find(0, url) != null;
    }

    /** Whether all pages of a round are in the frontier. */
    public static boolean isQueued(CrawlJob job) throws IOException {
        return rounds(job).pages.isQueued();
    }

    /** Whether the present round only visits what is due. */
    public static boolean isOnlyDue(CrawlJob job) throws IOException {
        return rounds(job).pages.isOnlyDue();
    }

    /** Completes a round. */
    public static void complete(CrawlJob job) throws IOException {
        rounds(job).complete(() -> false);
    }

    /** Ends a round that is complete, and begins one of what is due, as a process does that is killed then. */
    public static void beginNext(CrawlJob job) throws IOException {
        rounds(job).end();
        rounds(job).pages.begin(true);
    }

    /** Queues the pages of a round; returns how many. */
    public static long queue(CrawlJob job, Instant now) throws IOException {
        return rounds(job).queue(now, page -> true, () -> false);
    }
}
