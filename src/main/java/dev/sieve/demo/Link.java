package dev.sieve.demo;

import dev.sieve.demo.SiteMap.Place;
import dev.sieve.demo.SiteMap.What;
import java.util.Locale;

/**
 * The spellings in which the pages of a demo web link to a place. All of them are the place's {@link SiteMap#url} after
 * RFC 3986, sections 5 and 6.2, without the fragment and without an empty query.
 */
final class Link {
    private final SiteMap map;
    private final Dice dice;
    private final int fromHost;
    private final String up;

    /**
     * @param fromHost the host of the page that links
     * @param basePath the path that the page's references are relative to
     */
    Link(SiteMap map, Dice dice, int fromHost, String basePath) {
        this.map = map;
        this.dice = dice;
        this.fromHost = fromHost;
        long folders = basePath.chars().filter(c -> c == '/').count() - 1;
        up = folders == 0 ? "./" : "../".repeat((int) folders);
    }

    /** A reference to a place, as it stands between the quotes of an attribute. */
    String to(Place place) {
        String target = dice.oneIn(2) ? map.target(place) : disguised(place);
        return accented(escaped(reference(map.host(place), target)));
    }

    private String reference(int host, String target) {
        if (host == fromHost && !dice.oneIn(5)) {
            return dice.oneIn(3) ? up + target.substring(1) : target;
        }
        String name = map.hosts().name(host);
        String port = ":" + map.port();
        return switch (dice.roll(8)) {
            case 0 -> "//" + name + port + target;
            case 1 -> "HTTP://" + name.toUpperCase(Locale.ROOT) + port + target;
            case 2 -> "http://" + Hosts.unicodeName(host) + port + target;
            case 3 -> " http://" + name + port + target + " ";
            default -> "http://" + name + port + target;
        };
    }

    private String disguised(Place place) {
        String target = map.target(place);
        return switch (dice.roll(7)) {
            case 0 -> "/." + target;
            case 1 -> "/lost/.." + target;
            case 2 -> target.contains("?") ? target : target + "?";
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

    private String escaped(String reference) {
        String text = reference.replace("&", dice.pick("&amp;", "&#38;", "&#x26;"));
        return dice.oneIn(20) ? text.replace("/", "&#47;") : text;
    }

    private String accented(String text) {
        return text.contains("%C3%A9")
                ? text.replace("%C3%A9", dice.pick("%C3%A9", "%c3%a9", "\u00e9", "&eacute;"))
                : text;
    }
}
