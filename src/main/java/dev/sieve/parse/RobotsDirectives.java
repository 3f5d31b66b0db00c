package dev.sieve.parse;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The directives for robots in the {@code X-Robots-Tag} header fields of a page and its {@code meta} elements named
 * {@code robots} or like the crawler. All of them apply.
 *
 * <p>A header field may name a robot: {@code X-Robots-Tag: otherbot: noindex, nofollow}.
 */
final class RobotsDirectives {
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

    void header(List<String> fields) {
        for (String field : fields) {
            boolean applies = true;
            for (String part : field.split(",", -1)) {
                int colon = part.indexOf(':');
                String name = lower(part.substring(0, Math.max(0, colon)));
                boolean hasName = colon >= 0 && !WITH_VALUE.contains(name);
                applies = hasName ? name.equals("*") || isForThisRobot(name) : applies;
                if (applies) {
                    directive(hasName ? part.substring(colon + 1) : part);
                }
            }
        }
    }

    void meta(String name, String content) {
        if (isForThisRobot(name)) {
            for (String part : content.split(",", -1)) {
                directive(part);
            }
        }
    }

    private void directive(String text) {
        String directive = lower(text);
        boolean isNone = directive.equals("none");
        isNofollow |= isNone || directive.equals("nofollow");
        isNoindex |= isNone || directive.equals("noindex");
    }

    private static String lower(String text) {
        return text.strip().toLowerCase(Locale.ROOT);
    }
}
