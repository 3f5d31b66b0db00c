package dev.sieve.demo;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Links from the pages of a demo web to hosts that are not part of it. Most are broken, each in another way. Immutable,
 * so safe for use by many threads.
 */
record ExternalLinks(SiteMap map) {
    private static final String NAME = "www.elsewhere.test";
    /** One page in so many links to a target. */
    private static final int RARITY = 8;

    /** The targets of the links; the URL of the last ones depends on nothing. */
    private enum Target {
        FINE("/fine.html", 200, false),
        MISSING("/missing.html", 404, true),
        GONE("/gone.html", 410, true),
        ERROR("/error.html", 500, true),
        MOVED("/moved.html", 301, false),
        LOOP("/loop.html", 302, true),
        PRIVATE("/private/page.html", 200, false),
        REFUSED("http://closed.elsewhere.test:2/", 0, true),
        UNKNOWN("http://www.elsewhere.invalid/", 0, true);

        private final String path;
        private final int status;
        private final boolean isBroken;

        Target(String path, int status, boolean isBroken) {
            this.path = path;
            this.status = status;
            this.isBroken = isBroken;
        }

        /** Returns the path that a redirect leads to; null if it is not a redirect. */
        private @Nullable String location() {
            return switch (this) {
                case MOVED -> "/moved-to.html";
                case LOOP -> "/loop-2.html";
                default -> null;
            };
        }
    }

    boolean isHost(String name) {
        return name.equals(NAME);
    }

    Stream<ExternalLink> links() {
        return Stream.of(Target.values())
                .map(target -> new ExternalLink(url(target.path), target.status, target.isBroken, referrers(target)))
                .filter(link -> !link.referrers().isEmpty());
    }

    private List<String> referrers(Target target) {
        return IntStream.range(0, map.hosts().pages())
                .filter(page -> links(page, target))
                .mapToObj(page -> map.url(map.place(page)))
                .toList();
    }

    /** Returns the URLs outside of the web that a page links to, in some spelling. */
    List<String> of(int page) {
        return Stream.of(Target.values())
                .filter(target -> links(page, target))
                .map(target -> url(target.path) + (page % 3 == 0 ? "#part-" + page : ""))
                .toList();
    }

    private boolean links(int page, Target target) {
        int rarity = page == 0 ? 2 : RARITY;
        return Dice.below(rarity, Dice.hash(map.seed(), target.name().hashCode(), page)) == 0
                && map.kind(page) == SiteMap.Kind.HTML;
    }

    private String url(String path) {
        return path.startsWith("/") ? "http://" + NAME + ":" + map.port() + path : path;
    }

    Response response(String target) {
        return switch (target) {
            case "/robots.txt" -> Response.text(200, "User-agent: *\nDisallow: /private/\n");
            case "/moved-to.html" -> page();
            case "/loop-2.html" -> Response.redirect(302, "<title>Moved</title>\n", url(Target.LOOP.path));
            default ->
                Stream.of(Target.values())
                        .filter(each -> each.path.equals(target))
                        .findFirst()
                        .map(this::response)
                        .orElseGet(() -> Response.html(404, "<title>Not found</title>\n"));
        };
    }

    private Response response(Target target) {
        if (target.status == 200) {
            return page();
        }
        return Response.redirect(target.status, "<title>" + target + "</title>\n", target.location());
    }

    /** A page with links that a crawl of the web does not follow. */
    private static Response page() {
        return Response.html(200, "<title>Elsewhere</title><a href=\"/never.html\">further</a>\n");
    }
}
