package dev.sieve.stage;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.bloom.Murmur3;
import dev.sieve.crawl.Loss;
import dev.sieve.fetch.Cookie;
import dev.sieve.io.JobFiles;
import dev.sieve.io.LineFile;
import dev.sieve.io.LineReader;
import dev.sieve.io.LineTable;
import dev.sieve.io.LruMap;
import dev.sieve.url.UrlParts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The cookies of a crawl: those that the user has named, and those that servers have set.
 *
 * <p>Of a registrable domain, those that were used last are kept, up to a number and to a number of bytes; in all,
 * those of the domains that were used last. Those of the user are evicted only after all others. A job stores those
 * that servers have set, and which of the user's they have deleted: the last line of a cookie counts, and one that has
 * expired says that it is not kept. They take the place of those of the user until the user names others.
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
    /** Begins the line with the digest of the cookies that the user has named last. */
    private static final String NAMED = "named ";

    /** A cookie that is kept, and when it was set or sent last, in epoch milliseconds. */
    private static final class Held {
        private final Cookie cookie;
        private final String name;
        private volatile long used;

        Held(Cookie cookie, Instant now) {
            this.cookie = cookie;
            name = cookie.toString();
            used = now.toEpochMilli();
        }
    }

    /** The cookies of domains, the latest last. */
    private final LruMap<List<Held>> domains = new LruMap<>(
            ALL_BYTES,
            CookieJar::bytes,
            held -> held.stream().anyMatch(this::isNamed),
            (domain, held) -> this.evicted.addAll(held));

    /** Those that the user has named. */
    private final Map<String, Cookie> named = new HashMap<>();
    /** The line with the digest of these, or of earlier ones if there are none; empty if there never were any. */
    private String digest = "";

    /** The cookies that were evicted, until that is stored, and until it is said. */
    private final List<Held> evicted = new ArrayList<>();

    private final List<String> gone = new ArrayList<>();

    private volatile boolean hasSentNamed;
    /** Null without files. */
    private final @Nullable LineTable stored;

    /** Creates a jar with the cookies that the user has named; it stores the others in the files of a job, if there are any. */
    CookieJar(@Nullable JobFiles files, List<Cookie> cookies, Instant now) throws IOException {
        cookies.forEach(each -> named.put(each.toString(), each));
        String text = cookies.stream().map(Cookie::line).collect(Collectors.joining("\n"));
        long seed = files == null ? 0 : files.owner();
        String own = NAMED + HexFormat.of().toHexDigits(Murmur3.hash(text, seed)[0]);
        Map<String, Cookie> set = new LinkedHashMap<>();
        stored = files == null ? null : new LineTable(files, KIND, (position, line) -> read(line, own, set, now));
        boolean isSame = cookies.isEmpty() || own.equals(digest);
        if (!isSame) {
            digest = own;
            store(digest);
        }
        (isSame ? cookies : set.values()).forEach(each -> put(each, now));
        (isSame ? set.values() : cookies).forEach(each -> put(each, now));
        storeEvicted();
    }

    private static boolean isLine(String line) {
        try {
            return line.matches(NAMED + "[0-9a-f]{16}")
                    || !cookie(line).toString().isEmpty();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Adds the cookie in a line to those that servers have set, or removes those whose place those of the user have taken. */
    private void read(String line, String own, Map<String, Cookie> set, Instant now) {
        if (line.startsWith(NAMED)) {
            digest = line;
            if (line.equals(own)) {
                set.keySet().removeAll(named.keySet());
            }
            return;
        }
        Cookie cookie = cookie(line);
        if (cookie.hasExpired(now) && !named.containsKey(cookie.toString())) {
            set.remove(cookie.toString());
        } else {
            set.put(cookie.toString(), cookie);
        }
    }

    /** Returns the cookie in a line of the job's file: UTF-8, each byte as a character. */
    private static Cookie cookie(String line) {
        return Cookie.of(new String(line.getBytes(ISO_8859_1), UTF_8));
    }

    private static String line(Cookie cookie) {
        return new String(cookie.line().getBytes(UTF_8), ISO_8859_1);
    }

    /**
     * Reads a file as curl and browsers write it.
     *
     * @param problems receives what is wrong with a line that is left out; it names the file and the line
     * @throws IllegalArgumentException when no line is a cookie, or there are too many; the message names the first
     *     such line
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

    private void store(String line) {
        if (stored != null) {
            stored.add(line);
            stored.trim(this::valid);
        }
    }

    /** Returns the lines that count. */
    private List<String> valid() {
        List<String> lines = new ArrayList<>();
        if (!digest.isEmpty()) {
            lines.add(digest);
        }
        Map<String, Cookie> gone = new HashMap<>(named);
        for (List<Held> held : domains.values()) {
            for (Held each : held) {
                if (gone.remove(each.name) != each.cookie) {
                    lines.add(line(each.cookie));
                }
            }
        }
        gone.values().forEach(each -> lines.add(line(each.ended())));
        return lines;
    }

    /** Returns the Cookie field of a request; empty for none. */
    String field(String url, Instant now) {
        List<Cookie> sent = new ArrayList<>();
        Predicate<Cookie> belongs = Cookie.belongingTo(url, now);
        for (Held each : held(UrlParts.domain(url))) {
            if (belongs.test(each.cookie)) {
                each.used = now.toEpochMilli();
                hasSentNamed |= isNamed(each);
                sent.add(each.cookie);
            }
        }
        return Cookie.field(sent);
    }

    /** Returns the cookies of the registrable domain of a URL. */
    List<Cookie> ofSite(String url, Instant now) {
        return held(UrlParts.domain(url)).stream()
                .map(each -> each.cookie)
                .filter(each -> !each.hasExpired(now))
                .toList();
    }

    private List<Held> held(String domain) {
        List<Held> known = domains.get(domain);
        return known == null ? List.of() : known;
    }

    private boolean isNamed(Held held) {
        return named.containsKey(held.name);
    }

    /** Returns whether a cookie that the user has named was part of a request. */
    boolean hasSentNamed() {
        return hasSentNamed;
    }

    /** Takes over the Set-Cookie fields of a response; returns whether that has changed a cookie. */
    boolean take(String url, List<String> fields, Instant now, Loss.Receiver losses) {
        boolean isChanged = false;
        List<String> lost;
        synchronized (this) {
            for (String field : fields.subList(0, Math.min(fields.size(), MOST_OF_RESPONSE))) {
                Cookie cookie = Cookie.received(url, field, ofSite(url, now), problem -> ignored(url, problem, losses));
                if (cookie != null && put(cookie, now)) {
                    store(line(cookie));
                    storeEvicted();
                    isChanged = true;
                }
            }
            lost = List.copyOf(gone);
            gone.clear();
        }
        for (int i = MOST_OF_RESPONSE; i < fields.size(); i++) {
            ignored(url, "a response can set " + MOST_OF_RESPONSE, losses);
        }
        lost.forEach(each -> losses.lost(
                Loss.COOKIES_EVICTED,
                "there are more cookies of a domain, or of all, than are kept: cookie " + each + " is evicted"));
        return isChanged;
    }

    private static void ignored(String url, String problem, Loss.Receiver losses) {
        losses.lost(Loss.COOKIES_IGNORED, "a cookie of " + url + " is ignored: " + problem);
    }

    /** Sets a cookie, or deletes it if it has expired; returns whether that has changed it. */
    private boolean put(Cookie cookie, Instant now) {
        List<Held> kept = new ArrayList<>(held(cookie.domain()));
        Held newest = new Held(cookie, now);
        int place = 0;
        while (place < kept.size() && !kept.get(place).name.equals(newest.name)) {
            place++;
        }
        Held before = place < kept.size() ? kept.remove(place) : null;
        kept.add(place, newest);
        kept.removeIf(each -> each.cookie.hasExpired(now));
        while (kept.size() > MOST_OF_DOMAIN || bytes(kept) > DOMAIN_BYTES) {
            Held least = leastNeeded(kept, newest);
            kept.remove(least);
            evicted.add(least);
        }
        domains.put(cookie.domain(), List.copyOf(kept));
        return before == null ? !cookie.hasExpired(now) : !before.cookie.line().equals(cookie.line());
    }

    /**
     * Returns the cookie that was used least recently, in the last place one of the user. Of those that were sent
     * together, that is the latest: the others, such as the session, were sent more often. It is not the newest unless
     * all others are the user's.
     */
    private Held leastNeeded(List<Held> kept, Held newest) {
        Comparator<Held> order = Comparator.<Held>comparingInt(
                        each -> (isNamed(each) ? 2 : 0) + (each == newest ? 1 : 0))
                .thenComparingLong(each -> each.used);
        Held least = newest;
        for (Held each : kept) {
            least = order.compare(each, least) <= 0 ? each : least;
        }
        return least;
    }

    private void storeEvicted() {
        for (Held held : evicted) {
            store(line(held.cookie.ended()));
            gone.add(held.name);
        }
        evicted.clear();
    }

    private static long bytes(List<Held> cookies) {
        return cookies.stream().mapToLong(each -> each.cookie.bytes()).sum();
    }

    /** Hands what was stored to the operating system, and forces it to the disk if {@code isForced}. */
    synchronized void flush(boolean isForced) {
        if (stored != null) {
            stored.flush(isForced);
        }
    }
}
