package dev.sieve.cli;

import ch.qos.logback.classic.Level;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.crawl.CrawlParts;
import dev.sieve.durable.Export;
import dev.sieve.fetch.FetchResult.Refused;
import dev.sieve.fetch.Fetcher;
import dev.sieve.fetch.Origins;
import dev.sieve.job.CrawlPlace;
import dev.sieve.report.Numbers;
import dev.sieve.report.RecordedVisit;
import dev.sieve.scope.Admission;
import dev.sieve.scope.Scope;
import dev.sieve.scope.SkipReason;
import dev.sieve.url.PageKeys;
import dev.sieve.url.Refusal;
import dev.sieve.url.UrlNormalizer;
import dev.sieve.url.UrlParts;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Predicate;
import picocli.CommandLine.Command;

/** Shows what a crawl with the same command line does with a URL, and by which rule. */
@Command(
        name = "why",
        sortOptions = false,
        customSynopsis = "sieve why [OPTIONS] URL SEED...",
        description =
                "Shows whether a crawl with these seeds and options requests a URL, and which rule decides; with"
                        + " --job or --frontier, also whether the crawl has seen it. Sends no requests. Takes all options of the crawl.",
        footerHeading = "%nExit codes: ",
        footer = "0 the URL is crawled; 5 it is not; 2 wrong usage;%n4 the job cannot be read.")
final class WhyCommand extends CrawlCommand {
    @Override
    public Integer call() throws IOException {
        Logging.set(Level.WARN);
        if (seeds.isEmpty()) {
            throw Checks.wrong(spec, "Missing URL");
        }
        String url = seeds.get(0);
        List<String> rest = seeds.subList(1, seeds.size());
        CrawlOptions options = options();
        CrawlPlace place = kept.place(Seeding.hasFolder(rest));
        if (place.isSaved() && !place.exists()) {
            throw kept.wrong(place, "no crawl of this name: " + place);
        }
        if (!place.isSaved() && rest.isEmpty() && where.scope != Scope.Kind.ANY) {
            throw Checks.wrong(spec, "Missing SEED: a URL, a file of URLs, or - for standard input");
        }
        // Decides which addresses are allowed; fetches nothing.
        CrawlParts parts = new CrawlParts(options);
        try (Fetcher fetcher = parts.fetcher()) {
            return explain(url, rest, parts, place, fetcher, parts.origins(fetcher, List.of()));
        } catch (IOException e) {
            Terminal.println("sieve: " + e.getMessage());
            return FailOn.ExitCode.INPUT_OR_OUTPUT_FAILED;
        }
    }

    @Override
    boolean hasSeeds() {
        return seeds.size() > 1;
    }

    private int explain(
            String url, List<String> rest, CrawlParts parts, CrawlPlace place, Fetcher fetcher, Origins origins)
            throws IOException {
        Refusal refusal = UrlNormalizer.refusal(url);
        if (refusal != null) {
            return refused(SkipReason.invalid(refusal));
        }
        String parsed = Objects.requireNonNull(UrlNormalizer.parse(url));
        PageKeys keys = parts.options().keys();
        String key = keys.of(parsed);
        Predicate<String> isSame = each -> keys.of(each).equals(key);
        Admission admission = parts.admission();
        boolean isSeed = readSeeds(rest, admission, place, fetcher, isSame);
        SkipReason reason = isSeed ? null : admission.skipReason(parsed, 1);
        Refused objection = origins.objection(parsed);
        if (reason == null && objection != null) {
            reason = objection.reason();
        }
        int exitCode = reason == null ? crawled(parsed, isSeed, admission, origins) : refused(reason);
        if (reason != null
                && where.checksLinks
                && objection == null
                && admission.checkSkipReason(parsed, reason) == null) {
            println("checked, if a page that is crawled links to it: requested once, its own links are not followed");
        }
        if (reason != null && admission.skipReason(parsed, 0) == null && objection == null) {
            println("unless a seed redirects to it, which only a crawl can show");
        }
        if (!key.equals(UrlNormalizer.key(parsed))) {
            println("one page with " + key + ", since the other parameters are ignored");
        }
        if (place.isSaved()) {
            println("in the " + place.kind() + ": " + status(place, key, isSame));
            if (kept.job != null) {
                RecordedVisit.of(kept.job, key).forEach(this::println);
            }
        }
        return exitCode;
    }

    private int crawled(String parsed, boolean isSeed, Admission admission, Origins origins) {
        println("crawled: " + (isSeed ? "a seed" : admission.scope().admittedBy(parsed)));
        if (where.depth != null && !isSeed) {
            String most = Numbers.count(where.depth, "link");
            println("if it is at most " + most + " from a seed, which only a crawl can show");
        }
        if (where.skipsDuplicates && !isSeed) {
            println(
                    "if a page links to it whose text no earlier page of its host has (else: duplicate), which only a crawl"
                            + " can show");
        }
        if (!where.ignoresRobots && origins.isRemote(parsed)) {
            println("if the robots.txt of " + UrlParts.origin(parsed) + " allows it, which is not requested here");
        }
        rendering.explain(parsed, this::println);
        return 0;
    }

    private int refused(SkipReason reason) {
        println("not crawled: " + reason.text());
        return FailOn.ExitCode.NOT_CRAWLED;
    }

    /** Adds all seeds to the scope. Returns whether one of them is the same page. */
    private boolean readSeeds(
            List<String> rest, Admission admission, CrawlPlace place, Fetcher fetcher, Predicate<String> isSame)
            throws IOException {
        boolean[] isFound = new boolean[1];
        Consumer<String> listed = seed -> {
            admission.scope().addSeed(seed);
            isFound[0] |= isSame.test(seed);
        };
        Consumer<String> typed = listed.andThen(fetcher::open);
        readSeeds(rest, typed, listed);
        place.seeds(typed);
        return isFound[0];
    }

    private static String status(CrawlPlace place, String key, Predicate<String> isSame) throws IOException {
        if (exports(place, Export.PENDING, isSame)) {
            return "pending";
        }
        if (exports(place, Export.DONE, isSame)) {
            return "done";
        }
        return place.mightContain(key)
                ? "seen before, or one of the few new URLs that the filter mistakes for seen ones"
                : "not seen yet";
    }

    private static boolean exports(CrawlPlace place, Export which, Predicate<String> isSame) throws IOException {
        boolean[] isFound = new boolean[1];
        place.export(which, each -> isFound[0] |= isSame.test(each));
        return isFound[0];
    }
}
