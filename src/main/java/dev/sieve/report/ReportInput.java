package dev.sieve.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.crawl.Journal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads what earlier crawls have written, to make a report of it: files of {@link dev.sieve.output.JsonlSink}, link
 * graphs (names that end in {@code .tsv}) and the folders of jobs. Files are read line by line: memory does not grow
 * with them.
 *
 * <p>A line that cannot be read is described, with its file and number, and left out. A file none of whose lines can be
 * read is refused.
 */
public final class ReportInput {
    /** An escaped character, an escaped backslash, or a backslash alone. */
    private static final Pattern ESCAPE = Pattern.compile("\\\\(?:u([0-9a-fA-F]{4})|\\\\)?");

    private final Aggregate aggregate = new Aggregate(true);
    private final Consumer<String> problems;
    private boolean isEmpty = true;

    private ReportInput(Consumer<String> problems) {
        this.problems = problems;
    }

    /** Reads files and folders, and describes lines that cannot be read to {@code problems}, up to a limit per file. */
    public static CrawlRecord read(List<Path> files, Consumer<String> problems) throws IOException {
        ReportInput input = new ReportInput(problems);
        List<Path> graphs = new ArrayList<>();
        List<Path> jobs = new ArrayList<>();
        for (Path file : files) {
            if (Files.isDirectory(file)) {
                input.journal(file);
                jobs.add(file);
            } else if (file.toString().toLowerCase(Locale.ROOT).endsWith(".tsv")) {
                graphs.add(file);
            } else {
                input.lines(file, line -> input.aggregate.add(Entry.of(line)));
            }
        }
        input.referrers(jobs, graphs);
        if (input.isEmpty) {
            throw new IOException("nothing to report: no lines in " + names(files));
        }
        return new CrawlRecord(input.aggregate);
    }

    private static String names(List<Path> files) {
        return String.join(", ", files.stream().map(Path::toString).toList());
    }

    private void journal(Path folder) throws IOException {
        Journal.read(
                folder,
                json -> {
                    JournalFormat.read(json, aggregate);
                    isEmpty = false;
                },
                problems);
    }

    /** Searches all that was read for the pages that link to broken URLs, now that these are known. */
    private void referrers(List<Path> jobs, List<Path> graphs) throws IOException {
        if (jobs.isEmpty() && graphs.isEmpty()) {
            return;
        }
        BrokenLinks.Search search = aggregate.broken.search();
        for (Path job : jobs) {
            Journal.read(job, json -> JournalFormat.search(json, search), problem -> {});
        }
        for (Path graph : graphs) {
            lines(graph, line -> edge(line.text(UTF_8), search));
        }
        search.end();
    }

    private void lines(Path file, InputLines.Receiver receiver) throws IOException {
        isEmpty &= InputLines.read(file, receiver, problems) == 0;
    }

    private void edge(String line, BrokenLinks.Search search) throws IOException {
        String[] fields = line.split("\t", -1);
        if (fields.length < 3) {
            throw new IOException("not three fields separated by tabs: source, target and result");
        }
        String source = unescaped(fields[0]);
        if (Entry.isWeb(source)) {
            search.add(source, Entry.key(unescaped(fields[1])));
            aggregate.fate(unescaped(fields[2]));
        } else if (!source.isEmpty()) {
            throw new IOException("the source is not a URL");
        }
    }

    /** Reverses the escapes of a field. */
    private static String unescaped(String field) throws IOException {
        if (field.indexOf('\\') < 0) {
            return field;
        }
        StringBuilder text = new StringBuilder(field.length());
        int copied = 0;
        Matcher escape = ESCAPE.matcher(field);
        while (escape.find()) {
            text.append(field, copied, escape.start());
            copied = escape.end();
            if (escape.group(1) != null) {
                text.append((char) Integer.parseInt(escape.group(1), 16));
            } else if (escape.group().length() == 2) {
                text.append('\\');
            } else {
                throw new IOException("invalid escape");
            }
        }
        text.append(field, copied, field.length());
        return text.toString();
    }
}
