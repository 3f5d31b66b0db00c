package dev.sieve.url;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PushbackInputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the URLs that a crawl starts from, from the command line, from files and from standard input.
 *
 * <p>The first rule that applies determines the meaning of a command-line word:
 *
 * <ol>
 *   <li>{@code -} is a list on standard input;
 *   <li>a word that begins with {@code http://} or {@code https://} is a URL;
 *   <li>the name of an existing file is a list;
 *   <li>a word that looks like a URL without scheme is an http URL, as for curl and wget: it has a host with a dot, an
 *       IPv6 address or {@code localhost}, and optionally a port and a path. A name without a slash that ends in {@code
 *       .txt}, {@code .csv}, {@code .tsv}, {@code .lst}, {@code .list} or {@code .urls} is a missing file instead;
 *   <li>any other word is an error: a file that does not exist.
 * </ol>
 *
 * <p>A list holds one URL per line; rules 2 and 4 apply to it as well. Blank lines are skipped, and so are {@linkplain
 * #withoutComment comments}. Lines end with LF, CR LF or CR; the text is UTF-8, or UTF-16 with a byte order mark. A
 * line that is not a URL is reported to {@code problems}, and reading continues; so are a user name and password,
 * without which the URL is used, and an empty list. Lists are streamed: memory does not grow with their length or that
 * of a line.
 *
 * <p>URLs are passed on in order, normalised, duplicates included. Not safe for use by many threads.
 */
public final class Seeds {
    /** How the message ends when a document is read as a list. */
    public static final String NOT_A_LIST = "it is HTML or XML, not a list of URLs";

    private static final String COMMAND_LINE = "command line";
    private static final Pattern HTTP = Pattern.compile("(?i)https?://");

    /** File names; none of the endings is a top-level domain. */
    private static final Pattern LIST_NAME = Pattern.compile("(?is).*\\.(txt|csv|tsv|lst|list|urls)");

    /** Everything before the last @ of a host, however the slashes are written; passwords must not appear in logs. */
    private static final Pattern CREDENTIALS = Pattern.compile("(?i)(https?:[/\\\\]*|//)[^/\\\\?#]*@");

    /** The beginning of a line in which credentials are looked for: longer than what is printed of it. */
    private static final int MAX_CHECKED = 1000;

    private static final Pattern HAS_CREDENTIALS = Pattern.compile("(?i)https?:[/\\\\]*[^/\\\\?#]*@");

    /** The beginning of a document; URLs in a list may be in angle brackets, and are then reported one by one. */
    private static final Pattern MARKUP = Pattern.compile("<(?!https?:)");

    private final Consumer<String> named;
    private final Consumer<String> urls;
    private final Consumer<Problem> problems;

    /**
     * A word or line that is not a URL that can be fetched, or not as it is; or a list without any.
     *
     * @param source the file, {@code standard input} or {@code command line}
     * @param line the number of the line or of the command-line word, from 1; 0 for the whole list
     * @param text the first 200 characters of the line, printable and without credentials; empty for the whole list
     * @param reason what is wrong, in a few words
     */
    public record Problem(String source, long line, String text, String reason) {
        /** Returns for example {@code seeds.txt:12: not http or https: ftp://example.com/}. */
        @Override
        public String toString() {
            return line == 0 ? source + ": " + reason : source + ":" + line + ": " + reason + ": " + text;
        }
    }

    /** Creates a reader that does not distinguish between URLs of the command line and of lists. */
    public Seeds(Consumer<String> urls, Consumer<Problem> problems) {
        this(urls, urls, problems);
    }

    /**
     * Creates a reader.
     *
     * @param named receives every URL of the command line, normalised
     * @param urls receives every URL of a list, normalised
     * @param problems receives every problem with a word, a line or a list
     */
    public Seeds(Consumer<String> named, Consumer<String> urls, Consumer<Problem> problems) {
        this.named = requireNonNull(named);
        this.urls = requireNonNull(urls);
        this.problems = requireNonNull(problems);
    }

    /**
     * Reads the words of a command line.
     *
     * @param words URLs, files or {@code -}
     * @param standardInput the list for {@code -}; left open
     * @throws IOException when a file does not exist, is a directory or cannot be read; the message contains its name
     */
    public void read(List<String> words, InputStream standardInput) throws IOException {
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            if (word.equals("-")) {
                readList("standard input", standardInput);
            } else if (HTTP.matcher(word).lookingAt()) {
                accept(word, named, COMMAND_LINE, i + 1);
            } else if (exists(word)) {
                readFile(word);
            } else if (looksLikeUrl(word)) {
                accept("http://" + word, named, COMMAND_LINE, i + 1);
            } else {
                throw new IOException("'" + printable(word) + "' is neither an existing file nor an http(s) URL");
            }
        }
    }

    /**
     * Reads a list to its end.
     *
     * @param source the name of the list in problems
     * @param list left open
     * @throws IOException when the list cannot be read; the message contains the source and the line
     */
    public void readList(String source, InputStream list) throws IOException {
        long number = 0;
        boolean isEmpty = true;
        try {
            Lines lines = new Lines(list);
            for (String line = lines.next(); line != null; line = lines.next()) {
                number++;
                String text = withoutComment(line);
                boolean isCut = text.length() > Lines.MAX_CHARS;
                text = text.strip();
                if (text.isEmpty() && !isCut) {
                    continue;
                }
                if (isEmpty && MARKUP.matcher(text).lookingAt()) {
                    throw new IOException(NOT_A_LIST);
                }
                isEmpty = false;
                if (isCut) {
                    report(source, number, text, "longer than " + Lines.MAX_CHARS + " characters");
                } else {
                    String scheme = !HTTP.matcher(text).lookingAt() && looksLikeUrl(text) ? "http://" : "";
                    accept(scheme + text, urls, source, number);
                }
            }
            if (isEmpty) {
                report(source, 0, "", "no URL in this list");
            }
        } catch (IOException e) {
            throw new IOException("cannot read " + source + " after line " + number + ": " + e.getMessage(), e);
        }
    }

    /**
     * Returns a line without its comment, which begins with a {@code #} at the beginning of the line or after white
     * space. Without white space before it, a {@code #} begins the fragment of a URL.
     */
    public static String withoutComment(String line) {
        int hash = line.indexOf('#');
        while (hash > 0 && !Character.isWhitespace(line.charAt(hash - 1))) {
            hash = line.indexOf('#', hash + 1);
        }
        return hash < 0 ? line : line.substring(0, hash);
    }

    private void readFile(String name) throws IOException {
        Path file = Path.of(name);
        if (Files.isDirectory(file)) {
            throw new IOException("a directory, not a list of URLs: " + name);
        }
        if (!Files.isReadable(file)) {
            throw new IOException("no permission to read: " + name);
        }
        try (InputStream in = Files.newInputStream(file)) {
            readList(name, in);
        }
    }

    private void accept(String text, Consumer<String> receiver, String source, long line) {
        String url = UrlNormalizer.parse(text);
        if (url == null) {
            report(
                    source,
                    line,
                    text,
                    Objects.requireNonNull(UrlNormalizer.refusal(text)).words());
        } else if (text.chars().anyMatch(c -> c <= ' ')) {
            report(source, line, text, "whitespace in the URL; write a space as %20");
        } else if (text.indexOf('\uFFFD') >= 0) {
            report(source, line, text, "not UTF-8; convert the list, as with 'iconv -f ISO-8859-1 -t UTF-8'");
        } else {
            if (HAS_CREDENTIALS.matcher(text).lookingAt()) {
                report(source, line, text, "user name and password are not sent");
            }
            receiver.accept(url);
        }
    }

    private void report(String source, long line, String text, String reason) {
        problems.accept(new Problem(source, line, printable(text), reason));
    }

    private static String printable(String text) {
        String start = text.substring(0, Math.min(text.length(), MAX_CHECKED));
        return Printable.start(CREDENTIALS.matcher(start).replaceAll("$1...@"));
    }

    private static boolean exists(String word) {
        try {
            return !word.isEmpty() && Files.exists(Path.of(word));
        } catch (InvalidPathException e) {
            return false;
        }
    }

    private static boolean looksLikeUrl(String word) {
        String host = word.split("[/?#]", 2)[0];
        boolean looksLikeHost = host.startsWith("[")
                || host.indexOf('.') > 0
                || host.equals("localhost")
                || host.startsWith("localhost:");
        boolean looksLikeList = host.equals(word) && LIST_NAME.matcher(word).matches();
        return looksLikeHost
                && !looksLikeList
                && host.indexOf('@') < 0
                && host.indexOf('\\') < 0
                && UrlNormalizer.parse("http://" + word) != null;
    }

    /** The lines of a text of any length and content, in UTF-8 or marked UTF-16, read in bounded memory. */
    private static final class Lines {
        /** The longest line that is returned complete: more than a URL may have, and some blanks. */
        private static final int MAX_CHARS = 2 * UrlNormalizer.MAX_LENGTH;

        private static final char BYTE_ORDER_MARK = '\uFEFF';

        private final BufferedReader reader;
        private boolean afterReturn;

        private Lines(InputStream in) throws IOException {
            PushbackInputStream start = new PushbackInputStream(in, 2);
            byte[] mark = start.readNBytes(2);
            start.unread(mark);
            boolean isUtf16 = new String(mark, ISO_8859_1).matches("\u00FE\u00FF|\u00FF\u00FE");
            reader = new BufferedReader(new InputStreamReader(start, isUtf16 ? UTF_16 : UTF_8));
            reader.mark(1);
            if (reader.read() != BYTE_ORDER_MARK) {
                reader.reset();
            }
        }

        /** Returns the next line, of a longer one the first {@link #MAX_CHARS} + 1 characters; null after the last line. */
        private @Nullable String next() throws IOException {
            int c = reader.read();
            if (c == '\n' && afterReturn) {
                c = reader.read();
            }
            if (c < 0) {
                return null;
            }
            StringBuilder line = new StringBuilder();
            for (; c >= 0 && c != '\n' && c != '\r'; c = reader.read()) {
                if (line.length() <= MAX_CHARS) {
                    line.append((char) c);
                }
            }
            afterReturn = c == '\r';
            return line.toString();
        }
    }
}
