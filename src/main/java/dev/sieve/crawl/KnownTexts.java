package dev.sieve.crawl;

import dev.sieve.bloom.Murmur3;
import dev.sieve.io.LineFile;
import dev.sieve.io.TemporaryFolder;
import dev.sieve.url.UrlParts;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The first page with each text, in the crawl and on each host, by the digests of texts.
 *
 * <p>A file has one line per such page, with the digest and the URL. In memory are only the digests and the positions of
 * their lines, up to a number of bytes; once these are used, the texts of further pages are only counted.
 *
 * <p>Methods throw {@link UncheckedIOException} when the disk fails. Safe for use by many threads.
 */
final class KnownTexts implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.crawl");

    static final LineFile.Kind KIND = new LineFile.Kind(
            "crawl-texts",
            "the text of a page",
            Pattern.compile("[0-9a-f]{16} https?://[!-~]+").asMatchPredicate());

    /** The heap that the digests may take: those of 1,500,000 pages. */
    private static final int MAX_BYTES = 32 << 20;

    private static final int ENTRY_BYTES = 2 * Long.BYTES;
    private static final int DIGEST_LENGTH = 16;
    private static final int FIRST_ENTRIES = 1 << 10;

    private final int maxEntries;
    private final LineFile file;
    /** The folder of a temporary file; null for that of a job. */
    private final @Nullable TemporaryFolder temporary;

    /** A hash table with open addressing: digests, and the positions of their lines, which are 0 for no entry. */
    private long[] digests = new long[FIRST_ENTRIES];

    private long[] positions = new long[FIRST_ENTRIES];
    private int entries;
    private long uncompared;

    /**
     * What is known of the text of a page.
     *
     * @param first the first page of the crawl that has it; null when it is this page, or unknown
     * @param isOnHost whether an earlier page of the same host has it
     */
    record Earlier(@Nullable String first, boolean isOnHost) {
        static final Earlier NONE = new Earlier(null, false);
    }

    /** Opens a file; its opening is passed a receiver of its lines. */
    interface Opening {
        LineFile open(LineFile.Lines lines) throws IOException;
    }

    /** Uses the file of a job, which the job closes. */
    KnownTexts(Opening opening) throws IOException {
        this(opening, null, MAX_BYTES);
    }

    private KnownTexts(Opening opening, @Nullable TemporaryFolder temporary, int maxBytes) throws IOException {
        this.temporary = temporary;
        maxEntries = maxBytes / ENTRY_BYTES / 4 * 3;
        file = opening.open((position, line) ->
                restore(HexFormat.fromHexDigitsToLong(line, 0, DIGEST_LENGTH), host(url(line)), position));
    }

    /** Uses a temporary file, which is deleted when this is closed. */
    static KnownTexts temporary(Path parent) throws IOException {
        return temporary(parent, MAX_BYTES);
    }

    static KnownTexts temporary(Path parent, int maxBytes) throws IOException {
        TemporaryFolder folder = new TemporaryFolder(parent, KIND.name());
        return new KnownTexts(lines -> LineFile.openLines(folder.disk(), KIND, 0, lines), folder, maxBytes);
    }

    private void restore(long digest, long host, long position) {
        if (hasRoom()) {
            put(position(digest) == 0 ? digest : onHost(digest, host), position);
        }
    }

    /** Notes the text of a page, unless an earlier page has it, and returns what is known of it. */
    synchronized Earlier add(long digest, String url) {
        long host = host(url);
        long position = position(digest);
        if (position == 0) {
            note(digest, digest, url);
            return Earlier.NONE;
        }
        String first = url(position);
        if (first.equals(url)) {
            return Earlier.NONE;
        }
        if (host(first) == host) {
            return new Earlier(first, true);
        }
        long key = onHost(digest, host);
        long onHost = position(key);
        if (onHost == 0) {
            note(key, digest, url);
        }
        return new Earlier(first, onHost != 0 && !url(onHost).equals(url));
    }

    private void note(long key, long digest, String url) {
        if (hasRoom()) {
            put(key, file.add(HexFormat.of().toHexDigits(digest) + " " + url));
            return;
        }
        if (uncompared == 0) {
            LOG.warn(
                    "the texts of {} pages are stored; those of further pages are not compared with each other",
                    entries);
        }
        uncompared++;
    }

    private boolean hasRoom() {
        return entries < maxEntries;
    }

    private static long host(String url) {
        return Murmur3.hash(UrlParts.host(url), 0)[0];
    }

    private static long onHost(long digest, long host) {
        return (digest ^ host) * 0x9e3779b97f4a7c15L;
    }

    private String url(long position) {
        try {
            return url(file.line(position));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String url(String line) {
        return line.substring(DIGEST_LENGTH + 1);
    }

    /** Returns the position of a line; 0 if there is none. */
    private long position(long key) {
        return positions[place(key)];
    }

    private int place(long key) {
        int place = (int) (key ^ (key >>> 32)) & (digests.length - 1);
        while (positions[place] != 0 && digests[place] != key) {
            place = (place + 1) & (digests.length - 1);
        }
        return place;
    }

    private void put(long key, long position) {
        if (entries >= digests.length / 4 * 3) {
            long[] oldDigests = digests;
            long[] oldPositions = positions;
            digests = new long[oldDigests.length * 2];
            positions = new long[digests.length];
            for (int i = 0; i < oldDigests.length; i++) {
                if (oldPositions[i] != 0) {
                    insert(oldDigests[i], oldPositions[i]);
                }
            }
        }
        entries += insert(key, position) ? 1 : 0;
    }

    /** Returns whether the key is new; otherwise its position stays. */
    private boolean insert(long key, long position) {
        int place = place(key);
        if (positions[place] != 0) {
            return false;
        }
        digests[place] = key;
        positions[place] = position;
        return true;
    }

    /** Returns how many pages had texts for which there was no room. */
    synchronized long uncompared() {
        return uncompared;
    }

    /** Hands the lines to the operating system, and forces them to the disk if {@code isForced}. */
    synchronized void flush(boolean isForced) {
        if (temporary == null) {
            file.flush(isForced);
        }
    }

    @Override
    @SuppressWarnings("try") // they are only closed here
    public synchronized void close() throws IOException {
        if (uncompared > 0) {
            LOG.warn("the texts of {} pages were not compared with those of later pages", uncompared);
        }
        if (temporary == null) {
            flush(false);
            return;
        }
        try (temporary;
                file) {
            // Closes both, the file first.
        }
    }
}
