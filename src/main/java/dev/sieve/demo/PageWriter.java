package dev.sieve.demo;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.demo.SiteMap.Place;
import dev.sieve.demo.SiteMap.What;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * Writes one page of a demo web: text and 20 to 40 links, most of them to pages that are linked elsewhere too. A page
 * is the same each time it is written. Not safe for use by many threads.
 */
final class PageWriter {
    private static final String[] PHRASES = """
            the path follows the water for an hour|nobody had counted them before
            a map from the year before last|in the shade of the old wall|with a caf\u00e9 at the far end
            and the lamps are lit early in winter|which the guide does not mention
            two ferries a day, three on Sundays|as far as the last bridge|bread, salt &amp; a little oil
            where the road turns north|the second edition corrects this|a bell rings at noon
            under a sky without a cloud|some say it was a mill|between the dunes and the sea
            the keeper tells it otherwise|for those who come on foot|all of it made by hand|until the snow melts""".split("[|\n]", -1);

    /** The charset of a page, and where it is declared: in the header, at the start or in a meta element. */
    private record Encoding(Charset charset, String parameter, String start, String meta) {}

    private static final Encoding[] ENCODINGS = {
        new Encoding(UTF_8, "; charset=UTF-8", "", ""),
        new Encoding(UTF_8, "", "", "<meta charset=\"utf-8\">\n"),
        new Encoding(UTF_8, "", "\ufeff", ""),
        new Encoding(ISO_8859_1, "; charset=ISO-8859-1", "", ""),
        new Encoding(
                ISO_8859_1, "", "", "<meta http-equiv=\"Content-Type\" content=\"text/html; charset=iso-8859-1\">\n")
    };

    private final SiteMap map;
    private final Hosts hosts;
    private final int page;
    private final int host;
    private final Dice dice;
    private final int length;
    private final StringBuilder html;
    /** The path from the folder of this page up to the root. */
    private String up = "";

    private PageWriter(SiteMap map, int page, int pageBytes) {
        this.map = map;
        this.hosts = map.hosts();
        this.page = page;
        this.host = hosts.hostOf(page);
        this.dice = map.dice(page);
        this.length = pageBytes / 2 + dice.roll(pageBytes);
        this.html = new StringBuilder(length + length / 4);
    }

    /** Returns a page; pages have this mean size in bytes, and are larger if their links need it. */
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
        Encoding encoding = ENCODINGS[dice.oneIn(2) ? 0 : dice.roll(ENCODINGS.length)];
        write(encoding.start, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n", encoding.meta);
        write("<title>", title(), "</title>\n");
        long folders = base().chars().filter(c -> c == '/').count() - 1;
        up = folders == 0 ? "./" : "../".repeat((int) folders);
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
        links(4).forEach(place -> write("<frame src=\"", reference(place), "\">\n"));
        html.append("</frameset>\n");
    }

    private void document() {
        List<Place> links = links(20 + dice.roll(21));
        List<Place> inHead = new ArrayList<>();
        Place ordinary = dice.oneIn(12) ? links.get(0) : null;
        for (Place place : links) {
            if (place.equals(ordinary) || (isShy(place) && dice.oneIn(3))) {
                write("<link rel=\"", dice.pick("next", "prev"), "\" href=\"", reference(place), "\">\n");
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
        What extra = map.extra(page);
        if (extra != null) {
            links.add(new Place(page, extra, 0));
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
        String reference = reference(place);
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
                """.formatted(page, reference(map.entry(hosts.startPage(host))), hosts.name(host)));
    }

    private void write(String... parts) {
        for (String part : parts) {
            html.append(part);
        }
    }

    private void text(long upTo) {
        while (html.length() < upTo) {
            html.append(dice.pick(PHRASES)).append(dice.oneIn(5) ? ". " : ", ");
        }
    }

    /**
     * Returns a reference to a place, as an HTML attribute value. Every spelling means the place's {@link SiteMap#url},
     * by RFC 3986 sections 5 and 6.2, without a fragment.
     */
    private String reference(Place place) {
        String target = dice.oneIn(2) ? map.target(place) : disguised(place);
        String reference =
                absoluteOrRelative(map.host(place), target).replace("&", dice.pick("&amp;", "&#38;", "&#x26;"));
        if (dice.oneIn(20)) {
            reference = reference.replace("/", "&#47;");
        }
        return reference.contains("%C3%A9")
                ? reference.replace("%C3%A9", dice.pick("%C3%A9", "%c3%a9", "\u00e9", "&eacute;"))
                : reference;
    }

    private String absoluteOrRelative(int host, String target) {
        if (host == this.host && !dice.oneIn(5)) {
            return dice.oneIn(3) ? up + target.substring(1) : target;
        }
        String name = hosts.name(host);
        String rest = ":" + map.port() + target;
        return switch (dice.roll(8)) {
            case 0 -> "//" + name + rest;
            case 1 -> "HTTP://" + name.toUpperCase(Locale.ROOT) + rest;
            case 2 -> "http://" + Hosts.unicodeName(host) + rest;
            case 3 -> " http://" + name + rest + " ";
            default -> "http://" + name + rest;
        };
    }

    private String disguised(Place place) {
        String target = map.target(place);
        return switch (dice.roll(7)) {
            case 0 -> "/." + target;
            case 1 -> "/lost/.." + target;
            case 2 -> target + "#";
            case 3 -> target.replace("~", dice.pick("%7E", "%7e"));
            case 4 -> place.what() == What.PRIVATE ? target : firstLetterEscaped(target);
            default -> target + "#" + dice.pick("top", "part-2", "notes", "comment-17");
        };
    }

    private static String firstLetterEscaped(String target) {
        if (target.length() < 2 || !Character.isLetter(target.charAt(1))) {
            return target;
        }
        return "/%" + Integer.toHexString(target.charAt(1)) + target.substring(2);
    }
}
