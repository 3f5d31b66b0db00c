package dev.sieve.demo;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.demo.SiteMap.Place;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Writes one page of a demo web: text and 20 to 40 links, most of them to pages that are linked elsewhere too. A page is
 * the same each time it is written. Not safe for use by many threads.
 */
final class PageWriter {
    private static final List<String> PHRASES = """
            the path follows the water for an hour
            nobody had counted them before
            a map from the year before last
            in the shade of the old wall
            with a caf\u00e9 at the far end
            and the lamps are lit early in winter
            which the guide does not mention
            two ferries a day, three on Sundays
            as far as the last bridge
            bread, salt &amp; a little oil
            where the road turns north
            the second edition corrects this
            a bell rings at noon
            under a sky without a cloud
            some say it was a mill
            between the dunes and the sea
            the keeper tells it otherwise
            for those who come on foot
            all of it made by hand
            until the snow melts
            """.lines().toList();

    /** The charset of a page and where it is declared. */
    private enum Encoding {
        UTF_8_HEADER("; charset=UTF-8", "", UTF_8),
        UTF_8_META("", "<meta charset=\"utf-8\">\n", UTF_8),
        UTF_8_MARK("", "", UTF_8),
        LATIN_1_HEADER("; charset=ISO-8859-1", "", ISO_8859_1),
        LATIN_1_META("", "<meta http-equiv=\"Content-Type\" content=\"text/html; charset=iso-8859-1\">\n", ISO_8859_1);

        private final String parameter;
        private final String meta;
        private final Charset charset;

        Encoding(String parameter, String meta, Charset charset) {
            this.parameter = parameter;
            this.meta = meta;
            this.charset = charset;
        }
    }

    private final SiteMap map;
    private final Hosts hosts;
    private final int page;
    private final int host;
    private final Dice dice;
    private final int length;
    private final StringBuilder html;
    private Link link;

    private PageWriter(SiteMap map, int page, int pageBytes) {
        this.map = map;
        this.hosts = map.hosts();
        this.page = page;
        this.host = hosts.hostOf(page);
        this.dice = map.dice(page);
        this.length = pageBytes / 2 + dice.roll(pageBytes);
        this.html = new StringBuilder(length + length / 4);
    }

    /**
     * Returns a page.
     *
     * @param pageBytes the mean size of a page in bytes; pages are larger if their links need it
     */
    static Response of(SiteMap map, int page, int pageBytes) {
        return new PageWriter(map, page, pageBytes).body();
    }

    private Response body() {
        return switch (map.kind(page)) {
            case HTML -> markup(this::document);
            case FRAMES -> markup(this::frames);
            case TEXT ->
                plain("text/plain; charset=UTF-8", "See http://" + hosts.name(host) + "/plain-text.html\n", "");
            case PDF -> plain("application/pdf", "%PDF-1.4\n% /pdf-text.html\n", "%%EOF\n");
        };
    }

    private Response plain(String type, String first, String last) {
        html.append(first);
        text(length - last.length());
        html.append(last);
        return Response.page(type, html.toString().getBytes(UTF_8));
    }

    private Response markup(Runnable content) {
        Encoding encoding = dice.oneIn(2) ? Encoding.UTF_8_HEADER : Encoding.values()[dice.roll(5)];
        if (encoding == Encoding.UTF_8_MARK) {
            html.append('\ufeff');
        }
        write("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n", encoding.meta, "<title>", title(), "</title>\n");
        link = new Link(map, dice, host, base());
        html.append("<link rel=\"stylesheet\" href=\"/site.css\">\n");
        content.run();
        html.append("</html>\n");
        return Response.page("text/html" + encoding.parameter, html.toString().getBytes(encoding.charset));
    }

    private String title() {
        return name(page) + " " + page + " &ndash; " + Hosts.unicodeName(host);
    }

    private String name(int page) {
        return map.adjective(page) + " " + map.noun(page);
    }

    /** Writes a base element into some pages. Returns the base path of relative references. */
    private String base() {
        String folder = "/" + map.noun(page) + "/" + map.adjective(page) + "/";
        return switch (dice.roll(30)) {
            case 0 -> {
                write("<base target=\"_top\">\n<base href=\"", folder, "index.html\">\n");
                write("<base href=\"/second-base/does/not/count/\">\n");
                yield folder;
            }
            case 1 -> {
                write("<base href=\"http://", hosts.name(host), ":" + map.port(), folder, "\">\n");
                yield folder;
            }
            default -> {
                String target = map.target(map.place(page));
                int query = target.indexOf('?');
                yield query < 0 ? target : target.substring(0, query);
            }
        };
    }

    private void frames() {
        html.append("</head>\n<frameset cols=\"30%,*\">\n");
        links(4).forEach(place -> write("<frame src=\"", link.to(place), "\">\n"));
        html.append("</frameset>\n");
    }

    private void document() {
        List<Place> links = links(20 + dice.roll(21));
        List<Place> inHead = new ArrayList<>();
        Place ordinary = dice.oneIn(12) ? links.get(0) : null;
        for (Place place : links) {
            if (place.equals(ordinary) || (isShy(place) && dice.oneIn(3))) {
                write("<link rel=\"", dice.pick("next", "prev"), "\" href=\"", link.to(place), "\">\n");
                inHead.add(place);
            }
        }
        links.removeAll(inHead);
        write("</head>\n<body>\n<h1>", title(), "</h1>\n<nav>\n");
        int navigation = links.size() / 3;
        links.subList(0, navigation).forEach(this::link);
        html.append("</nav>\n<p>");
        for (int i = navigation; i < links.size(); i++) {
            text(length * (i - navigation + 1L) / (links.size() - navigation) - 120);
            link(links.get(i));
            html.append(dice.oneIn(3) ? ".</p>\n<p>" : ", ");
        }
        text(length - 600);
        html.append("</p>\n");
        decoys();
        html.append("</body>\n");
    }

    /** Returns the places to link to: the children of the page, its extra, and known pages up to a number. */
    private List<Place> links(int atLeast) {
        List<Place> links = new ArrayList<>();
        hosts.children(page).forEach(child -> links.add(map.entry(child)));
        Place extra = map.extra(page);
        if (extra != null) {
            links.add(extra);
        }
        while (links.size() < atLeast) {
            links.add(map.entry(known()));
        }
        for (int i = links.size() - 1; i > 0; i--) {
            Collections.swap(links, i, dice.roll(i + 1));
        }
        return links;
    }

    private boolean isShy(Place place) {
        return place.page() != page && map.isShy(place.page());
    }

    private int known() {
        int other = dice.oneIn(6) ? dice.roll(hosts.hosts()) : host;
        int start = hosts.startPage(other);
        int pages = hosts.pagesOf(other);
        int known = switch (dice.roll(6)) {
            case 0, 1 -> start;
            case 2 -> other == host ? hosts.parent(page) : start;
            case 3 -> start + dice.roll(Math.min(pages, 20));
            default -> start + dice.roll(pages);
        };
        return map.isShy(known) ? start : known;
    }

    private void link(Place place) {
        String reference = link.to(place);
        switch (dice.roll(isShy(place) ? 2 : 40)) {
            case 0 -> write("<map name=\"m\"><area alt=\"\" href=\"", reference, "\"></map>\n");
            case 1 -> write("<iframe src=\"", reference, "\"></iframe>\n");
            case 2 -> write("<A CLASS=more HREF='", reference, "'>more</A>\n");
            case 3 -> write("<a\n href = \"", reference, "\" >on</a>\n");
            default -> write("<a href=\"", reference, "\">", name(place.page()), "</a>\n");
        }
    }

    /** Writes text that only looks like a link, and links to other things than pages. */
    private void decoys() {
        html.append("""
                <p><img src="/image-%s.png" alt=""> <a name="top">top</a>
                <a rel="nofollow" href="%s">home</a>
                <a href="mailto:post@%s">post</a>
                <a href="javascript:history.back()">back</a> <a href="tel:+49301234">call</a></p>
                <!-- <a href="/in-a-comment.html">old</a> -->
                <script>var s = '<a href="/in-a-script.html">new</a>';</script>
                """.formatted(page, link.to(map.entry(hosts.startPage(host))), hosts.name(host)));
    }

    private void write(String... parts) {
        for (String part : parts) {
            html.append(part);
        }
    }

    private void text(long upTo) {
        while (html.length() < upTo) {
            html.append(PHRASES.get(dice.roll(PHRASES.size()))).append(dice.oneIn(5) ? ". " : ", ");
        }
    }
}
