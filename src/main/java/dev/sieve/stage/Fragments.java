package dev.sieve.stage;

import dev.sieve.bloom.Murmur3;
import dev.sieve.fetch.FetchResult.Redirect;
import dev.sieve.io.JobFiles;
import dev.sieve.io.LineFile;
import dev.sieve.io.LineTable;
import dev.sieve.url.PageKeys;
import dev.sieve.url.UrlNormalizer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.regex.Pattern;

/**
 * The parts of pages, and the links to them: a file with a line of one of these sorts. The newest line of a page counts.
 *
 * <pre>
 *   page DEPTH URL PARTS HASH#FRAGMENT #FRAGMENT ...   a page, its parts, and its links to parts of the page with a hash
 *   moved DEPTH URL TARGET#FRAGMENT                    a redirect; without a fragment, that of a link applies to its target
 *   told HASHES                                        broken links of which the sink has stored a record
 *   checked                                            all links of the lines before were checked
 * </pre>
 *
 * Pages, parts and broken links are hashes of 8 bytes, in Base64. The parts are {@code -} if they are not all known, and
 * {@code .} if there are none. A {@link FragmentCheck} finds the broken links.
 *
 * <p>A line is buffered when {@link #add} returns. When {@link #flush} returns, it survives the process, and if forced also a
 * power failure. Methods that write throw {@link UncheckedIOException} when the disk fails. Safe for use by many threads.
 */
final class Fragments {
    static final LineFile.Kind KIND = new LineFile.Kind(
            "crawl-fragments",
            2,
            "the parts of a page",
            "links to parts of pages may not be checked",
            Pattern.compile("(?:page|moved) \\d{1,10} https?://[!-~]++(?: [!-~ ]++)?|told [\\w-]++|checked")
                    .asMatchPredicate());

    static final String RECORDED = "told ";
    static final String CHECKED = "checked";
    private static final String PAGE = "page ";
    private static final String MOVED = "moved ";
    private static final String INCOMPLETE = "-";
    private static final String NO_PARTS = ".";

    /** Parts of a page with more of them are not known. */
    private static final int MAX_PARTS = 100_000;

    /** Characters of the links of a page, so that a line is not too long. */
    private static final int MAX_LINK_CHARS = 900_000;

    private final long owner;
    private final PageKeys keys;
    private final LineTable file;
    private boolean hasAllPages;

    Fragments(JobFiles files, PageKeys keys) throws IOException {
        this.keys = keys;
        owner = files.owner();
        file = new LineTable(files, KIND, (position, line) -> hasAllPages |= line.equals(CHECKED));
    }

    /** Collects the parts of a page, and its links to parts. Not safe for use by many threads. */
    final class Page {
        private final StringBuilder links = new StringBuilder();
        private long[] parts = new long[16];
        private int count;
        private long lastTarget;

        void part(String name) {
            if (count == parts.length) {
                parts = Arrays.copyOf(parts, 2 * count);
            }
            if (count <= MAX_PARTS) {
                parts[count++] = hash(name, owner);
            }
        }

        /** Adds a link; returns whether there was room for it. */
        boolean link(String url, String fragment) {
            if (links.length() + fragment.length() > MAX_LINK_CHARS) {
                return false;
            }
            long target = pageHash(url);
            links.append(' ')
                    .append(target == lastTarget ? "" : text(target))
                    .append('#')
                    .append(fragment);
            lastTarget = target;
            return true;
        }

        private String parts() {
            return count == 0 ? NO_PARTS : count > MAX_PARTS ? INCOMPLETE : text(Arrays.copyOf(parts, count));
        }
    }

    /** Returns an empty page, to be added once its parts and links are known. */
    Page page() {
        return new Page();
    }

    /** Adds a page, and whether all its parts are known. */
    synchronized void add(int depth, String url, Page page, boolean isWhole) {
        file.add(PAGE + depth + " " + url + " " + (isWhole ? page.parts() : INCOMPLETE) + page.links);
    }

    synchronized void add(int depth, String url, Redirect redirect) {
        String fragment = redirect.fragment().isEmpty() ? "" : "#" + redirect.fragment();
        boolean isSame = pageHash(url) == pageHash(redirect.target());
        if (!isSame && fragment.length() <= MAX_LINK_CHARS) {
            file.add(MOVED + depth + " " + url + " " + redirect.target() + fragment);
        }
    }

    /** Notes that records of broken links are stored. */
    synchronized void recorded(long... hashes) {
        file.add(RECORDED + text(hashes));
    }

    synchronized void checked() {
        file.add(CHECKED);
    }

    /** Returns whether a check was complete when this was opened, so that the lines of unchanged pages are known. */
    boolean hasAllPages() {
        return hasAllPages;
    }

    /** Hands the lines to the operating system, and forces them to the disk if {@code isForced}. */
    synchronized void flush(boolean isForced) {
        file.flush(isForced);
    }

    synchronized void read(LineFile.Lines lines) throws IOException {
        file.read(lines);
    }

    synchronized String line(long position) throws IOException {
        return file.line(position);
    }

    /** Replaces the file by one with the newest line of each page, and without the broken links that were recorded. */
    static void keepNewest(JobFiles files) throws IOException {
        LineTable.keepLast(files, KIND, Long.MIN_VALUE, text -> {
            if (isPage(text)) {
                return pageHash(UrlNormalizer.key(Line.of(text).url), files.owner());
            }
            return text.equals(CHECKED) ? 1 : 0;
        });
    }

    static boolean isPage(String text) {
        return text.startsWith(PAGE) || text.startsWith(MOVED);
    }

    /** A line of a page or a redirect, which ends with its parts and links, or with its target. */
    record Line(boolean isMoved, int depth, String url, String rest) {
        static Line of(String text) {
            boolean isMoved = text.startsWith(MOVED);
            int depthStart = isMoved ? MOVED.length() : PAGE.length();
            int urlStart = text.indexOf(' ', depthStart) + 1;
            int end = text.indexOf(' ', urlStart);
            return new Line(
                    isMoved,
                    Integer.parseInt(text, depthStart, urlStart - 1, 10),
                    text.substring(urlStart, end),
                    text.substring(end + 1));
        }

        boolean isWhole() {
            return !isMoved && !rest.startsWith(INCOMPLETE + " ") && !rest.equals(INCOMPLETE);
        }

        String target() {
            int fragment = rest.indexOf('#');
            return fragment < 0 ? rest : rest.substring(0, fragment);
        }

        LongBuffer parts() {
            int end = rest.indexOf(' ');
            String parts = end < 0 ? rest : rest.substring(0, end);
            return longs(parts.equals(NO_PARTS) ? "" : parts);
        }

        /** Passes on the links to parts; that of a redirect with a fragment is one. */
        void links(Fragments fragments, Link link) throws IOException {
            if (isMoved) {
                String target = target();
                if (target.length() < rest.length()) {
                    link.accept(fragments.pageHash(target), rest.substring(target.length() + 1));
                }
                return;
            }
            long target = 0;
            for (int end, start = rest.indexOf(' ') + 1; start > 0; start = end + 1) {
                end = rest.indexOf(' ', start);
                int fragment = rest.indexOf('#', start);
                target = fragment == start
                        ? target
                        : longs(rest.substring(start, fragment)).get();
                link.accept(target, rest.substring(fragment + 1, end < 0 ? rest.length() : end));
            }
        }
    }

    interface Link {
        /** Receives the hash of a page, and a fragment. */
        void accept(long page, String fragment) throws IOException;
    }

    /** Returns the hash of a page, which is neither 0 nor 1. */
    long pageHash(String url) {
        return pageHash(keys.of(url), owner);
    }

    private static long pageHash(String key, long seed) {
        long hash = hash(key, seed);
        return hash == 0 || hash == 1 ? 2 : hash;
    }

    long hash(String name) {
        return hash(name, owner);
    }

    /** With a seed that is secret, so that it cannot choose names with equal hashes. */
    private static long hash(String text, long seed) {
        return Murmur3.hash(text, seed)[0];
    }

    private static String text(long... hashes) {
        ByteBuffer bytes = ByteBuffer.allocate(hashes.length * Long.BYTES);
        bytes.asLongBuffer().put(hashes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
    }

    static LongBuffer longs(String text) {
        return ByteBuffer.wrap(Base64.getUrlDecoder().decode(text)).asLongBuffer();
    }
}
