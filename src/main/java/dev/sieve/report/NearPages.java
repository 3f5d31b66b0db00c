package dev.sieve.report;

import dev.sieve.parse.Sketch;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds pages whose sketches are near each other. Only pages whose sketches have the same bits in one of several blocks
 * are compared: locality-sensitive hashing (Indyk and Motwani, STOC 1998). Of two sketches that differ in as many bits
 * as near ones may, that is so for all but one of 50,000. Not safe for use by many threads.
 */
final class NearPages {
    private static final int BLOCKS = 32;
    private static final int BLOCK_BITS = 16;
    /** A site that is made to have the same bits in many blocks does not make a report take long. */
    private static final long MOST_COMPARISONS = 20_000_000;

    private final int limit;
    private final List<Page> pages = new ArrayList<>();
    private long leftOut;
    /** Pages that were not compared with later ones, since that took too long. */
    private long unfinished;

    private record Page(String url, Sketch sketch) {}

    /** Pages that have something in common: how many, and the first ones. */
    static final class Group {
        private static final int LISTED = 10;

        final String name;
        final List<String> pages = new ArrayList<>(1);

        long count;
        /** How many pages name the first one as their canonical URL. */
        long declared;

        /** Creates a group without a page. Its name is what the pages have in common. */
        Group(String name) {
            this.name = name;
        }

        void add(String page) {
            count++;
            if (pages.size() < LISTED) {
                pages.add(page);
            }
        }

        /** Adds a page that names the first of the group as its canonical URL. */
        void addDeclared(String page) {
            declared++;
            add(page);
        }
    }

    NearPages(int limit) {
        this.limit = limit;
    }

    /** Adds a page; one without a sketch, or beyond the limit, is not compared. */
    void add(String url, @Nullable Sketch sketch) {
        if (sketch == null) {
            return;
        }
        if (pages.size() < limit) {
            pages.add(new Page(url, sketch));
        } else {
            leftOut++;
        }
    }

    /** Returns whether no page had a sketch. */
    boolean isEmpty() {
        return pages.isEmpty();
    }

    /** Returns how many pages were not compared, or not with all others when {@link #groups} was last called. */
    long leftOut() {
        return leftOut + unfinished;
    }

    /** Returns groups of the pages that are near the first of each group, the largest first. A page is in one group only. */
    List<Group> groups() {
        List<Block> blocks = blocks();
        BitSet grouped = new BitSet(pages.size());
        List<Group> groups = new ArrayList<>();
        long comparisons = 0;
        unfinished = 0;
        for (int first = 0; first < pages.size(); first++) {
            if (grouped.get(first)) {
                continue;
            }
            if (comparisons >= MOST_COMPARISONS) {
                unfinished++;
                continue;
            }
            Group group = new Group(pages.get(first).url);
            for (int block = 0; block < BLOCKS; block++) {
                // Those after the first one: earlier ones are in a group or were compared with it.
                for (int other = blocks.get(block).next[first]; other > 0; other = blocks.get(block).next[other]) {
                    comparisons++;
                    if (!grouped.get(other) && isNear(first, other)) {
                        if (group.count == 0) {
                            group.add(pages.get(first).url);
                        }
                        grouped.set(other);
                        group.add(pages.get(other).url);
                    }
                }
            }
            if (group.count > 0) {
                groups.add(group);
            }
        }
        groups.sort(Comparator.comparingLong(group -> -group.count));
        return groups;
    }

    private boolean isNear(int one, int other) {
        return pages.get(one).sketch.distance(pages.get(other).sketch) <= Sketch.NEAR;
    }

    /** For each page, the next one with the same bits in a block; 0 for none. */
    @SuppressWarnings("ArrayRecordComponent") // blocks are not compared
    private record Block(int[] next) {}

    private List<Block> blocks() {
        List<Block> blocks = new ArrayList<>();
        for (int block = 0; block < BLOCKS; block++) {
            int[] next = new int[pages.size()];
            int[] heads = new int[1 << BLOCK_BITS];
            for (int page = pages.size() - 1; page >= 0; page--) {
                next[page] = heads[bits(page, block)];
                heads[bits(page, block)] = page;
            }
            blocks.add(new Block(next));
        }
        return blocks;
    }

    private int bits(int page, int block) {
        return pages.get(page).sketch.bits(block * BLOCK_BITS, (block + 1) * BLOCK_BITS);
    }
}
