package dev.sieve.cli;

import dev.sieve.crawl.Capability;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.scope.Scope;
import dev.sieve.scope.Trap;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** The options that select which URLs are crawled. */
@Command(optionListHeading = "%nWhich URLs:%n")
@SameForWorkers
final class WhereOptions {
    @Option(
            names = "--scope",
            paramLabel = "WHERE",
            description = "What to crawl, relative to the seeds: host, domain, prefix or any (default: host).")
    Scope.@Nullable Kind scope;

    @Option(names = "--include", paramLabel = "REGEX", description = "Only URLs that contain a match; repeatable.")
    private List<String> includes = new ArrayList<>();

    @Option(
            names = "--exclude",
            paramLabel = "REGEX",
            description = "No URLs that contain a match; repeatable, overrides --include.")
    private List<String> excludes = new ArrayList<>();

    @Option(
            names = "--ignore-parameter",
            paramLabel = "NAME",
            description =
                    "URLs that differ only in this parameter are one page, which is requested by the first of them;"
                            + " repeatable. A * at the end stands for any characters: 'utm_*'.")
    private List<String> ignoredParameters = new ArrayList<>();

    @Option(
            names = "--depth",
            paramLabel = "N",
            description = "Maximum number of links from a seed (default: no limit).")
    @Nullable
    Integer depth;

    @Option(
            names = "--sitemaps",
            description = "Also crawl the URLs in sitemaps: those named in robots.txt, else /sitemap.xml.")
    private boolean usesSitemaps;

    @Option(
            names = "--check-links",
            description =
                    "Also request each link that is out of scope, too deep or not included, once, to see whether it"
                            + " works; its own links are not followed.")
    boolean checksLinks;

    @Option(
            names = "--check-resources",
            description =
                    "Also request what pages need, once, to see whether it works: images, scripts, style sheets and"
                            + " what these name, icons, media, frames and embedded objects.")
    private boolean checksResources;

    @SameForWorkers(false)
    @Option(
            names = "--check-fragments",
            paramLabel = "LINKS",
            arity = "0..1",
            fallbackValue = "parts",
            preprocessor = Converters.OnlyAfterEquals.class,
            description =
                    "Also see whether each page to whose part a link leads, as in page#part, has that part; with"
                            + " --check-fragments=all also if it is a place in a program in the browser, as in #/part and #!part.")
    @Nullable
    FragmentLinks fragments;

    /** The links to parts of pages that are checked. */
    enum FragmentLinks {
        PARTS,
        ALL;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Option(
            names = "--follow-nofollow",
            description = "Follow links with rel=nofollow; without it, --check-links only checks them.")
    private boolean followsNofollow;

    @Option(
            names = "--skip-duplicates",
            description = "Do not follow the links of a page if an earlier page of its host has the same text.")
    boolean skipsDuplicates;

    @Option(
            names = "--allow-trap",
            paramLabel = "NAME",
            description = "Switch this trap check off: length, path-depth, repeated-segments, parameters,"
                    + " repeated-parameters, shape, host, domain, error-pages, same-text, maze, or all; repeatable.")
    private List<String> allowedTraps = new ArrayList<>();

    @Option(
            names = "--allow-private",
            paramLabel = "CIDR",
            description = "Also crawl non-public addresses in this block; repeatable. A URL typed as SEED is always"
                    + " allowed (its host and port).")
    private List<String> privateBlocks = new ArrayList<>();

    @Option(names = "--ignore-robots", description = "Ignore robots.txt. Only with the site owner's permission.")
    boolean ignoresRobots;

    void apply(CrawlOptions options, CommandSpec spec) {
        if (scope != null) {
            options.scope(scope);
        }
        options.with(Capability.SITEMAPS, usesSitemaps)
                .with(Capability.CHECK_LINKS, checksLinks)
                .with(Capability.CHECK_RESOURCES, checksResources)
                .with(Capability.CHECK_FRAGMENTS, fragments != null)
                .with(Capability.CHECK_ROUTES, fragments == FragmentLinks.ALL)
                .with(Capability.FOLLOW_NOFOLLOW, followsNofollow)
                .with(Capability.SKIP_DUPLICATES, skipsDuplicates);
        includes.forEach(each -> Checks.check(spec, "--include", () -> options.include(each)));
        excludes.forEach(each -> Checks.check(spec, "--exclude", () -> options.exclude(each)));
        ignoredParameters.forEach(
                each -> Checks.check(spec, "--ignore-parameter", () -> options.ignoreParameter(each)));
        Checks.set(spec, "--depth", depth, options::maxDepth);
        privateBlocks.forEach(each -> Checks.check(spec, "--allow-private", () -> options.allowPrivate(each)));
        options.obeyRobots(!ignoresRobots);
        allowedTraps.forEach(each -> Checks.check(
                spec,
                "--allow-trap",
                () -> (each.equalsIgnoreCase("all") ? Stream.of(Trap.values()) : Stream.of(Trap.named(each)))
                        .forEach(options::allowTrap)));
    }
}
