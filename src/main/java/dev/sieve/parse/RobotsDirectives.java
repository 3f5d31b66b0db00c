package dev.sieve.parse;

import dev.sieve.fetch.FetchResult.Page;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The directives for robots in the {@code X-Robots-Tag} header fields of a page and its {@code meta} elements named
 * {@code robots} or like the crawler. All of them apply.
 *
 * <p>A header field may name a robot: {@code X-Robots-Tag: otherbot: noindex, nofollow}. A name with a colon is that of
 * a robot if a directive follows it. Otherwise it is a directive that is not known, and what follows its value applies.
 */
public final class RobotsDirectives {
    /** Directives without a value, by which the name of a robot is told from a directive that is not known. */
    private static final Set<String> PLAIN =
            Set.of(("all index follow none noindex nofollow noarchive nocache nosnippet noodp"
                            + " noydir notranslate noimageindex noai noimageai indexifembedded nopagereadaloud nositelinkssearchbox")
                    .split(" ", -1));

    /** Directives that contain a colon: the text before it is not the name of a robot. */
    private static final Set<String> WITH_VALUE =
            Set.of("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview");

    private final String productToken;
    private boolean isNofollow;
    private boolean isNoindex;

    /** Makes an empty set of directives for a robot, whose name may be empty. */
    RobotsDirectives(String productToken) {
        this.productToken = productToken.toLowerCase(Locale.ROOT);
    }

    /** Returns those in the header fields of a page, for a robot. */
    static RobotsDirectives of(Page page, String productToken) {
        RobotsDirectives directives = new RobotsDirectives(productToken);
        page.headers().getOrDefault("x-robots-tag", List.of()).forEach(directives::read);
        return directives;
    }

    /** Returns whether the header fields of a page forbid a robot to index it. */
    public static boolean isNoindex(Page page, String productToken) {
        return of(page, productToken).isNoindex;
    }

    boolean isNofollow() {
        return isNofollow;
    }

    boolean isNoindex() {
        return isNoindex;
    }

    private boolean isForThisRobot(String name) {
        String robot = lower(name);
        return robot.equals("robots") || (!robot.isEmpty() && robot.equals(productToken));
    }

    void meta(String name, String content) {
        if (isForThisRobot(name)) {
            read(content);
        }
    }

    /** Reads directives between commas, semicolons or blanks. Words that are not directives, such as a date, are ignored. */
    private void read(String text) {
        boolean applies = true;
        for (String part : lower(text).split("[,;]", -1)) {
            String[] words = part.strip()
                    .replaceAll("\\s+", " ")
                    .replace(" :", ":")
                    .replace(":", ": ")
                    .split(" +", -1);
            for (int i = 0; i < words.length; i++) {
                String name = words[i].endsWith(":") ? words[i].substring(0, words[i].length() - 1) : "";
                String next = i + 1 < words.length ? words[i + 1].replace(":", "") : "";
                boolean isForThis = name.equals("*") || isForThisRobot(name);
                if (WITH_VALUE.contains(name)) {
                    i++;
                } else if (!name.isEmpty() && (isForThis || PLAIN.contains(next) || WITH_VALUE.contains(next))) {
                    applies = isForThis;
                } else if (applies) {
                    directive(words[i]);
                }
            }
        }
    }

    private void directive(String directive) {
        boolean isNone = directive.equals("none");
        isNofollow |= isNone || directive.equals("nofollow");
        isNoindex |= isNone || directive.equals("noindex");
    }

    private static String lower(String text) {
        return text.strip().toLowerCase(Locale.ROOT);
    }
}
