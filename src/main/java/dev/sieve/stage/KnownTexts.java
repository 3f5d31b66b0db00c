package dev.sieve.stage;

import dev.sieve.bloom.Murmur3;
import dev.sieve.io.JobFiles;
import dev.sieve.io.LineFile;
import dev.sieve.io.LineTable;
import dev.sieve.io.LongTable;
import dev.sieve.url.UrlParts;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HexFormat;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The first page with each text, in the crawl and on each host, by the digests of texts.
 *
 * <p>A file has one line per such page, with the digest and the URL. In memory are only the digests and the positions
 * of their lines, up to a number of bytes; once these are used, the texts of further pages are only counted.
 *
 * <p>Methods throw {@link UncheckedIOException} when the disk fails. Safe for use by many threads.
 */
final class KnownTexts implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.crawl");

    static final LineFile.Kind KIND = new LineFile.Kind(
            "crawl-texts",
            2,
            "the text of a page",
            "the first page with a text may not be found as such",
            Pattern.compile("[0-9a-f]{16} https?://[!-~]+").asMatchPredicate());

    /** The heap that the digests may take: those of 1,500,000 pages. */
    private static final int MAX_BYTES = 32 << 20;

    private static final int DIGEST_LENGTH = 16;

    private final LineTable file;

    /** The positions of lines by digests. */
    private final LongTable positions;

    /** How many pages had texts for which there was no room. */
    long uncompared;

    /**
     * What is known of the text of a page: the first page of the crawl that has it, null when it is this page, or
     * unknown; and whether an earlier page of the same host has it.
     */
    record Earlier(@Nullable String first, boolean isOnHost) {
        static final Earlier NONE = new Earlier(null, false);
    }

    KnownTexts(JobFiles files) throws IOException {
        this(files, MAX_BYTES);
    }

    KnownTexts(JobFiles files, int maxBytes) throws IOException {
        positions = new LongTable(maxBytes);
        file = new LineTable(
                files,
                KIND,
                (position, line) ->
                        restore(HexFormat.fromHexDigitsToLong(line, 0, DIGEST_LENGTH), host(url(line)), position));
    }

    private void restore(long digest, long host, long position) {
        long key = positions.get(digest) == 0 ? digest : onHost(digest, host);
        if (positions.get(key) == 0) {
            positions.put(key, position);
        }
    }

    /** Notes the text of a page, unless an earlier page has it, and returns what is known of it. */
    synchronized Earlier add(long digest, String url) {
        long host = host(url);
        long position = positions.get(digest);
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
        long onHost = positions.get(key);
        if (onHost == 0) {
            note(key, digest, url);
        }
        return new Earlier(first, onHost != 0 && !url(onHost).equals(url));
    }

    private void note(long key, long digest, String url) {
        if (!positions.isFull()) {
            positions.put(key, file.add(HexFormat.of().toHexDigits(digest) + " " + url));
            return;
        }
        if (uncompared == 0) {
            LOG.warn(
                    "the texts of {} pages are stored; those of further pages are not compared with each other",
                    positions.entries());
        }
        uncompared++;
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

    /** Hands the lines to the operating system, and forces them to the disk if {@code isForced}. */
    synchronized void flush(boolean isForced) {
        file.flush(isForced);
    }

    @Override
    public synchronized void close() {
        if (uncompared > 0) {
            LOG.warn("the texts of {} pages were not compared with those of later pages", uncompared);
        }
    }
}
