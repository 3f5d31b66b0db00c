package dev.sieve.cli;

import dev.sieve.FrontierSettings;
import dev.sieve.crawl.Capability;
import dev.sieve.crawl.CrawlJob;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.crawl.Crawler;
import dev.sieve.durable.Durability;
import dev.sieve.job.CrawlPlace;
import dev.sieve.job.FolderPlace;
import dev.sieve.job.MemoryPlace;
import dev.sieve.job.SavedPlace;
import dev.sieve.serve.ServedFiles;
import dev.sieve.stage.AllStages;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** The options that decide where a crawl is kept. */
@Command(optionListHeading = "%nJobs:%n")
@SameForWorkers(false)
final class PlaceOptions extends Subcommand.Mixed {
    @Option(
            names = "--job",
            paramLabel = "DIR",
            description = "Save the crawl in DIR; repeat the same command to resume, even after kill -9.")
    @Nullable
    Path job;

    @Option(
            names = "--durability",
            paramLabel = "LEVEL",
            description = "What a job survives: process (kill -9), interval (power cuts, except for the last second; no"
                    + " page is lost) or always (any power cut) (default: process).")
    private Durability durability = Durability.PROCESS;

    @Option(names = "--keep-log", description = "Keep finished URLs in the job, for 'export --done'.")
    private boolean keepsLog;

    @Option(
            names = "--again",
            paramLabel = "WHICH",
            arity = "0..1",
            fallbackValue = "all",
            preprocessor = Converters.OnlyAfterEquals.class,
            description =
                    "Crawl the job in rounds: once it is complete, the same command visits every page again, or with"
                            + " --again=due those that are due, asks only for what has changed, and records what has become of"
                            + " each page. Required from the first round on.")
    private @Nullable Again again;

    @Option(
            names = "--min-age",
            paramLabel = "TIME",
            description = "Shortest time between two visits of a page with --again=due (default: 1d).")
    private Duration minAge = Duration.ofDays(1);

    @Option(
            names = "--max-age",
            paramLabel = "TIME",
            description =
                    "Longest time between two visits of a page with --again=due (default: 60d); with --job and a"
                            + " folder as SEED, how long a link to another site that worked is not requested again (default: 7d).")
    private @Nullable Duration maxAge;

    private boolean isOfFolder;

    @Mixin
    private SharedOptions shared = new SharedOptions();

    /**
     * Returns where the crawl is kept. Refuses options that contradict each other, and a place that cannot be opened.
     *
     * @param hasFolder whether the seed is a folder
     */
    CrawlPlace place(boolean hasFolder) throws IOException {
        isOfFolder = hasFolder && job != null;
        SavedPlace frontier = shared.place();
        Checks.requires(spec, "--job", "--durability", "--keep-log", "--again", "--min-age", "--max-age");
        // Each round sets when a page is due again.
        Checks.requires(spec, "--again", "--min-age", isOfFolder ? "--min-age" : "--max-age", "--only-changes");
        if (isOfFolder && (isAgain() || keepsLog)) {
            String option = isAgain() ? "--again" : "--keep-log";
            throw Checks.wrong(spec, "Option '" + option + "' is not for a folder, which every run reads anew", option);
        }
        Checks.requires(spec, "--check-resources", "--accept-types");
        if (job != null && EngineAccess.isAddress(job.toString())) {
            throw Checks.invalid(spec, "--job", "not a directory but an address, for '" + EngineAccess.FRONTIER + "'");
        }
        CrawlPlace place = frontier != null
                ? frontier
                : job != null ? new FolderPlace(job, durability, keepsLog, isOfFolder) : new MemoryPlace();
        try {
            place.check();
        } catch (IllegalArgumentException e) {
            throw wrong(place, e.getMessage());
        }
        return place;
    }

    /** Returns whether runs of the crawl are compared. */
    boolean comparesRuns() {
        return isAgain() || isOfFolder;
    }

    /** Returns whether the crawl has rounds. */
    boolean isAgain() {
        return again != null;
    }

    /** Returns a crawl of a job, in rounds if that was requested. */
    Crawler crawler(CrawlOptions options, CrawlJob opened) {
        Duration most = Objects.requireNonNullElse(maxAge, Duration.ofDays(isOfFolder ? 7 : 60));
        Checks.check(
                spec,
                isOfFolder ? "--max-age" : "--min-age",
                () -> options.ages(isOfFolder ? Duration.ofSeconds(1) : minAge, most));
        options.with(Capability.REMEMBER_LINKS, isOfFolder);
        try {
            options.with(Capability.ROUNDS, isAgain()).with(Capability.ONLY_DUE, again == Again.DUE);
            return new Crawler(options, opened, AllStages::of);
        } catch (IllegalArgumentException e) {
            throw Checks.invalid(spec, "--again", e.getMessage());
        }
    }

    /** Names the option that decided on a place. */
    ParameterException wrong(CrawlPlace place, @Nullable String problem) {
        return Checks.invalid(spec, "--" + place.kind(), problem);
    }

    /** Continues the crawl of a place, or starts one. */
    CrawlJob open(CrawlPlace place, CrawlOptions options, FrontierSettings settings) {
        try {
            CrawlJob opened = place.open(options, settings);
            try {
                shared.compare(opened);
            } catch (ParameterException e) {
                opened.close();
                throw e;
            }
            return opened;
        } catch (IllegalArgumentException e) {
            throw wrong(place, e.getMessage());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Which pages a round visits. */
    enum Again {
        ALL,
        DUE;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The argument that names the saved crawl a command is about. */
    static final class Argument extends Subcommand.Mixed {
        @Parameters(paramLabel = "DIR", description = "The directory of the job, or the address of a shared frontier.")
        private Path folder;

        @Mixin
        private EngineAccess access = new EngineAccess();

        SavedPlace place() throws IOException {
            // Not the path that was made of it: that has one slash in place of two.
            String text = spec.commandLine()
                    .getParseResult()
                    .matchedPositional(0)
                    .originalStringValues()
                    .get(0);
            return EngineAccess.isAddress(text)
                    ? access.place("the address", text, Duration.ZERO)
                    : FolderPlace.with(folder, ServedFiles.OF_CRAWL);
        }
    }
}
