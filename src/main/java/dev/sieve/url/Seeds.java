package dev.sieve.url;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Reads the URLs that a crawl begins with, from the command line, from files and from standard input.
 *
 * <p>A word of the command line is, by the first rule that applies:
 *
 * <ol>
 *   <li>{@code -}: standard input, a list;
 *   <li>a URL, when it begins with {@code http://} or {@code https://};
 *   <li>a list, when a file of this name exists;
 *   <li>a URL that lacks its {@code http://}, when it looks like one: a host with a dot in it, an IPv6 address or {@code
 *       localhost}, with or without a port and a path. As with curl and wget it is http, from where a site leads to
 *       https by itself. A name without a slash that ends like a list ({@code .txt .csv .tsv .lst .list .urls}) is none;
 *   <li>else a mistake: a file that does not exist.
 * </ol>
 *
 * <p>A list holds a whole URL a line. Blank lines and lines that begin with {@code #} mean nothing; lines end with LF,
 * CR LF or CR; the text is UTF-8, or UTF-16 behind its byte order mark. A line that is no URL is handed to {@code
 * problems} and reading goes on, so that a list may hold anything whatever. Lists are streamed: memory does not grow with
 * their length, nor with that of a line.
 *
 * <p>URLs are handed on in their order, each in the spelling that is fetched, duplicates included. Not safe for use by
 * many threads.
 */
public final class Seeds {
    private static final String COMMAND_LINE = "command line";
    /** None of them is a top-level domain. */
    private static final Set<String> LIST_ENDINGS = Set.of("txt", "csv", "tsv", "lst", "list", "urls");

    private final Consumer<String> named;
    private final Consumer<String> urls;
    private final Consumer<SeedProblem> problems;

    /**
     * A reader of seeds.
     *
     * @param urls is given every URL, as the normaliser spells it
     * @param problems is given every line that is no URL
     */
    public Seeds(Consumer<String> urls, Consumer<SeedProblem> problems) {
        this(urls, urls, problems);
    }

    /**
     * A reader of seeds that tells those which somebody has typed from those which stand in a list.
     *
     * @param named is given every URL that is a word of the command line, as the normaliser spells it
     * @param urls is given every URL of a list
     * @param problems is given every word and line that is no URL
     */
    public Seeds(Consumer<String> named, Consumer<String> urls, Consumer<SeedProblem> problems) {
        this.named = requireNonNull(named);
        this.urls = requireNonNull(urls);
        this.problems = requireNonNull(problems);
    }

    /**
     * Reads what the words of a command line stand for. A word that is a URL but none that can be fetched is a problem
     * of the source {@code command line}, whose line is the number of the word.
     *
     * @param words URLs, files or {@code -}
     * @param standardInput what {@code -} stands for; left open
     * @throws IOException when a file does not exist, is a directory or cannot be read; the message names it
     */
    public void read(List<String> words, InputStream standardInput) throws IOException {
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            if (word.equals("-")) {
                readList("standard input", standardInput);
            } else if (hasHttpScheme(word)) {
                accept(word, named, COMMAND_LINE, i + 1);
            } else if (isExisting(word)) {
                readFile(word);
            } else if (looksLikeUrl(word)) {
                accept("http://" + word, named, COMMAND_LINE, i + 1);
            } else {
                throw new IOException("no such file, and no http or https URL: " + SeedProblem.printable(word));
            }
        }
    }

    /**
     * Reads a list to its end.
     *
     * @param source what problems are said to be in
     * @param list left open
     * @throws IOException when it cannot be read; the message names the source and the line
     */
    public void readList(String source, InputStream list) throws IOException {
        SeedLines lines = new SeedLines(list);
        try {
            for (String line = lines.next(); line != null; line = lines.next()) {
                String text = line.strip();
                if (text.startsWith("#") || (text.isEmpty() && !lines.isCut())) {
                    continue;
                }
                if (lines.isCut()) {
                    report(source, lines.number(), text, "longer than " + SeedLines.MAX_CHARS + " characters");
                } else {
                    accept(text, urls, source, lines.number());
                }
            }
        } catch (IOException e) {
            throw new IOException("cannot read " + source + " after line " + lines.number() + ": " + e.getMessage(), e);
        }
    }

    private void readFile(String name) throws IOException {
        Path file = Path.of(name);
        if (Files.isDirectory(file)) {
            throw new IOException("a directory, not a list of URLs: " + name);
        }
        if (!Files.isReadable(file)) {
            throw new IOException("not allowed to read: " + name);
        }
        try (InputStream in = Files.newInputStream(file)) {
            readList(name, in);
        }
    }

    private void accept(String text, Consumer<String> taker, String source, long line) {
        String url = UrlNormalizer.parse(text);
        if (url == null) {
            report(source, line, text, UrlNormalizer.refusal(text).words());
        } else if (text.chars().anyMatch(c -> c <= ' ')) {
            report(source, line, text, "a blank inside of a URL");
        } else {
            taker.accept(url);
        }
    }

    private void report(String source, long line, String text, String reason) {
        problems.accept(new SeedProblem(source, line, SeedProblem.printable(text), reason));
    }

    private static boolean hasHttpScheme(String word) {
        String start = word.substring(0, Math.min(word.length(), 8)).toLowerCase(Locale.ROOT);
        return start.startsWith("http://") || start.startsWith("https://");
    }

    private static boolean isExisting(String word) {
        try {
            return !word.isEmpty() && Files.exists(Path.of(word));
        } catch (InvalidPathException e) {
            return false;
        }
    }

    private static boolean looksLikeUrl(String word) {
        int end = 0;
        while (end < word.length() && "/?#".indexOf(word.charAt(end)) < 0) {
            end++;
        }
        String host = word.substring(0, end);
        boolean looksLikeHost = host.startsWith("[")
                || host.indexOf('.') > 0
                || host.equals("localhost")
                || host.startsWith("localhost:");
        boolean looksLikeList = end == word.length() && LIST_ENDINGS.contains(ending(word));
        return looksLikeHost
                && !looksLikeList
                && host.indexOf('@') < 0
                && host.indexOf('\\') < 0
                && UrlNormalizer.parse("http://" + word) != null;
    }

    private static String ending(String word) {
        return word.substring(word.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
    }
}
