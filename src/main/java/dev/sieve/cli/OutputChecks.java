package dev.sieve.cli;

import static java.nio.file.StandardOpenOption.CREATE_NEW;

import dev.sieve.job.CrawlPlace;
import dev.sieve.output.LineFormat;
import dev.sieve.output.OutputFile;
import dev.sieve.output.OutputFormat;
import dev.sieve.output.OutputFormats;
import dev.sieve.report.ReportPage;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** Refuses files that a crawl could not write, before anything is created. Each is checked once, by its option. */
final class OutputChecks {
    private static final Path STANDARD = Path.of("-");

    private final CommandSpec spec;
    private final CrawlPlace place;
    private final Set<Path> names = new HashSet<>();

    /** Creates checks for one command; the place of its crawl only has files of its own. */
    OutputChecks(CommandSpec spec, CrawlPlace place) {
        this.spec = spec;
        this.place = place;
    }

    static boolean isRegular(Path file) {
        return !OutputFile.isStandardOutput(file) && Files.isRegularFile(file);
    }

    /** Refuses a file of the place, and one that was named before. */
    void name(String option, Path file) {
        boolean isStandard = OutputFile.isStandardOutput(file);
        if (!isStandard && place.contains(file)) {
            throw Checks.wrong(spec, file + " is in the directory of --job " + place + "; write outputs outside of it");
        }
        if (!names.add(isStandard ? STANDARD : file.toAbsolutePath().normalize())) {
            throw Checks.invalid(
                    spec,
                    option,
                    isStandard
                            ? "stdout is named twice; it is also where URLs are written without -o"
                            : file + " is named twice");
        }
    }

    /** Refuses what {@link Outputs#open} could not open with these arguments. */
    void outputs(List<Path> files, @Nullable LineFormat chosen, @Nullable Path skipped, StandardOpenOption how)
            throws IOException {
        if (chosen != null && files.stream().allMatch(file -> OutputFormats.of(file, chosen) != chosen)) {
            throw Checks.invalid(
                    spec,
                    "--format",
                    chosen + ": no output has this format; the name of " + files.get(0) + " determines another one");
        }
        for (Path file : files) {
            OutputFormat format = OutputFormats.of(file, chosen);
            if (format == null) {
                String advice = isPage(file) ? "; --report writes a page" : ", unless --format is given";
                throw Checks.invalid(spec, "-o", file + ": the name must end in " + OutputFormats.endings() + advice);
            }
            for (Path existing : format.existing(file)) {
                if (how == CREATE_NEW && existing.toString().endsWith(OutputFormat.LINES)) {
                    throw Checks.invalid(spec, "-o", existing + " exists; use --force to overwrite it");
                }
            }
            file("-o", file, how);
        }
        if (skipped != null) {
            file("--skipped", skipped, how);
        }
    }

    private static boolean isPage(Path file) {
        return file.toString().toLowerCase(Locale.ROOT).matches(".+\\.html?");
    }

    /** Refuses an option for records if no output has any. */
    void records(String option, List<Path> files, @Nullable LineFormat chosen) {
        if (files.stream().map(file -> OutputFormats.of(file, chosen)).noneMatch(OutputFormat::hasRecords)) {
            throw Checks.invalid(spec, option, "no output has records; add -o FILE.jsonl or -o FILE.csv");
        }
    }

    private void file(String option, Path file, StandardOpenOption how) {
        if (Files.isDirectory(file)) {
            throw Checks.invalid(spec, option, file + " is a directory");
        }
        if (how == CREATE_NEW && isRegular(file)) {
            throw Checks.invalid(spec, option, file + " exists; use --force to overwrite it");
        }
        name(option, file);
    }

    /** Finds out whether a file can be replaced when the crawl is over. */
    interface Replacing {
        void check(Path file) throws IOException;
    }

    /** Refuses a file that could not be replaced when the crawl is over; null for none. */
    void replaced(String option, @Nullable Path file, Replacing replacing) {
        if (file == null) {
            return;
        }
        if (OutputFile.isStandardOutput(file)) {
            throw Checks.invalid(spec, option, "not for stdout; name a file");
        }
        name(option, file);
        try {
            replacing.check(file);
        } catch (IOException e) {
            throw Checks.invalid(spec, option, Checks.message(e));
        }
    }

    /**
     * Refuses a file for a report that could not be written when the crawl is over; one that exists, unless it is
     * replaced.
     */
    void report(String option, Path file, boolean replaces) throws IOException {
        if (OutputFile.isStandardOutput(file) || (Files.exists(file) && !Files.isRegularFile(file))) {
            throw Checks.invalid(spec, option, file + " is not a regular file");
        } else if (!isPage(file)) {
            throw Checks.invalid(spec, option, file + ": the name must end in .html or .htm");
        } else if (!replaces && Files.exists(file)) {
            throw Checks.invalid(spec, option, file + " exists; use --force to overwrite it");
        }
        name(option, file);
        try {
            ReportPage.check(file);
        } catch (IOException e) {
            boolean isInFolder = Files.isDirectory(file.toAbsolutePath().resolveSibling(""));
            if (!isInFolder || e instanceof AccessDeniedException || e instanceof NoSuchFileException) {
                throw Checks.invalid(spec, option, file + " cannot be written: " + Checks.message(e));
            }
            throw new IOException("cannot write " + file + ": " + Checks.message(e), e);
        }
    }
}
