package dev.sieve.stage;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.bloom.Murmur3;
import dev.sieve.crawl.Loss;
import dev.sieve.fetch.Cookie;
import dev.sieve.io.JobFiles;
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
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The cookies of a crawl: those that the user has named, and those that servers have set.
 *
 * <p>Of a registrable domain, those that were used last are kept, up to a number and to a number of bytes; in all, those of the
 * domains that were used last. Those of the user are evicted only after all others. A job stores those that servers have set, in a file in which the last line of a cookie counts. They take the
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

    private static final String BYTE_ORDER_MARK = "\uFEFF";
    private static final int MAX_LINE = 16 << 10;
    /** How much is appended to the file before it is replaced by one without the lines that do not count. */
    private static final int APPENDED_BYTES = 16 << 20;

    /** Begins the line with the digest of the cookies that the user has named last. */
    private static final String NAMED = "named ";

    /** A cookie that is kept, whether the user has named it, and when it was set or sent last, in epoch milliseconds. */
    private static final class Held {
        private final Cookie cookie;
        private final boolean isNamed;
        private volatile long used;

        Held(Cookie cookie, boolean isNamed, Instant now) {
            this.cookie = cookie;
            this.isNamed = isNamed;
            used = now.toEpochMilli();
        }
    }

    /** The cookies of domains, the latest last. */
    private final LruMap<List<Held>> domains = new LruMap<>(
            ALL_BYTES,
            CookieJar::bytes,
            held -> held.stream().anyMatch(each -> each.isNamed),
            (domain, held) -> held.forEach(this::evict));

    /** The cookies that were evicted and are not counted yet. */
    private final List<String> evicted = new ArrayList<>();

    private volatile boolean hasSentNamed;

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
                .map(CookieJar::cookie)
                .toList();
        boolean isSame = named.isEmpty() || lines.contains(digest);
        (isSame ? named : set).forEach(each -> put(each, isSame, now));
        (isSame ? set : named).forEach(each -> put(each, !isSame, now));
        if (!isSame) {
            store(digest);
        }
    }

    private static boolean isLine(String line) {
        try {
            return line.matches(NAMED + "[0-9a-f]{16}")
                    || !cookie(line).toString().isEmpty();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Returns the cookie in a line of the job's file: UTF-8, each byte as a character. */
    private static Cookie cookie(String line) {
        return Cookie.of(new String(line.getBytes(ISO_8859_1), UTF_8));
    }

    /**
     * Reads a file as curl and browsers write it.
     *
     * @param problems receives what is wrong with a line that is left out; it names the file and the line
     * @throws IllegalArgumentException when no line is a cookie, or there are too many; the message names the first such line
     */
    static List<Cookie> read(Path path, Consumer<String> problems) throws IOException {
        List<Cookie> cookies = new ArrayList<>();
        IllegalArgumentException first = null;
        try (LineReader in = new LineReader(Files.newInputStream(path), MAX_LINE)) {
            long bytes = 0;
            for (int number = 1; in.next(); number++) {
                String line = in.text(UTF_8).stripTrailing();
                line = number == 1 && line.startsWith(BYTE_ORDER_MARK) ? line.substring(1) : line;
                boolean isComment = line.startsWith("#") && !line.startsWith("#HttpOnly_");
                if (line.isEmpty() || isComment) {
                    continue;
                }
                String where = path + ":" + number + ": ";
                try {
                    Cookie cookie = Cookie.of(line);
                    cookies.add(cookie);
                    bytes += cookie.bytes();
                } catch (IllegalArgumentException e) {
                    String problem = where + e.getMessage();
                    problems.accept(problem);
                    first = first == null ? new IllegalArgumentException(problem, e) : first;
                }
                if (bytes > ALL_BYTES) {
                    throw new IllegalArgumentException(where + "more cookies than fit into " + ALL_BYTES + " bytes");
                }
            }
        }
        if (cookies.isEmpty() && first != null) {
            throw first;
        }
        return cookies;
    }

    /** Returns the lines of the file that count, and replaces it by one with these. */
    private List<String> stored(JobFiles of) throws IOException {
        LruMap<String> last =
                new LruMap<>(ALL_BYTES, String::length, line -> line.startsWith(NAMED), (name, line) -> {});
        of.read(
                KIND,
                (position, line) ->
                        last.put(line.startsWith(NAMED) ? NAMED : cookie(line).toString(), line),
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
        List<Cookie> sent = new ArrayList<>();
        Predicate<Cookie> belongs = Cookie.belongingTo(url, now);
        for (Held each : held(url)) {
            if (belongs.test(each.cookie)) {
                each.used = now.toEpochMilli();
                hasSentNamed |= each.isNamed;
                sent.add(each.cookie);
            }
        }
        return Cookie.field(sent);
    }

    /** Returns the cookies of the registrable domain of a URL. */
    List<Cookie> ofSite(String url, Instant now) {
        return held(url).stream()
                .map(each -> each.cookie)
                .filter(each -> !each.hasExpired(now))
                .toList();
    }

    private List<Held> held(String url) {
        List<Held> known = domains.get(UrlParts.domain(url));
        return known == null ? List.of() : known;
    }

    /** Returns whether a cookie that the user has named was part of a request. */
    boolean hasSentNamed() {
        return hasSentNamed;
    }

    /** Takes over the Set-Cookie fields of a response; returns whether that has changed a cookie. */
    boolean take(String url, List<String> fields, Instant now, Loss.Receiver losses) {
        boolean isChanged = false;
        List<String> gone;
        synchronized (this) {
            for (String field : fields.subList(0, Math.min(fields.size(), MOST_OF_RESPONSE))) {
                Cookie cookie = Cookie.received(url, field, problem -> ignored(url, problem, losses));
                if (cookie != null && put(cookie, false, now)) {
                    store(new String(cookie.line().getBytes(UTF_8), ISO_8859_1));
                    isChanged = true;
                }
            }
            gone = List.copyOf(evicted);
            evicted.clear();
        }
        for (int i = MOST_OF_RESPONSE; i < fields.size(); i++) {
            ignored(url, "a response can set " + MOST_OF_RESPONSE, losses);
        }
        gone.forEach(each -> losses.lost(
                Loss.COOKIES_EVICTED,
                "there are more cookies of a domain, or of all, than are kept: " + each + " is evicted"));
        return isChanged;
    }

    private static void ignored(String url, String problem, Loss.Receiver losses) {
        losses.lost(Loss.COOKIES_IGNORED, "a cookie of " + url + " is ignored: " + problem);
    }

    /** Sets a cookie, or deletes it if it has expired; returns whether that has changed it. */
    private boolean put(Cookie cookie, boolean isNamed, Instant now) {
        List<Held> known = domains.get(cookie.domain());
        List<Held> kept = known == null ? new ArrayList<>() : new ArrayList<>(known);
        String name = cookie.toString();
        int place = 0;
        while (place < kept.size() && !kept.get(place).cookie.toString().equals(name)) {
            place++;
        }
        Held before = place < kept.size() ? kept.remove(place) : null;
        Held newest = new Held(cookie, isNamed || (before != null && before.isNamed), now);
        kept.add(place, newest);
        kept.removeIf(each -> each.cookie.hasExpired(now));
        while (kept.size() > MOST_OF_DOMAIN || bytes(kept) > DOMAIN_BYTES) {
            Held least = leastNeeded(kept, newest);
            kept.remove(least);
            evict(least);
        }
        domains.put(cookie.domain(), List.copyOf(kept));
        return before == null ? !cookie.hasExpired(now) : !before.cookie.line().equals(cookie.line());
    }

    /**
     * Returns the cookie that was used least recently, in the last place one of the user. Of those that were sent together, that is
     * the latest: the others, such as the session, were sent more often. It is not the newest unless all others are the user's.
     */
    private static Held leastNeeded(List<Held> kept, Held newest) {
        Comparator<Held> order = Comparator.<Held>comparingInt(
                        each -> (each.isNamed ? 2 : 0) + (each == newest ? 1 : 0))
                .thenComparingLong(each -> each.used);
        Held least = newest;
        for (Held each : kept) {
            least = order.compare(each, least) <= 0 ? each : least;
        }
        return least;
    }

    private void evict(Held held) {
        evicted.add("cookie " + held.cookie);
    }

    private static long bytes(List<Held> cookies) {
        return cookies.stream().mapToLong(each -> each.cookie.bytes()).sum();
    }

    /** Hands what was stored to the operating system, and forces it to the disk if {@code isForced}. */
    synchronized void flush(boolean isForced) {
        if (file != null && files != null) {
            files.flush(file, isForced);
        }
    }
}
