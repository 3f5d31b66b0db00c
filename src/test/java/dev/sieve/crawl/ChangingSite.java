package dev.sieve.crawl;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import dev.sieve.output.Change;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A site whose pages change from round to round by a script, each in one way. It says what a crawl has to find out: the
 * change of each page, from the script alone.
 */
public final class ChangingSite implements AutoCloseable {
    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM uuuu HH:mm:ss 'GMT'", Locale.US)
            .withZone(ZoneOffset.UTC);

    private static final int PER_INDEX = 50;

    /** How a page changes. */
    private enum Script {
        STABLE_WITH_TAG,
        STABLE_WITH_DATE,
        STABLE,
        CHANGES_WITH_TAG,
        CHANGES_WITH_DATE,
        CHANGES,
        MARKUP,
        /** The entity tag stays although the body changes: the server says that it is not modified. */
        TAG_LIES,
        /** The entity tag changes although the body does not. */
        TAG_IS_RESTLESS,
        MOVES,
        GOES,
        FAILS,
        APPEARS,
        LOSES_ITS_LINK;

        private boolean hasPage(int round) {
            return this != APPEARS || round >= 3;
        }
    }

    private final Site site = new Site("127.0.0.1").otherwise(this::reply);
    private final int pages;
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicInteger unmodified = new AtomicInteger();
    private final Map<String, Integer> counts = new ConcurrentHashMap<>();
    private volatile int round = 1;

    private record Answer(int status, String body, Map<String, String> headers) {}

    public ChangingSite(int pages) {
        this.pages = pages;
    }

    public void round(int number) {
        round = number;
        counts.clear();
        unmodified.set(0);
    }

    public String url(String path) {
        return site.url(path);
    }

    /** How many requests there were so far. */
    public int requests() {
        return requests.get();
    }

    /** How many responses of this round had no body, since the page is not modified. */
    public int unmodified() {
        return unmodified.get();
    }

    /** How often each path was requested in this round. */
    public Map<String, Integer> counts() {
        return counts;
    }

    private static Script script(int page) {
        return Script.values()[page % Script.values().length];
    }

    /** The changes that a round has to find, by path; "text" follows when only the markup has changed. */
    public Map<String, String> expected(int number) {
        Map<String, String> expected = new TreeMap<>();
        for (int page = 0; page < pages; page++) {
            if (script(page).hasPage(number)) {
                expected.put("/" + page, change(script(page), number));
                if (script(page) == Script.MOVES && number >= 3) {
                    expected.put("/target" + page, number == 3 ? "new" : "unchanged");
                }
            }
        }
        for (int index = 0; index * PER_INDEX < pages; index++) {
            boolean isSame = number > 1 && index(index, number).equals(index(index, number - 1));
            expected.put("/index" + index, number == 1 ? "new" : isSame ? "unchanged" : "changed");
        }
        expected.put("/", number == 1 ? "new" : "unchanged");
        return expected;
    }

    private static String change(Script script, int number) {
        if (number == 1 || (script == Script.APPEARS && number == 3)) {
            return "new";
        }
        Change change = switch (script) {
            case STABLE_WITH_TAG, STABLE_WITH_DATE, STABLE, TAG_LIES, TAG_IS_RESTLESS, APPEARS, LOSES_ITS_LINK ->
                Change.UNCHANGED;
            case CHANGES_WITH_TAG, CHANGES_WITH_DATE, CHANGES, MARKUP -> Change.CHANGED;
            case MOVES -> number == 3 ? Change.MOVED : number == 5 ? Change.BACK : Change.UNCHANGED;
            case GOES -> number == 2 ? Change.GONE : number == 4 ? Change.BACK : Change.UNCHANGED;
            case FAILS -> number == 3 ? Change.FAILED : Change.UNCHANGED;
        };
        return change.text() + (script == Script.MARKUP ? " text" : "");
    }

    /** Pages to which no other one links at the end of a round. */
    public List<String> orphans(int number) {
        List<String> orphans = new ArrayList<>();
        for (int page = 0; page < pages; page++) {
            boolean isLost = script(page) == Script.LOSES_ITS_LINK && number >= 4;
            // After the way back, nothing redirects to the target any more.
            if (isLost) {
                orphans.add(url("/" + page));
            } else if (script(page) == Script.MOVES && number >= 5) {
                orphans.add(url("/target" + page));
            }
        }
        return orphans;
    }

    private String index(int index, int number) {
        StringBuilder html = new StringBuilder("<title>index</title>");
        for (int page = index * PER_INDEX; page < Math.min(pages, (index + 1) * PER_INDEX); page++) {
            if (script(page).hasPage(number) && !(script(page) == Script.LOSES_ITS_LINK && number >= 4)) {
                html.append("<a href='/").append(page).append("'>x</a>");
            }
        }
        return html.toString();
    }

    private Answer answer(String path, int number) {
        if (path.equals("/")) {
            StringBuilder html = new StringBuilder();
            for (int index = 0; index * PER_INDEX < pages; index++) {
                html.append("<a href='/index").append(index).append("'>x</a>");
            }
            return new Answer(200, html.toString(), Map.of("ETag", "\"root\""));
        } else if (path.startsWith("/index")) {
            return new Answer(200, index(Integer.parseInt(path.substring(6)), number), Map.of());
        } else if (path.startsWith("/target")) {
            return new Answer(200, "target", Map.of("ETag", "W/\"" + path.substring(1) + "\""));
        } else if (!path.matches("/\\d+")) {
            return new Answer(404, "", Map.of());
        }
        Script script = script(Integer.parseInt(path.substring(1)));
        String same = "<p>" + path + "</p><a href='/'>home</a>";
        String other = "<p>" + path + " in round " + number + "</p>";
        Map<String, String> tag = Map.of("ETag", "\"" + path + "\"");
        Map<String, String> newTag = Map.of("ETag", "\"" + path + number + "\"");
        return switch (script) {
            case STABLE_WITH_TAG, LOSES_ITS_LINK, APPEARS -> new Answer(200, same, tag);
            case STABLE_WITH_DATE -> new Answer(200, same, date(1));
            case STABLE -> new Answer(200, same, Map.of());
            case CHANGES_WITH_TAG -> new Answer(200, other, newTag);
            case CHANGES_WITH_DATE -> new Answer(200, other, date(number));
            case CHANGES -> new Answer(200, other, Map.of());
            case MARKUP -> new Answer(200, "<p class='" + number + "'>" + path + "</p>", newTag);
            case TAG_LIES -> new Answer(200, other, tag);
            case TAG_IS_RESTLESS -> new Answer(200, same, newTag);
            case MOVES ->
                number == 3 || number == 4
                        ? new Answer(301, "", Map.of("Location", "/target" + path.substring(1)))
                        : new Answer(200, same, tag);
            case GOES -> number == 2 || number == 3 ? new Answer(410, "gone", Map.of()) : new Answer(200, same, tag);
            case FAILS -> number == 3 ? new Answer(403, "no", Map.of()) : new Answer(200, same, tag);
        };
    }

    private static Map<String, String> date(int number) {
        return Map.of("Last-Modified", DATE.format(Instant.ofEpochSecond(1_700_000_000L + 60L * number)));
    }

    private Site.Reply reply(HttpExchange request) {
        String path = request.getRequestURI().getPath();
        Answer answer = answer(path, round);
        if (!path.equals("/robots.txt")) {
            requests.incrementAndGet();
            counts.merge(path, 1, Integer::sum);
        }
        boolean isSame = answer.status == 200 && isNotModified(request.getRequestHeaders(), answer);
        unmodified.addAndGet(isSame ? 1 : 0);
        Site.Reply reply = Site.status(isSame ? 304 : answer.status).field("Content-Type", "text/html; charset=utf-8");
        answer.headers.forEach(reply::field);
        return isSame ? reply : reply.body(answer.body);
    }

    private static boolean isNotModified(Headers request, Answer answer) {
        String tag = request.getFirst("If-None-Match");
        if (tag != null) {
            return tag.equals(answer.headers.get("ETag"));
        }
        String since = request.getFirst("If-Modified-Since");
        return since != null && since.equals(answer.headers.get("Last-Modified"));
    }

    @Override
    public void close() {
        site.close();
    }
}
