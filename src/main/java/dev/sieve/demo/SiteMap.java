package dev.sieve.demo;

import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What there is on a demo web and where: its pages and all that pages link to, computed from a seed and a number
 * whenever it is asked for. Only the hosts are held in memory. Immutable, so safe for use by many threads.
 *
 * <p>A page may have redirects before it, and then no link leads to it but through them. A page may have one thing
 * besides to link to: a ring of redirects, something missing, something disallowed, or a redirect to that.
 *
 * <p>The URL of a place holds the number of its page, so that a place is found again without a table.
 */
final class SiteMap {
    private static final int[] HOP_STATUS = {301, 302, 307, 308};

    /** What a URL of this web leads to. */
    enum What {
        /** A page, with status 200. */
        PAGE("/"),
        /** One of the redirects before a page; there may be some in a row, and over other hosts. */
        HOP("/go/"),
        /** A redirect in a ring of redirects. */
        LOOP("/loop/"),
        /** A redirect to what robots.txt disallows. */
        LEAK("/leak/"),
        /** Something that robots.txt disallows. */
        PRIVATE("/private/"),
        /** Nothing: status 404. */
        MISSING("/missing/");

        private final String folder;

        What(String folder) {
            this.folder = folder;
        }
    }

    /** What kind of document a page is. */
    enum Kind {
        HTML(".html"),
        FRAMES(".html"),
        TEXT(".txt"),
        PDF(".pdf");

        private final String suffix;

        Kind(String suffix) {
            this.suffix = suffix;
        }
    }

    /**
     * One URL of the web.
     *
     * @param page the page that it is, or that it hangs on
     * @param what what it is
     * @param step its position in a row or ring of redirects, from 0
     */
    record Place(int page, What what, int step) {}

    /** What a number is rolled for. */
    private enum Roll {
        STYLE,
        KIND,
        FOLDER,
        ADJECTIVE,
        NOUN,
        HAS_HOPS,
        MANY_HOPS,
        HOPS,
        HOP_ABROAD,
        HOP_HOST,
        HOP_STATUS,
        EXTRA,
        LOOP_LENGTH,
        SLOW,
        SHY
    }

    private final long seed;
    private final int port;
    private final Hosts hosts;

    SiteMap(long seed, Hosts hosts, int port) {
        this.seed = seed;
        this.hosts = hosts;
        this.port = port;
    }

    Hosts hosts() {
        return hosts;
    }

    int port() {
        return port;
    }

    /** Whether a host has a robots.txt with rules; the others answer 404 for it. */
    boolean hasRules(int host) {
        return host % 5 != 4;
    }

    /** Whether a page takes its time. */
    boolean isSlow(int page) {
        return page != 0 && roll(Roll.SLOW, page, 50) == 0;
    }

    /** Whether only one link leads to a page, from the page that it hangs on, and that is no ordinary one. */
    boolean isShy(int page) {
        return roll(Roll.SHY, page, 20) == 0 && !hosts.isStartPage(page);
    }

    /** What kind of document a page is; where others hang on it, one that can hold links. */
    Kind kind(int page) {
        int roll = roll(Roll.KIND, page, 50);
        if (roll > 4 || hosts.isStartPage(page)) {
            return Kind.HTML;
        }
        if (roll == 4 || !hosts.isLeaf(page)) {
            return Kind.FRAMES;
        }
        return roll < 2 ? Kind.TEXT : Kind.PDF;
    }

    Place place(int page) {
        return new Place(page, What.PAGE, 0);
    }

    /** The dice that what stands on a page is rolled with. */
    Dice dice(int page) {
        return new Dice(Dice.hash(seed, -1, page));
    }

    /** Where links to a page lead: to itself, or to the first redirect before it. */
    Place entry(int page) {
        return new Place(page, hops(page) > 0 ? What.HOP : What.PAGE, 0);
    }

    /** What a page links to besides pages; null when nothing. */
    Place extra(int page) {
        What what = extraKind(page);
        return what == null ? null : new Place(page, what, 0);
    }

    private What extraKind(int page) {
        int roll = roll(Roll.EXTRA, page, 100);
        if (roll >= 12 || kind(page) != Kind.HTML) {
            return null;
        }
        if (roll < 6) {
            return roll < 4 ? What.MISSING : What.LOOP;
        }
        if (!hasRules(hosts.hostOf(page))) {
            return null;
        }
        return roll < 10 ? What.PRIVATE : What.LEAK;
    }

    private int hops(int page) {
        if (page == 0 || roll(Roll.HAS_HOPS, page, 12) != 0) {
            return 0;
        }
        return roll(Roll.MANY_HOPS, page, 10) < 7 ? 1 : 2 + roll(Roll.HOPS, page, 8);
    }

    private int loopLength(int page) {
        return 1 + roll(Roll.LOOP_LENGTH, page, 3);
    }

    /** All that an obedient crawl asks for because of a page, the page itself included. */
    Stream<Place> visited(int page) {
        Stream<Place> places = Stream.concat(row(page, What.HOP, hops(page)), row(page, What.PAGE, 1));
        What extra = extraKind(page);
        if (extra == null || extra == What.PRIVATE) {
            return places;
        }
        return Stream.concat(places, row(page, extra, extra == What.LOOP ? loopLength(page) : 1));
    }

    /** What an obedient crawl finds because of a page and may not ask for. */
    Stream<Place> forbidden(int page) {
        What extra = extraKind(page);
        return row(page, What.PRIVATE, extra == What.PRIVATE || extra == What.LEAK ? 1 : 0);
    }

    private static Stream<Place> row(int page, What what, int length) {
        return IntStream.range(0, length).mapToObj(step -> new Place(page, what, step));
    }

    int status(Place place) {
        return switch (place.what()) {
            case PAGE, PRIVATE -> 200;
            case HOP -> HOP_STATUS[roll(Roll.HOP_STATUS, 10 * place.page() + place.step(), HOP_STATUS.length)];
            case LOOP, LEAK -> 302;
            case MISSING -> 404;
        };
    }

    /** Where a place redirects to; null when it does not. */
    Place next(Place place) {
        int page = place.page();
        int step = place.step() + 1;
        return switch (place.what()) {
            case HOP -> step < hops(page) ? new Place(page, What.HOP, step) : new Place(page, What.PAGE, 0);
            case LOOP -> new Place(page, What.LOOP, step % loopLength(page));
            case LEAK -> new Place(page, What.PRIVATE, 0);
            case PAGE, PRIVATE, MISSING -> null;
        };
    }

    /** The host that a place is on. */
    int host(Place place) {
        int index = 10 * place.page() + place.step();
        if (place.what() == What.HOP && roll(Roll.HOP_ABROAD, index, 4) == 0) {
            return roll(Roll.HOP_HOST, index, hosts.hosts());
        }
        return hosts.hostOf(place.page());
    }

    /** The one spelling of a place's URL. */
    String url(Place place) {
        return "http://" + hosts.name(host(place)) + ":" + port + target(place);
    }

    /** Path and query of a place. */
    String target(Place place) {
        int page = place.page();
        String name = place.what().folder + adjective(page) + "-" + noun(page) + "-" + page;
        return switch (place.what()) {
            case PAGE -> pageTarget(page);
            case HOP, LOOP -> name + "/" + place.step();
            case LEAK -> name;
            case PRIVATE, MISSING -> name + ".html";
        };
    }

    private String pageTarget(int page) {
        if (hosts.isStartPage(page)) {
            return "/";
        }
        String folder = "/" + Words.folder(roll(Roll.FOLDER, page)) + "/";
        String suffix = kind(page).suffix;
        return switch (roll(Roll.STYLE, page, 10)) {
            case 0 -> "/~" + noun(page) + "/" + adjective(page) + "-" + page + suffix;
            case 1 -> folder + "caf%C3%A9-" + noun(page) + "-" + page + suffix;
            case 2 -> folder + "view?topic=" + noun(page) + "&id=" + page;
            case 3, 4 -> folder + adjective(page) + "-" + noun(page) + "-" + page + "/";
            default -> folder + adjective(page) + "-" + noun(page) + "-" + page + suffix;
        };
    }

    String adjective(int page) {
        return Words.adjective(roll(Roll.ADJECTIVE, page));
    }

    String noun(int page) {
        return Words.noun(roll(Roll.NOUN, page));
    }

    /** The place with this path and query on a host; null when there is none. */
    Place find(int host, String target) {
        if (target.equals("/")) {
            return new Place(hosts.startPage(host), What.PAGE, 0);
        }
        What what = Arrays.stream(What.values())
                .skip(1)
                .filter(other -> target.startsWith(other.folder))
                .findFirst()
                .orElse(What.PAGE);
        boolean stepped = what == What.HOP || what == What.LOOP;
        int slash = stepped ? target.lastIndexOf('/') : target.length();
        long page = lastNumber(target.substring(0, slash));
        long step = stepped ? lastNumber(target.substring(slash)) : 0;
        if (page < 0 || page >= hosts.pages() || step < 0 || step > 9) {
            return null;
        }
        Place place = new Place((int) page, what, (int) step);
        return exists(place) && host(place) == host && target(place).equals(target) ? place : null;
    }

    private boolean exists(Place place) {
        return Stream.concat(visited(place.page()), forbidden(place.page())).anyMatch(place::equals);
    }

    /** The last number in a text; negative when there is none of at most ten digits. */
    private static long lastNumber(String text) {
        int end = text.length();
        while (end > 0 && !isDigit(text.charAt(end - 1))) {
            end--;
        }
        int start = end;
        while (start > 0 && isDigit(text.charAt(start - 1))) {
            start--;
        }
        return start == end || end - start > 10 ? -1 : Long.parseLong(text, start, end, 10);
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private int roll(Roll roll, int index, int bound) {
        return Dice.below(bound, roll(roll, index));
    }

    private long roll(Roll roll, int index) {
        return Dice.hash(seed, roll.name().hashCode(), index);
    }
}
