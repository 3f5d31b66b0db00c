package dev.sieve.stage;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.bloom.Murmur3;
import dev.sieve.crawl.JobFiles;
import dev.sieve.fetch.Cookie;
import dev.sieve.io.LineFile;
import dev.sieve.io.LineReader;
import dev.sieve.io.LruMap;
import dev.sieve.url.UrlParts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The cookies of a crawl: those that the user has named, and those that servers have set.
 *
 * <p>Of a registrable domain, the latest are kept, up to a number and to a number of bytes; in all, those of the domains that
 * were used last. A job stores those that servers have set, in a file in which the last line of a cookie counts. They take the
 * place of those of the user until the user names others.
 *
 * <p>Methods throw {@link UncheckedIOException} when the disk fails. Safe for use by many threads.
 */
final class CookieJar {
    static final LineFile.Kind KIND = new LineFile.Kind(
            "crawl-cookies",
            1,
            "a cookie",
            "cookies that servers have set may be missing: log in again",
            CookieJar::isLine);

    /** Most cookies of a domain, as in browsers. */
    static final int MOST_OF_DOMAIN = 180;

    private static final int DOMAIN_BYTES = 128 << 10;
    private static final int ALL_BYTES = 4 << 20;
    /** Most Set-Cookie fields of a response that are read. */
    static final int MOST_OF_RESPONSE = 50;

    private static final int MAX_LINE = 16 << 10;
    /** How much is appended to the file before it is replaced by one without the lines that do not count. */
    private static final int APPENDED_BYTES = 16 << 20;

    /** Begins the line with the digest of the cookies that the user has named last. */
    private static final String NAMED = "named ";

    /** The cookies of domains, the latest last. */
    private final LruMap<List<Cookie>> domains = new LruMap<>(ALL_BYTES, CookieJar::bytes);

    private final @Nullable JobFiles files;
    /** Null without files. */
    private @Nullable LineFile file;

    private int appended;

    /** Creates a jar with the cookies that the user has named; it stores them in the files of a job, if there are any. */
    CookieJar(@Nullable JobFiles files, List<Cookie> named, Instant now) throws IOException {
        this.files = files;
        List<String> lines = files == null ? List.of() : stored(files);
        long seed = files == null ? 0 : files.owner();
        String text = named.stream().map(Cookie::line).collect(Collectors.joining("\n"));
        String digest = NAMED + HexFormat.of().toHexDigits(Murmur3.hash(text, seed)[0]);
        List<Cookie> set = lines.stream()
                .filter(line -> !line.startsWith(NAMED))
                .map(Cookie::of)
                .toList();
        boolean isSame = named.isEmpty() || lines.contains(digest);
        (isSame ? named : set).forEach(each -> put(each, now));
        (isSame ? set : named).forEach(each -> put(each, now));
        if (!isSame) {
            store(digest);
        }
    }

    private static boolean isLine(String line) {
        try {
            return line.matches(NAMED + "[0-9a-f]{16}")
                    || !Cookie.of(line).toString().isEmpty();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Reads a file as curl and browsers write it; messages about wrong lines, or too many, name the file and the line. */
    static List<Cookie> read(Path path) throws IOException {
        List<Cookie> cookies = new ArrayList<>();
        try (LineReader in = new LineReader(Files.newInputStream(path), MAX_LINE)) {
            long bytes = 0;
            for (int number = 1; in.next(); number++) {
                String line = in.text(UTF_8).stripTrailing();
                boolean isComment = line.startsWith("#") && !line.startsWith("#HttpOnly_");
                if (line.isEmpty() || isComment) {
                    continue;
                }
                try {
                    Cookie cookie = Cookie.of(line);
                    bytes += cookie.bytes();
                    if (bytes > ALL_BYTES) {
                        throw new IllegalArgumentException("more cookies than fit into " + ALL_BYTES + " bytes");
                    }
                    cookies.add(cookie);
                } catch (IllegalArgumentException e) {
                    throw new IllegalArgumentException(path + ":" + number + ": " + e.getMessage(), e);
                }
            }
        }
        return cookies;
    }

    /** Returns the lines of the file that count, and replaces it by one with these. */
    private List<String> stored(JobFiles of) throws IOException {
        LruMap<String> last = new LruMap<>(ALL_BYTES, String::length);
        of.read(
                KIND,
                (position, line) -> last.put(
                        line.startsWith(NAMED) ? NAMED : Cookie.of(line).toString(), line),
                LineFile.REFUSE);
        List<String> lines = last.values();
        of.replace(KIND, receiver -> {
            for (String line : lines) {
                receiver.accept(line);
            }
        });
        file = of.open(KIND, (position, line) -> {});
        appended = 0;
        return lines;
    }

    private void store(String line) {
        if (file == null || files == null) {
            return;
        }
        file.add(line);
        appended += line.length();
        if (appended > APPENDED_BYTES) {
            try {
                file.flush();
                file.close();
                stored(files);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Returns the Cookie field of a request; empty for none. */
    String field(String url, Instant now) {
        return Cookie.field(ofSite(url), url, now);
    }

    /** Returns the cookies of the registrable domain of a URL, those that have expired included. */
    List<Cookie> ofSite(String url) {
        List<Cookie> cookies = domains.get(UrlParts.domain(url));
        return cookies == null ? List.of() : cookies;
    }

    /** Takes over the Set-Cookie fields of a response; returns whether that has changed a cookie. */
    synchronized boolean take(String url, List<String> fields, Instant now) {
        boolean isChanged = false;
        for (String field : fields.subList(0, Math.min(fields.size(), MOST_OF_RESPONSE))) {
            Cookie cookie = Cookie.received(url, field);
            if (cookie != null && put(cookie, now)) {
                store(cookie.line());
                isChanged = true;
            }
        }
        return isChanged;
    }

    /** Sets a cookie, or deletes it if it has expired; returns whether that has changed it. */
    private boolean put(Cookie cookie, Instant now) {
        List<Cookie> known = domains.get(cookie.domain());
        List<Cookie> kept = known == null ? new ArrayList<>() : new ArrayList<>(known);
        String name = cookie.toString();
        int place = 0;
        while (place < kept.size() && !kept.get(place).toString().equals(name)) {
            place++;
        }
        Cookie before = place < kept.size() ? kept.remove(place) : null;
        kept.add(place, cookie);
        kept.removeIf(each -> each.hasExpired(now));
        while (kept.size() > MOST_OF_DOMAIN || bytes(kept) > DOMAIN_BYTES) {
            kept.remove(0);
        }
        domains.put(cookie.domain(), List.copyOf(kept));
        return before == null ? !cookie.hasExpired(now) : !before.line().equals(cookie.line());
    }

    private static long bytes(List<Cookie> cookies) {
        return cookies.stream().mapToLong(Cookie::bytes).sum();
    }

    /** Hands what was stored to the operating system, and forces it to the disk if {@code isForced}. */
    synchronized void flush(boolean isForced) {
        if (file != null && files != null) {
            files.flush(file, isForced);
        }
    }
}
