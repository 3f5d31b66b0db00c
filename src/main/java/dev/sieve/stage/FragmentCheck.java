package dev.sieve.stage;

import dev.sieve.io.LineFile;
import dev.sieve.io.LongTable;
import dev.sieve.io.LruMap;
import dev.sieve.url.Fragment;
import java.io.IOException;
import java.nio.LongBuffer;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the links to parts that their pages do not have, in four passes over {@link Fragments}: which pages are known,
 * which parts of them have links, which of these parts exist, and which links are therefore broken. The memory for each
 * of these has a limit; links for which it does not suffice are only counted.
 *
 * <p>A link is checked if its page, or that to which its page redirects, was read completely. A check that has to end
 * is not noted as complete: the next one passes on the broken links that are left. Not safe for use by many threads.
 */
final class FragmentCheck {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.crawl");

    /** The heap of each table: that of 1,500,000 entries. */
    static final int TABLE_BYTES = 32 << 20;

    /** The heap of the URLs of pages to which broken links lead, so that the line of such a page is read once. */
    private static final int URL_BYTES = 16 << 20;

    private static final int MOST_HOPS = 10;
    /** Broken links whose records are stored together. */
    private static final int GROUP = 512;

    // What is known of a page, in the last bits of its entry; the others are the position of its line.
    private static final int KIND_BITS = 2;
    private static final int KINDS = (1 << KIND_BITS) - 1;
    private static final int WHOLE = 1;
    private static final int MOVED = 2;

    /** Stands for the target of a redirect that has a fragment of its own. */
    private static final long OWN_FRAGMENT = 1;

    // What is known of a part to which a page links.
    private static final int LINKED = 1;
    private static final int EXISTS = 2;

    /** Of a target to which a broken link was found. */
    private static final int FOUND = 2;

    private final Fragments fragments;
    private final Receiver receiver;
    private final boolean checksRoutes;
    private final BooleanSupplier hasToEnd;
    private final LruMap<String> urls = new LruMap<>(URL_BYTES, String::length);
    private final LongTable pages;
    private final LongTable moves;
    private final LongTable parts;
    /** Broken links that were passed on; and the targets of those that this check has found. */
    private final LongTable recorded;

    private final long[] group = new long[GROUP];
    private int grouped;
    private boolean isFull;
    private long links;
    private long found;
    private long missing;
    private long unknown;
    private long routes;

    /** Thrown by a pass when the check has to end. */
    private static final class CutShortException extends IOException {
        private static final long serialVersionUID = 1;
    }

    interface Receiver {
        /**
         * Receives a broken link by its target with the fragment, and whether it is the first one to this target, and
         * whether an earlier check of the same pages has passed it on.
         */
        void missing(String page, int depth, String url, boolean isFirst, boolean isRecorded);

        void flush();
    }

    /**
     * The numbers of links to a part of a page: distinct ones of each page.
     *
     * @param unknown those to pages that were not read, or not completely
     * @param routes those that are left out as {@linkplain Fragment#isRoute routes}
     * @param isComplete whether all links were checked
     */
    record Result(long found, long missing, long unknown, long routes, boolean isComplete) {}

    /**
     * Creates a check.
     *
     * @param checksRoutes whether a {@linkplain Fragment#isRoute route} has to be a part of the page like others
     * @param hasToEnd called for each line and link; the check ends when it returns true
     * @param tableBytes the heap of each table; {@link #TABLE_BYTES} but for tests
     */
    FragmentCheck(
            Fragments fragments, Receiver receiver, boolean checksRoutes, BooleanSupplier hasToEnd, int tableBytes) {
        this.fragments = fragments;
        this.receiver = receiver;
        this.checksRoutes = checksRoutes;
        this.hasToEnd = hasToEnd;
        pages = new LongTable(tableBytes);
        moves = new LongTable(tableBytes / 4);
        parts = new LongTable(tableBytes);
        recorded = new LongTable(tableBytes / 2);
    }

    /** Passes on the broken links, and notes that they were. */
    Result run() throws IOException {
        boolean isComplete = runPasses();
        store();
        if (isComplete) {
            fragments.checked();
        } else {
            long left = Math.max(1, links - found - missing - unknown - routes);
            unknown += left;
            LOG.warn(
                    "the check of links to parts of pages was cut short, at least {} were not checked; if the crawl has a"
                            + " job, the same command continues it",
                    left);
        }
        if (isFull) {
            LOG.warn("too many pages, or links to parts of pages, for the memory: some were not checked");
        }
        return new Result(found, missing, unknown, routes, isComplete);
    }

    private boolean runPasses() throws IOException {
        try {
            fragments.read(this::note);
            fragments.read(newest((page, line) -> line.links(fragments, this::noteLink)));
            fragments.read(newest(this::findParts));
            fragments.read(newest(
                    (page, line) -> line.links(fragments, (target, fragment) -> check(page, line, target, fragment))));
            return true;
        } catch (CutShortException e) {
            return false;
        }
    }

    private void endIfCutShort() throws CutShortException {
        if (hasToEnd.getAsBoolean()) {
            throw new CutShortException();
        }
    }

    private interface Action {
        void accept(long page, Fragments.Line line) throws IOException;
    }

    /** Returns a receiver of lines that only passes on the newest one of each page. */
    private LineFile.Lines newest(Action action) {
        return (position, text) -> {
            endIfCutShort();
            if (Fragments.isPage(text)) {
                Fragments.Line line = Fragments.Line.of(text);
                long page = fragments.pageHash(line.url());
                long last = pages.get(page);
                if (last == 0 || last >> KIND_BITS == position) {
                    action.accept(page, line);
                }
            }
        };
    }

    private void note(long position, String text) throws CutShortException {
        endIfCutShort();
        if (text.startsWith(Fragments.RECORDED)) {
            for (LongBuffer hashes = Fragments.longs(text.substring(Fragments.RECORDED.length()));
                    hashes.hasRemaining(); ) {
                put(recorded, hashes.get(), 1);
            }
        } else if (Fragments.isPage(text)) {
            Fragments.Line line = Fragments.Line.of(text);
            long page = fragments.pageHash(line.url());
            put(pages, page, position << KIND_BITS | (line.isMoved() ? MOVED : line.isWhole() ? WHOLE : 0));
            if (line.isMoved()) {
                boolean hasFragment = line.rest().indexOf('#') >= 0;
                put(moves, page, hasFragment ? OWN_FRAGMENT : fragments.pageHash(line.target()));
            }
        }
    }

    private void put(LongTable table, long key, long value) {
        isFull |= !table.put(key, value);
    }

    /** Returns the page to which redirects lead, or {@link #OWN_FRAGMENT}. */
    private long destination(long page) {
        long next = page;
        for (int i = 0; i < MOST_HOPS && (pages.get(next) & KINDS) == MOVED && moves.get(next) != 0; i++) {
            next = moves.get(next);
        }
        return next;
    }

    private boolean isWhole(long page) {
        return (pages.get(page) & KINDS) == WHOLE;
    }

    private static long key(long page, long name) {
        long mixed = (page ^ Long.rotateLeft(name, 32)) * 0x9e3779b97f4a7c15L;
        return (mixed ^ (mixed >>> 29) ^ name) * 0xbf58476d1ce4e5b9L;
    }

    private void noteLink(long target, String fragment) throws CutShortException {
        endIfCutShort();
        links++;
        long page = destination(target);
        if (isWhole(page)) {
            put(parts, key(page, fragments.hash(fragment)), LINKED);
            String decoded = Fragment.decoded(fragment);
            if (!decoded.equals(fragment)) {
                put(parts, key(page, fragments.hash(decoded)), LINKED);
            }
        }
    }

    private void findParts(long page, Fragments.Line line) {
        if (line.isWhole()) {
            for (LongBuffer names = line.parts(); names.hasRemaining(); ) {
                long key = key(page, names.get());
                if (parts.get(key) != 0) {
                    parts.put(key, EXISTS);
                }
            }
        }
    }

    private void check(long page, Fragments.Line line, long target, String fragment) throws IOException {
        endIfCutShort();
        long destination = destination(target);
        String decoded = Fragment.decoded(fragment);
        long name = fragments.hash(fragment);
        long state = parts.get(key(destination, name));
        long decodedState = parts.get(key(destination, fragments.hash(decoded)));
        if (destination == OWN_FRAGMENT || state == EXISTS || decodedState == EXISTS || Fragment.isTop(decoded)) {
            found++;
        } else if (!checksRoutes && Fragment.isRoute(fragment)) {
            routes++;
        } else if (!isWhole(destination) || state == 0 || decodedState == 0) {
            unknown++;
        } else {
            missing++;
            long part = key(target, name);
            long link = key(page, part);
            pass(line, url(target) + "#" + fragment, recorded.get(part) != FOUND, link);
            recorded.put(part, FOUND);
        }
    }

    private String url(long page) throws IOException {
        String key = Long.toString(page);
        String known = urls.get(key);
        if (known != null) {
            return known;
        }
        String url =
                Fragments.Line.of(fragments.line(pages.get(page) >> KIND_BITS)).url();
        urls.put(key, url);
        return url;
    }

    private void pass(Fragments.Line line, String url, boolean isFirst, long link) {
        boolean isRecorded = recorded.get(link) != 0;
        receiver.missing(line.url(), line.depth(), url, isFirst, isRecorded);
        if (isRecorded) {
            return;
        }
        recorded.put(link, 1);
        group[grouped++] = link;
        if (grouped == GROUP) {
            store();
        }
    }

    /** Has the records stored before they are noted, so that after a crash none is missing. */
    private void store() {
        if (grouped > 0) {
            receiver.flush();
            fragments.recorded(Arrays.copyOf(group, grouped));
            grouped = 0;
        }
    }
}
