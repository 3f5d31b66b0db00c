package dev.sieve.demo;

import dev.sieve.demo.SiteMap.Place;
import dev.sieve.demo.SiteMap.What;
import java.util.Locale;

/**
 * The spellings in which a page links to a place. All of them mean the place's {@link SiteMap#url}, by RFC 3986 sections
 * 5 and 6.2, without a fragment and an empty query.
 */
final class Link {
    private final SiteMap map;
    private final Dice dice;
    private final int fromHost;
    private final String up;

    /**
     * @param fromHost the host of the linking page
     * @param basePath the base path of relative references
     */
    Link(SiteMap map, Dice dice, int fromHost, String basePath) {
        this.map = map;
        this.dice = dice;
        this.fromHost = fromHost;
        long folders = basePath.chars().filter(c -> c == '/').count() - 1;
        up = folders == 0 ? "./" : "../".repeat((int) folders);
    }

    /** Returns a reference to a place, as an HTML attribute value. */
    String to(Place place) {
        String target = dice.oneIn(2) ? map.target(place) : disguised(place);
        String reference = reference(map.host(place), target).replace("&", dice.pick("&amp;", "&#38;", "&#x26;"));
        if (dice.oneIn(20)) {
            reference = reference.replace("/", "&#47;");
        }
        return reference.contains("%C3%A9")
                ? reference.replace("%C3%A9", dice.pick("%C3%A9", "%c3%a9", "\u00e9", "&eacute;"))
                : reference;
    }

    private String reference(int host, String target) {
        if (host == fromHost && !dice.oneIn(5)) {
            return dice.oneIn(3) ? up + target.substring(1) : target;
        }
        String name = map.hosts().name(host);
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
}
