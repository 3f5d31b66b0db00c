package dev.sieve.stage;

import static dev.sieve.stage.KnownPage.RADIX;
import static dev.sieve.stage.KnownPage.text;

import dev.sieve.bloom.Murmur3;
import dev.sieve.crawl.JobResults;
import dev.sieve.crawl.Journal;
import dev.sieve.crawl.Target;
import dev.sieve.io.JobFiles;
import dev.sieve.io.LineFile;
import dev.sieve.io.LineTable;
import dev.sieve.io.LongTable;
import dev.sieve.url.PageKeys;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The pages of a job that is crawled in rounds: the file {@code crawl-pages}, with a line of one of these sorts:
 *
 * <pre>
 *   round N begun      a round, which then queues all pages again; "due" follows if it only queues those that are due
 *   round N queued     they are in the frontier; likewise
 *   round N ended      all are visited, or were left; likewise
 *   page ...           a page: see {@link KnownPage}
 *   left ...           the same of a page that is still in the frontier after its visit, so that it is visited again
 *   same ...           number of a page, visits, time of the last one, interval, status: nothing else has changed
 * </pre>
 *
 * Numbers are in base 36. The first round needs no line. The last line of a page counts. When a round is {@linkplain #complete
 * complete}, the file is replaced by one with a line per page, in which links are numbers of pages.
 *
 * <p>A line is buffered when {@link #add} returns. When {@link #flush} returns, it survives the process, and if forced also
 * a power failure. A page takes about 50 bytes of memory. Methods throw {@link UncheckedIOException} when the disk fails, and
 * when the number of pages is at its limit; the file then has the pages before that. Safe for use by many threads.
 */
final class KnownPages {
    static final LineFile.Kind KIND = new LineFile.Kind(
            "crawl-pages",
            3,
            "a page",
            "pages that are missing are visited again only where a new page links to them",
            KnownPages::isLine);

    private static final String PAGE = "page ";
    /** As long as the other one. */
    private static final String LEFT = "left ";

    private static final String SAME = "same ";
    private static final String CHECK = "check ";
    private static final Pattern ROUND = Pattern.compile("round (\\d{1,9}) (begun|queued|ended)( due)?");
    private static final Pattern TOUCH =
            Pattern.compile("same ([0-9a-z]{1,6}) ([0-9a-z]{1,6}) ([0-9a-z]{1,9}) ([0-9a-z]{1,6}) ([0-9a-z]{1,2})");
    private static final int ORPHANS = 1000;
    private static final int MIN_PAGES = 1 << 10;

    private final JobFiles files;
    private final PageKeys keys;
    private final LineTable file;

    /** By number: the position of the last line of a page with all fields; 0 when the number is not used. */
    private long[] positions = new long[MIN_PAGES];
    /** By number: the position of a later line without the others; 0 when there is none. */
    private long[] touches = new long[MIN_PAGES];
    /** The numbers of pages whose last line says that they are left. */
    private BitSet left = new BitSet();
    /** The numbers of pages, each increased by one, by the keys of {@link #slot}. */
    private LongTable numbers;

    /** Of {@link #numbers}, at most. */
    private final int bytes;

    /** Follows the largest number. */
    private int end;

    private int round = 1;
    private boolean isEnded;
    private boolean isQueued = true;
    private boolean isOnlyDue;
    /** Lines after this position belong to visits of the present round. */
    private long roundStart;

    /** Opens the file of pages, or creates it with round 1 begun. The job closes it. */
    KnownPages(JobFiles files, PageKeys keys) throws IOException {
        this(files, keys, Integer.MAX_VALUE);
    }

    /** Opens them in the same way with room for less than 100 million. */
    KnownPages(JobFiles files, PageKeys keys, int bytes) throws IOException {
        this.files = files;
        this.keys = keys;
        this.bytes = bytes;
        numbers = new LongTable(bytes);
        file = new LineTable(files, KIND, this::read);
        removeEarlier();
    }

    /**
     * Removes the report and the results of the round before from a round of which nothing is queued, and the broken
     * links, which are found again. A crash between the beginning of the round and this is followed by this.
     */
    void removeEarlier() throws IOException {
        if (isQueued) {
            return;
        }
        for (LineFile.Kind kind : List.of(Journal.KIND, JobResults.KIND)) {
            if (files.exists(kind) && !files.isOpen(kind)) {
                files.replace(kind, lines -> {});
            }
        }
        if (files.exists(Fragments.KIND)) {
            Fragments.keepNewest(files);
        }
    }

    private static boolean isPage(String line) {
        return line.startsWith(PAGE) || line.startsWith(LEFT);
    }

    private static boolean isLine(String line) {
        return isPage(line)
                ? KnownPage.isLine(line.substring(PAGE.length()))
                : (line.startsWith(SAME) ? TOUCH : ROUND).matcher(line).matches();
    }

    private void read(long position, String line) throws IOException {
        if (isPage(line)) {
            int end = line.indexOf(' ', PAGE.length());
            int number = Integer.parseInt(line, PAGE.length(), end, RADIX);
            int label = Integer.parseInt(line, end + 1, line.indexOf(' ', end + 1), RADIX);
            String url = line.substring(line.lastIndexOf(' ') + 1);
            note(number, fingerprint(key(label, url)), position, line.startsWith(LEFT));
        } else if (line.startsWith(SAME)) {
            int number = Integer.parseInt(line, SAME.length(), line.indexOf(' ', SAME.length()), RADIX);
            if (isUsed(number)) {
                touches[number] = position;
                left.clear(number);
            }
        } else {
            readRound(position, line);
        }
    }

    private void readRound(long position, String line) {
        String[] words = line.split(" ", -1);
        round = Integer.parseInt(words[1]);
        isEnded = words[2].equals("ended");
        isQueued = !words[2].equals("begun");
        isOnlyDue = words.length > 3;
        roundStart = position;
    }

    /** Returns the number of the last round that has begun. */
    synchronized int round() {
        return round;
    }

    synchronized boolean isEnded() {
        return isEnded;
    }

    /** Returns whether all pages that the last round visits are in the frontier. */
    synchronized boolean isQueued() {
        return isQueued;
    }

    /** Returns whether the last round only visits the pages that are due. */
    synchronized boolean isOnlyDue() {
        return isOnlyDue;
    }

    synchronized int size() {
        return numbers.entries();
    }

    /** Begins a round; {@link #removeEarlier} follows, then the pages are queued. */
    synchronized void begin(boolean onlyDue) {
        isOnlyDue = onlyDue;
        state(round + 1, "begun");
    }

    /** Notes that all pages are queued, once they are safe in the frontier. */
    synchronized void queued() {
        state(round, "queued");
    }

    /** Ends a round that is complete. */
    synchronized void ended() {
        if (!isEnded) {
            state(round, "ended");
        }
    }

    private void state(int number, String state) {
        String line = "round " + number + " " + state + (isOnlyDue ? " due" : "");
        long position = file.add(line);
        file.flush(true);
        readRound(position, line);
    }

    long fingerprint(String key) {
        return Math.max(1, Murmur3.hash(key, files.owner())[0] >>> (Long.SIZE - KnownPage.FINGERPRINT_BITS));
    }

    /** The same URL may be visited as a page, as a sitemap, and as one that is only checked. */
    String key(int label, String url) {
        Target.Kind kind = Target.Kind.of(label);
        return (kind.isCheck() ? CHECK : "") + kind.key(keys.of(url));
    }

    /** Returns what is known of a URL; null when it was not visited. */
    synchronized @Nullable KnownPage find(int label, String url) {
        return find(key(label, url), url, 0);
    }

    /** Returns whether the last visit of a URL belongs to this round, and the URL was not left. */
    synchronized boolean isVisited(int label, String url) {
        KnownPage page = find(key(label, url), url, roundStart);
        return page != null && !left.get(page.number());
    }

    /**
     * Returns the key of the URL to which the URL with a key, a page or a checked one, redirected when that was last
     * known; null when it did not.
     */
    synchronized @Nullable String redirect(boolean isCheck, String key) {
        KnownPage page = find((isCheck ? CHECK : "") + key, null, 0);
        if (page == null || page.content().state() != KnownPage.State.MOVED || page.links().length == 0) {
            return null;
        }
        long link = page.links()[0];
        KnownPage target = page(link < 0 ? number(~link) : link);
        return target == null ? null : keys.of(target.url());
    }

    /** Returns a URL with a line after a position, any with the key (null) or a certain one; reads only such lines. */
    private @Nullable KnownPage find(String key, @Nullable String url, long after) {
        long fingerprint = fingerprint(key);
        int number = number(fingerprint);
        for (int i = 1; number >= 0; number = number(slot(fingerprint, i++))) {
            if (Math.max(positions[number], touches[number]) > after) {
                KnownPage page = get(number);
                if ((url == null || page.url().equals(url))
                        && key(page.label(), page.url()).equals(key)) {
                    return page;
                }
            }
        }
        return null;
    }

    /** Returns the number of a page, the first one added with its fingerprint; -1 when there is none. */
    private int number(long slot) {
        return (int) numbers.get(slot) - 1;
    }

    /** Returns the key of the page that was added after {@code before} others with the same fingerprint. */
    private static long slot(long fingerprint, long before) {
        return fingerprint | before << KnownPage.FINGERPRINT_BITS;
    }

    private boolean isUsed(long number) {
        return number >= 0 && number < end && positions[(int) number] != 0;
    }

    private KnownPage get(int number) {
        try {
            KnownPage page = KnownPage.parse(file.line(positions[number]).substring(PAGE.length()));
            if (touches[number] == 0) {
                return page;
            }
            String[] same = file.line(touches[number]).split(" ", -1);
            return page.visited(new KnownPage.Visits(
                    Integer.parseInt(same[2], RADIX),
                    Integer.parseInt(same[5], RADIX),
                    Long.parseLong(same[3], RADIX),
                    page.visits().lastChange(),
                    Integer.parseInt(same[4], RADIX)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void note(int number, long fingerprint, long position, boolean isLeft) throws IOException {
        if (!isUsed(number)) {
            long slot = fingerprint;
            for (int i = 1; number(slot) >= 0; i++) {
                slot = slot(fingerprint, i);
            }
            requireRoom();
            numbers.put(slot, number + 1L);
            end = Math.max(end, number + 1);
            if (end > positions.length) {
                int length = Math.max(end, positions.length + positions.length / 2);
                positions = Arrays.copyOf(positions, length);
                touches = Arrays.copyOf(touches, length);
            }
        }
        positions[number] = position;
        touches[number] = 0;
        left.set(number, isLeft);
    }

    private void requireRoom() throws IOException {
        if (numbers.isFull()) {
            throw new IOException(String.format(
                    Locale.ROOT,
                    "%s: a job that is crawled in rounds has at most %,d pages; crawl the others in another one",
                    KIND.name(),
                    numbers.entries()));
        }
    }

    /** Adds a page, or what is new of it, and whether it is still in the frontier. */
    synchronized void add(KnownPage page, boolean isLeft) {
        KnownPage known = page.number() < 0 ? find(page.label(), page.url()) : page;
        int number = known == null ? end : known.number();
        KnownPage numbered = page.with(number, page.discovery().referrer(), page.links());
        try {
            if (known == null) {
                requireRoom();
            }
            long position = file.add((isLeft ? LEFT : PAGE) + numbered.line());
            note(number, fingerprint(key(page.label(), page.url())), position, isLeft);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Notes a visit that has changed only visits, time, interval and status of a page. */
    synchronized void touch(KnownPage page) {
        KnownPage.Visits visits = page.visits();
        String line = SAME + text(page.number()) + " " + text(visits.count()) + " " + text(visits.last()) + " "
                + text(visits.interval()) + " " + text(visits.status());
        touches[page.number()] = file.add(line);
        left.clear(page.number());
    }

    /** Hands what was added to the operating system, and forces it to the disk if {@code isForced}. */
    synchronized void flush(boolean isForced) {
        file.flush(isForced);
    }

    /** Passes on pages, in the order of their numbers, until one is not accepted; returns whether all were. */
    boolean all(Predicate<KnownPage> pages) {
        for (int number = 0; number < last(); number++) {
            KnownPage page = page(number);
            if (page != null && !pages.test(page)) {
                return false;
            }
        }
        return true;
    }

    private synchronized int last() {
        return end;
    }

    /** Returns a page by its number; null when there is none. */
    synchronized @Nullable KnownPage page(long number) {
        return isUsed(number) ? get((int) number) : null;
    }

    /**
     * Completes the round: replaces the file by one with a line per page. What is visited after that is visited once
     * more in this round, until it has {@linkplain #ended}.
     *
     * @param isOpen whether URLs are left in the frontier, so that links to them have to be kept
     * @param isSeed whether a URL is a seed, to which no page needs to link
     * @param hasToEnd called for each page; when it returns true, nothing has changed
     * @return the round with the pages to which no other one links
     * @throws CancellationException when {@code hasToEnd} has returned true
     */
    synchronized Round complete(boolean isOpen, Predicate<String> isSeed, BooleanSupplier hasToEnd) throws IOException {
        BitSet linked = new BitSet(end);
        LineFile.Writing last = lines -> {
            for (int number = 0; number < end; number++) {
                if (hasToEnd.getAsBoolean()) {
                    throw new CancellationException();
                }
                if (isUsed(number)) {
                    KnownPage page = get(number);
                    long[] links = resolved(page.links(), isOpen);
                    for (long link : links) {
                        linked.set(link < 0 || link == number ? end : (int) link);
                    }
                    long[] referrer = resolved(new long[] {page.discovery().referrer()}, true);
                    lines.accept(PAGE + page.with(number, referrer[0], links).line());
                }
            }
            lines.accept("round " + round + " queued" + (isOnlyDue ? " due" : ""));
        };
        file.replace(last, this::clear, this::read);
        return round(linked, isSeed);
    }

    private void clear() {
        positions = new long[positions.length];
        touches = new long[positions.length];
        numbers = new LongTable(bytes);
        left = new BitSet();
        end = 0;
    }

    /** Returns references as numbers where they have one; others are kept or left out. */
    private long[] resolved(long[] references, boolean keepsOthers) {
        long[] resolved = new long[references.length];
        int count = 0;
        for (long reference : references) {
            long number = reference >= 0 || reference == KnownPage.NO_REFERRER ? reference : number(~reference);
            if (number != -1) {
                resolved[count++] = number;
            } else if (keepsOthers) {
                resolved[count++] = reference;
            }
        }
        long[] sorted = Arrays.copyOf(resolved, count);
        Arrays.sort(sorted);
        return sorted;
    }

    private Round round(BitSet linked, Predicate<String> isSeed) {
        List<String> orphans = new ArrayList<>();
        long count = 0;
        for (int number = linked.nextClearBit(0); number < end; number = linked.nextClearBit(number + 1)) {
            KnownPage page = page(number);
            if (page != null && page.isCrawledPage() && !isSeed.test(page.url())) {
                count++;
                if (orphans.size() < ORPHANS) {
                    orphans.add(page.url());
                }
            }
        }
        return new Round(round, orphans, count);
    }
}
