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
    private final String basePath;
    private final String url;
    private final boolean hasCleanUrls;
    /** The folder or the archive among the seeds; null if there is neither. */
    final @Nullable LocalSource source;

    /**
     * Opens the folder or the archive among the seeds, if there is one; {@code takesExchanges}: an archive is written.
     * The path of a folder applies without a URL.
     */
    Seeding(
            CommandSpec spec,
            List<String> seeds,
            String basePath,
            @Nullable String baseUrl,
            boolean hasCleanUrls,
            boolean takesExchanges) {
        this.spec = spec;
        this.basePath = basePath;
        this.hasCleanUrls = hasCleanUrls;
        url = baseUrl == null ? FolderSite.ORIGIN + basePath : baseUrl;
        List<String> sources =
                seeds.stream().filter(seed -> isFolder(seed) || isArchive(seed)).toList();
        if (sources.isEmpty() || !isFolder(sources.get(0))) {
            Checks.requires(spec, "a folder as SEED", BASE_PATH, BASE_URL, CLEAN_URLS);
        }
        source = sources.isEmpty() ? null : open(sources, takesExchanges);
    }

    private LocalSource open(List<String> sources, boolean takesExchanges) {
        ParseResult given = spec.commandLine().getParseResult();
        String name = sources.get(0);
        boolean isSaved = (given.hasMatchedOption("--job") && !isFolder(name)) || given.hasMatchedOption("--frontier");
        String other = isFolder(name) ? "" : "'--job', ";
        if (sources.size() > 1 || isSaved || takesExchanges) {
            throw Checks.wrong(
                    spec,
                    "Invalid SEED: " + name + ": " + (isFolder(name) ? "a folder" : "an archive")
                            + " cannot be crawled with "
                            + (sources.size() > 1 ? "another one" : other + "'--frontier' or an archive as output"),
                    Checks.SEED);
        }
        try {
            return isFolder(name) ? folder(Path.of(name)) : archive(Path.of(name));
        } catch (IOException e) {
            throw Checks.wrong(spec, "Invalid SEED: " + Checks.message(e), Checks.SEED);
        }
    }

    private FolderSite folder(Path folder) throws IOException {
        Checks.exclude(spec, BASE_PATH, BASE_URL);
        if (!basePath.startsWith("/") || !basePath.endsWith("/")) {
            throw Checks.invalid(spec, BASE_PATH, "must begin and end with a slash: " + basePath);
        }
        try {
            return new FolderSite(folder, url, hasCleanUrls);
        } catch (IllegalArgumentException e) {
            throw Checks.invalid(spec, url.startsWith(FolderSite.ORIGIN) ? BASE_PATH : BASE_URL, e.getMessage());
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

    /** Returns whether there is a folder among the seeds. */
    static boolean hasFolder(List<String> seeds) {
        return seeds.stream().anyMatch(Seeding::isFolder);
    }

    /** Passes on the URLs of words, as {@link Seeds} does, and those of the folder or the archive. */
    void read(List<String> seeds, Consumer<String> typed, Consumer<String> listed) {
        List<String> words = seeds.stream()
                .filter(seed -> !isArchive(seed))
                .map(seed -> isFolder(seed) ? url : seed)
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
