package dev.sieve.stage;

import dev.sieve.bloom.Murmur3;
import dev.sieve.crawl.Ending;
import dev.sieve.crawl.Loss;
import dev.sieve.crawl.RecentRedirects;
import dev.sieve.crawl.Stage;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Redirect;
import dev.sieve.fetch.FetchResult.SetCookie;
import dev.sieve.fetch.LocalSource;
import dev.sieve.fetch.Response;
import dev.sieve.io.JobFiles;
import dev.sieve.io.LineFile;
import dev.sieve.io.LineTable;
import dev.sieve.io.LruMap;
import dev.sieve.output.Row;
import dev.sieve.output.Visit;
import dev.sieve.output.VisitField;
import java.io.IOException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the runs of a job have found of links: the file {@code crawl-links}, with lines of the form {@code RUN TIME HASH
 * STATUS WHAT}. A link to another site that works has a status, and the type of what is there or the target of a
 * redirect; what is broken, be it a part of a page, has the status 0; so has the hash 0, the end of a run. Times are in
 * epoch seconds, and URLs are known by hashes of 64 bits with a secret seed. In a job with rounds, a run is a round.
 *
 * <p>What is broken, and was not in the last run that ended, is marked as newly broken. In a job without rounds, this
 * is the source of the responses of links that have worked lately; but not of style sheets, since what they name is
 * needed. A link that does not fit into memory is requested again; if it is broken, it counts as newly broken. Safe for
 * use by many threads.
 */
final class CheckedLinks implements Stage, LocalSource {
    static final LineFile.Kind KIND = new LineFile.Kind(
            "crawl-links",
            1,
            "a link",
            "links are requested again, and broken ones may count as newly broken",
            Pattern.compile("\\d{1,9} \\d{1,12} [0-9a-f]{16} (?:0|[23]\\d\\d) [!-~]+")
                    .asMatchPredicate());

    private static final String BROKEN = "0 -";
    private static final String END = HexFormat.of().toHexDigits(0L);
    private static final int GOOD_BYTES = 32 << 20;
    private static final int BROKEN_BYTES = 8 << 20;

    private final long owner;
    private final Predicate<String> isElsewhere;
    private final int round;
    private final long oldest;
    private final long now;
    private int run;
    /** The last run that has ended. */
    private int before;

    private final LineTable file;
    /** The lines of links that work, by hash, and of what was broken; neither map changes once this is open. */
    private final LruMap<String> good;

    private final LruMap<String> broken;
    private boolean hasEnded;

    /**
     * Opens the file, or creates it.
     *
     * @param isElsewhere whether a URL is of another site
     * @param round the present round; 0 in a job without rounds
     * @param losses counts the links that do not fit into memory
     * @param maxAge for how many seconds a link that works is not requested again
     */
    CheckedLinks(
            JobFiles files, Predicate<String> isElsewhere, Loss.Receiver losses, int round, long maxAge, Instant now)
            throws IOException {
        BiConsumer<String, String> dropped = (hash, line) -> losses.lost(
                Loss.LINKS_FORGOTTEN,
                "more links than fit into memory: the others are requested again, and if they are broken, count as"
                        + " newly broken");
        good = new LruMap<>(GOOD_BYTES, String::length, each -> false, dropped);
        broken = new LruMap<>(BROKEN_BYTES, String::length, each -> false, dropped);
        owner = files.owner();
        this.isElsewhere = isElsewhere;
        this.round = round;
        this.now = now.getEpochSecond();
        oldest = this.now - maxAge;
        files.read(KIND, (position, line) -> readRun(line.split(" ", -1)), LineFile.REFUSE);
        run = round > 0 ? round : run + 1;
        before = round > 0 ? round - 1 : before;
        file = new LineTable(files, KIND, (position, line) -> read(line.split(" ", -1), line));
        // First what was broken, since it may work now.
        file.trim(() ->
                Stream.of(broken, good).flatMap(some -> some.values().stream()).toList());
    }

    private void readRun(String[] words) {
        run = Math.max(run, Integer.parseInt(words[0]));
        before = words[2].equals(END) ? Integer.parseInt(words[0]) : before;
    }

    private boolean isFresh(String[] words) {
        long time = Long.parseLong(words[1]);
        return !words[3].equals("0") && time > oldest && time <= now;
    }

    private void read(String[] words, String line) {
        if (isFresh(words)) {
            good.put(words[2], line);
        } else {
            good.remove(words[2]);
        }
        int number = Integer.parseInt(words[0]);
        if (words[3].equals("0") && number >= before) {
            // Those of an interrupted round are only kept.
            broken.put(words[2] + (number == before ? "" : number), line);
        }
    }

    private String hash(String url) {
        return HexFormat.of().toHexDigits(Murmur3.hash(url, owner)[0]);
    }

    @Override
    public @Nullable LocalSource source() {
        return round == 0 ? this : null;
    }

    @Override
    public boolean has(String url) {
        return known(url, RecentRedirects.MAX) != null;
    }

    /** Returns the line of a link to another site that works, and so does what it redirects to; null for others. */
    private @Nullable String known(String url, int hops) {
        String line = good.get(hash(url));
        if (line == null || !isElsewhere.test(url)) {
            return null;
        }
        String[] words = line.split(" ", -1);
        String target = words[4].replaceFirst("#.*", "");
        boolean isPage = words[3].startsWith("2") || !isElsewhere.test(target);
        return isPage || (hops > 0 && known(target, hops - 1) != null) ? line : null;
    }

    @Override
    public @Nullable Response respond(String url) {
        String line = good.get(hash(url));
        if (line == null) {
            return null;
        }
        String[] words = line.split(" ", -1);
        String field = words[3].startsWith("2") ? "content-type" : "location";
        return new Response(Integer.parseInt(words[3]), Map.of(field, List.of(words[4])));
    }

    /** Marks a visit whose result an earlier run has found, or that finds a link newly broken. Notes the others. */
    @Override
    public Visit recorded(Visit visit) {
        String hash = hash(visit.url());
        if (Row.of(visit).verdict().isBroken()) {
            add(visit.timing().fetchedAt(), hash, BROKEN);
            return broken.get(hash) != null ? visit : visit.with(VisitField.NEWLY_BROKEN.text(), true);
        } else if (round > 0 || !visit.isCheck() || !isElsewhere.test(visit.url())) {
            return visit;
        }
        String line = known(visit.url(), RecentRedirects.MAX);
        if (line != null) {
            Instant time = Instant.ofEpochSecond(Long.parseLong(line.split(" ", -1)[1]));
            return visit.with(VisitField.EARLIER.text(), time.toString());
        }
        if (visit.result() instanceof Redirect redirect && redirect.cookie() != SetCookie.KEPT) {
            String part = redirect.fragment().isEmpty() ? "" : "#" + redirect.fragment();
            add(visit.timing().fetchedAt(), hash, redirect.status() + " " + redirect.target() + part);
        } else if (visit.result() instanceof Page page
                && page.isSuccess()
                && !page.type().equals("text/css")) {
            add(visit.timing().fetchedAt(), hash, page.status() + " " + page.type());
        }
        return visit;
    }

    /** Adds a line, unless what the server has sent makes it invalid. */
    private synchronized void add(Instant time, String hash, String what) {
        String line = run + " " + time.getEpochSecond() + " " + hash + " " + what;
        if (KIND.isValid().test(line)) {
            file.add(line);
        }
    }

    @Override
    public synchronized void flush(boolean isForced) {
        file.flush(isForced);
    }

    @Override
    public boolean end(Ending ending, BooleanSupplier hasToEnd) {
        hasEnded = ending == Ending.DRAINED || ending == Ending.MAX_PAGES || ending == Ending.MAX_TIME;
        return true;
    }

    @Override
    public void close() {
        if (hasEnded && round == 0) {
            add(Instant.ofEpochSecond(now), END, BROKEN);
            flush(true);
        }
    }
}
