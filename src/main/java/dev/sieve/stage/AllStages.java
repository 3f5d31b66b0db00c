package dev.sieve.stage;

import dev.sieve.crawl.Capability;
import dev.sieve.crawl.CrawlClock;
import dev.sieve.crawl.CrawlJob;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.crawl.CrawlParts;
import dev.sieve.crawl.LinkQueue;
import dev.sieve.crawl.Recorder;
import dev.sieve.crawl.Stage;
import dev.sieve.io.JobFiles;
import dev.sieve.io.LineFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Creates the stages of a crawl, in the order in which they are called. */
public final class AllStages {
    /** The files of a job that stages have. */
    public static final List<LineFile.Kind> FILES =
            List.of(KnownTexts.KIND, Fragments.KIND, KnownPages.KIND, CookieJar.KIND, CheckedLinks.KIND);

    /** Those of them that a job which begins anew with each run keeps. */
    public static final List<LineFile.Kind> LASTING = List.of(CookieJar.KIND, CheckedLinks.KIND);

    private AllStages() {}

    /** Returns whether these are the files of a job that begins anew with each run. */
    public static boolean beginAnew(JobFiles files) throws IOException {
        return files.exists(CheckedLinks.KIND) && !files.exists(KnownPages.KIND);
    }

    /**
     * Returns the stages.
     *
     * <p>Rounds are the last. A visit that they have stored is not made again, so what others store of it must be
     * stored before; a round has ended only when the others have; and fragments may remove the conditions of a request,
     * which they add. What was found of links is complete when the fragments were checked. The order of the others does
     * not matter.
     *
     * @throws IllegalArgumentException when the job cannot have one of them; the message says why
     * @throws IOException when the disk fails
     */
    public static List<Stage> of(
            CrawlOptions options, CrawlJob job, Recorder recorder, LinkQueue links, CrawlClock clock)
            throws IOException {
        RevisitRule rule =
                new RevisitRule(options.minAge().toSeconds(), options.maxAge().toSeconds());
        Rounds rounds = options.has(Capability.ROUNDS)
                ? Rounds.again(job, options.has(Capability.ONLY_DUE), rule, options.keys())
                : Rounds.of(job, rule, options.keys());
        List<Stage> all = new ArrayList<>();
        long sitemapMemory = new CrawlParts(options).sitemapMemory();
        all.add(new Sitemaps(links, recorder, options.has(Capability.SITEMAPS), sitemapMemory));
        all.add(new DuplicateStage(job, options.has(Capability.SKIP_DUPLICATES)));
        all.add(new SignalStage());
        if (options.has(Capability.LIST_MOVED)) {
            all.add(new MovedStage());
        }
        if (options.text() != null || options.has(Capability.META)) {
            all.add(new ExtractStage(options.text(), options.has(Capability.META)));
        }
        if (options.has(Capability.CHECK_FRAGMENTS)) {
            job.sharing().requireAlone("check fragments");
            Fragments fragments = job.part(Fragments.class, files -> new Fragments(files, options.keys()));
            all.add(new FragmentStage(
                    fragments, recorder, options.has(Capability.CHECK_ROUTES), rounds != null, clock));
        }
        if (rounds != null || options.has(Capability.REMEMBER_LINKS)) {
            int round = rounds == null ? 0 : rounds.round();
            all.add(new CheckedLinks(
                    job.files(), links::isElsewhere, recorder::lost, round, rule.maxAge(), clock.now()));
        }
        if (rounds != null) {
            all.add(new RoundStage(rounds, links, recorder, clock));
        }
        return all;
    }
}
