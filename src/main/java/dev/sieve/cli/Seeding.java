package dev.sieve.cli;

import dev.sieve.fetch.FolderSite;
import dev.sieve.fetch.LocalSource;
import dev.sieve.output.ArchiveSource;
import dev.sieve.url.Seeds;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** The seeds of a command: URLs, files of URLs, and a folder or an archive that responds instead of the network. */
final class Seeding {
    static final String BASE_PATH = "--base-path";
    static final String BASE_URL = "--base-url";
    static final String CLEAN_URLS = "--clean-urls";

    private final CommandSpec spec;
    private final Site site;
    private final @Nullable LocalSource source;

    /** Where a folder will be on the web, and how its files are named there; the path applies without a URL. */
    record Site(String basePath, @Nullable String baseUrl, boolean hasCleanUrls) {
        String url() {
            return baseUrl == null ? FolderSite.ORIGIN + basePath : baseUrl;
        }
    }

    /** Opens the folder or the archive among the seeds, if there is one; {@code takesExchanges}: an archive is written. */
    Seeding(CommandSpec spec, List<String> seeds, Site site, boolean takesExchanges) {
        this.spec = spec;
        this.site = site;
        List<String> sources =
                seeds.stream().filter(seed -> isFolder(seed) || isArchive(seed)).toList();
        if (sources.isEmpty() || !isFolder(sources.get(0))) {
            Checks.requires(spec, "a folder as SEED", BASE_PATH, BASE_URL, CLEAN_URLS);
        }
        source = sources.isEmpty() ? null : open(sources, takesExchanges);
    }

    private LocalSource open(List<String> sources, boolean takesExchanges) {
        ParseResult given = spec.commandLine().getParseResult();
        boolean isSaved = given.hasMatchedOption("--job") || given.hasMatchedOption("--frontier");
        String name = sources.get(0);
        if (sources.size() > 1 || isSaved || takesExchanges) {
            throw Checks.wrong(
                    spec,
                    "Invalid SEED: " + name + ": " + (isFolder(name) ? "a folder" : "an archive")
                            + " cannot be crawled with "
                            + (sources.size() > 1 ? "another one" : "'--job', '--frontier' or an archive as output"),
                    Checks.SEED);
        }
        try {
            return isFolder(name) ? folder(Path.of(name)) : archive(Path.of(name));
        } catch (IOException e) {
            throw Checks.wrong(spec, "Invalid SEED: " + Checks.message(e), Checks.SEED);
        }
    }

    private FolderSite folder(Path folder) throws IOException {
        if (site.baseUrl != null && spec.commandLine().getParseResult().hasMatchedOption(BASE_PATH)) {
            throw Checks.wrong(
                    spec, "Options '" + BASE_PATH + "' and '" + BASE_URL + "' exclude each other", BASE_PATH, BASE_URL);
        }
        if (!site.basePath.startsWith("/") || !site.basePath.endsWith("/")) {
            throw Checks.invalid(spec, BASE_PATH, "must begin and end with a slash: " + site.basePath);
        }
        try {
            return new FolderSite(folder, site.url(), site.hasCleanUrls);
        } catch (IllegalArgumentException e) {
            throw Checks.invalid(spec, site.baseUrl == null ? BASE_PATH : BASE_URL, e.getMessage());
        }
    }

    private static ArchiveSource archive(Path file) throws IOException {
        int maxBytes = (int) Math.min(Integer.MAX_VALUE, Runtime.getRuntime().maxMemory() / 8);
        ArchiveSource archive = new ArchiveSource(file, maxBytes);
        if (archive.problem() != null) {
            Terminal.println("sieve: " + file + " is used as far as it can be read: " + archive.problem());
        }
        return archive;
    }

    private static boolean isArchive(String seed) {
        return ArchiveSource.isArchive(seed) && new File(seed).isFile();
    }

    private static boolean isFolder(String seed) {
        return !seed.contains("://") && new File(seed).isDirectory();
    }

    /** Returns the folder or the archive among the seeds; null if there is neither. */
    @Nullable
    LocalSource source() {
        return source;
    }

    /** Passes on the URLs of words, as {@link Seeds} does, and those of the folder or the archive. */
    void read(List<String> seeds, Consumer<String> typed, Consumer<String> listed) {
        List<String> words = seeds.stream()
                .filter(seed -> !isArchive(seed))
                .map(seed -> isFolder(seed) ? site.url() : seed)
                .toList();
        try (Logging.SeedProblems problems = new Logging.SeedProblems()) {
            if (source instanceof ArchiveSource archive) {
                archive.urls(listed);
            }
            new Seeds(typed, listed, problems).read(words, System.in);
        } catch (IOException e) {
            // Only the first word can be a command.
            boolean isFirst = !words.isEmpty() && String.valueOf(e.getMessage()).startsWith("'" + words.get(0) + "'");
            List<String> similar = isFirst ? Checks.similar(spec, words.get(0)) : List.of();
            String advice = String.valueOf(e.getMessage()).endsWith(Seeds.NOT_A_LIST)
                    ? "; to crawl the files of a folder, name the folder; to read the sitemaps of a site, add --sitemaps"
                    : similar.isEmpty() ? "" : "; " + Checks.question(similar);
            throw Checks.wrong(spec, "Invalid SEED: " + e.getMessage() + advice, Checks.SEED);
        }
    }

    /** Returns the error for seeds without a usable URL. */
    static ParameterException none(CommandSpec spec, List<String> seeds) {
        return Checks.wrong(spec, "no usable seed in " + String.join(", ", seeds), Checks.SEED);
    }
}
