package dev.sieve.demo;

import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The pages of a demo web and everything they link to, computed from a seed and a page number on every call. Only the
 * hosts are held in memory. Immutable, so safe for use by many threads.
 *
 * <p>A page may have redirects before it; all links to it then go through them. A page may also link to one extra: a
 * ring of redirects, a missing or disallowed document, or a redirect to a disallowed one.
 *
 * <p>The URL of a place contains its page number, so places are found without a table.
 */
record SiteMap(long seed, Hosts hosts, int port) {
    private static final String[] FOLDERS = {
        "archive", "articles", "atlas", "blog", "catalogue", "docs", "essays", "events", "gallery", "guides", "help",
        "history", "letters", "library", "maps", "news", "notes", "papers", "people", "recipes", "reviews", "shop",
        "stories", "travel"
    };
    private static final String[] ADJECTIVES = {
        "amber", "autumn", "blue", "bright", "calm", "clear", "cold", "deep", "early", "eastern", "empty", "fallen",
        "gentle", "golden", "green", "hidden", "high", "late", "little", "long", "northern", "old", "open", "pale",
        "quiet", "red", "silver", "slow", "small", "still", "western", "young"
    };
    private static final String[] NOUNS = {
        "bay", "bridge", "brook", "cliff", "cloud", "coast", "field", "forest", "garden", "glade", "harbour", "heath",
        "hill", "island", "lake", "lane", "leaf", "meadow", "mill", "moor", "orchard", "pine", "pond", "rain",
        "ridge", "river", "road", "shore", "stone", "tower", "valley", "wind"
    };

    private static final int[] HOP_STATUS = {301, 302, 307, 308};
    /** The last number in a target and, in a row or ring of redirects, the step after it. */
    private static final Pattern PAGE_AND_STEP = Pattern.compile(".*?([0-9]{1,10})(?:/([0-9])|[^0-9]*)");

    /** What a URL of this web leads to. */
    enum What {
        /** A page, with status 200. */
        PAGE("/"),
        /** One of the redirects before a page; there may be several in a row, on several hosts. */
        HOP("/go/"),
        /** A redirect in a ring of redirects. */
        LOOP("/loop/"),
        /** A redirect to a document that robots.txt disallows. */
        LEAK("/leak/"),
        /** A document that robots.txt disallows. */
        PRIVATE("/private/"),
        /** Status 404. */
        MISSING("/missing/");

        private final String folder;

        What(String folder) {
            this.folder = folder;
        }
    }

    /** The type of document of a page. */
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
     * @param page the page that it is or belongs to
     * @param step its position in a row or ring of redirects, from 0
     */
    record Place(int page, What what, int step) {}

    /** Whether a host has a robots.txt with rules; the others respond with 404. */
    boolean hasRules(int host) {
        return host % 5 != 4;
    }

    boolean isSlow(int page) {
        return page != 0 && roll("SLOW", page, 50) == 0;
    }

    /** Whether a single link leads to a page: an unusual one, on its parent page. */
    boolean isShy(int page) {
        return roll("SHY", page, 20) == 0 && !hosts.isStartPage(page);
    }

    /** Returns the type of a page; the pages that have children can hold links. */
    Kind kind(int page) {
        int roll = roll("KIND", page, 50);
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

    Dice dice(int page) {
        return new Dice(Dice.hash(seed, -1, page));
    }

    /** Returns where links to a page lead: to the page, or to the first redirect before it. */
    Place entry(int page) {
        return new Place(page, hops(page) > 0 ? What.HOP : What.PAGE, 0);
    }

    /** Returns the kind of link that a page has in addition to those to pages; null if it has none. */
    @Nullable
    What extra(int page) {
        int roll = roll("EXTRA", page, 100);
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
        if (page == 0 || roll("HAS_HOPS", page, 12) != 0) {
            return 0;
        }
        return roll("MANY_HOPS", page, 10) < 7 ? 1 : 2 + roll("HOPS", page, 8);
    }

    private int loopLength(int page) {
        return 1 + roll("LOOP_LENGTH", page, 3);
    }

    /** Returns all that an obedient crawl requests because of a page, including the page. */
    Stream<Place> visited(int page) {
        What extra = extra(page);
        Stream<Place> extras = extra == null || extra == What.PRIVATE
                ? Stream.empty()
                : row(page, extra, extra == What.LOOP ? loopLength(page) : 1);
        return Stream.of(row(page, What.HOP, hops(page)), row(page, What.PAGE, 1), extras)
                .flatMap(Function.identity());
    }

    /** Returns what an obedient crawl finds because of a page and must not request. */
    Stream<Place> forbidden(int page) {
        What extra = extra(page);
        return row(page, What.PRIVATE, extra == What.PRIVATE || extra == What.LEAK ? 1 : 0);
    }

    private static Stream<Place> row(int page, What what, int length) {
        return IntStream.range(0, length).mapToObj(step -> new Place(page, what, step));
    }

    int status(Place place) {
        return switch (place.what()) {
            case PAGE, PRIVATE -> 200;
            case HOP -> HOP_STATUS[roll("HOP_STATUS", 10 * place.page() + place.step(), HOP_STATUS.length)];
            case LOOP, LEAK -> 302;
            case MISSING -> 404;
        };
    }

    /** Returns the place that a place redirects to; null if it is not a redirect. */
    @Nullable
    Place next(Place place) {
        int page = place.page();
        int step = place.step() + 1;
        return switch (place.what()) {
            case HOP -> step < hops(page) ? new Place(page, What.HOP, step) : place(page);
            case LOOP -> new Place(page, What.LOOP, step % loopLength(page));
            case LEAK -> new Place(page, What.PRIVATE, 0);
            case PAGE, PRIVATE, MISSING -> null;
        };
    }

    int host(Place place) {
        int index = 10 * place.page() + place.step();
        if (place.what() == What.HOP && roll("HOP_ABROAD", index, 4) == 0) {
            return roll("HOP_HOST", index, hosts.hosts());
        }
        return hosts.hostOf(place.page());
    }

    /** Returns the URL of a place in its normal spelling. */
    String url(Place place) {
        return "http://" + hosts.name(host(place)) + ":" + port + target(place);
    }

    /** Returns the path and query of a place. */
    String target(Place place) {
        String name = place.what().folder + adjective(place.page()) + "-" + noun(place.page()) + "-" + place.page();
        return switch (place.what()) {
            case PAGE -> pageTarget(place.page());
            case HOP, LOOP -> name + "/" + place.step();
            case LEAK -> name;
            case PRIVATE, MISSING -> name + ".html";
        };
    }

    private String pageTarget(int page) {
        if (hosts.isStartPage(page)) {
            return "/";
        }
        String folder = "/" + word(FOLDERS, "FOLDER", page) + "/";
        String suffix = kind(page).suffix;
        return switch (roll("STYLE", page, 10)) {
            case 0 -> "/~" + noun(page) + "/" + adjective(page) + "-" + page + suffix;
            case 1 -> folder + "caf%C3%A9-" + noun(page) + "-" + page + suffix;
            case 2 -> folder + "view?topic=" + noun(page) + "&id=" + page;
            case 3, 4 -> folder + adjective(page) + "-" + noun(page) + "-" + page + "/";
            default -> folder + adjective(page) + "-" + noun(page) + "-" + page + suffix;
        };
    }

    String adjective(int page) {
        return word(ADJECTIVES, "ADJECTIVE", page);
    }

    String noun(int page) {
        return word(NOUNS, "NOUN", page);
    }

    /** Returns the place with this path and query on a host; null if there is none. */
    @Nullable
    Place find(int host, String target) {
        if (target.equals("/")) {
            return place(hosts.startPage(host));
        }
        Matcher numbers = PAGE_AND_STEP.matcher(target);
        if (!numbers.matches() || Long.parseLong(numbers.group(1)) >= hosts.pages()) {
            return null;
        }
        What what = Stream.of(What.values())
                .skip(1)
                .filter(other -> target.startsWith(other.folder))
                .findFirst()
                .orElse(What.PAGE);
        int page = Integer.parseInt(numbers.group(1));
        Place place = new Place(page, what, numbers.group(2) == null ? 0 : Integer.parseInt(numbers.group(2)));
        boolean exists = Stream.concat(visited(page), forbidden(page)).anyMatch(place::equals);
        return exists && host(place) == host && target(place).equals(target) ? place : null;
    }

    private String word(String[] words, String purpose, int page) {
        return words[roll(purpose, page, words.length)];
    }

    private int roll(String purpose, int index, int bound) {
        return Dice.below(bound, Dice.hash(seed, purpose.hashCode(), index));
    }
}
