package dev.sieve.parse;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * What a page asks of robots: in its {@code X-Robots-Tag} fields and its {@code meta} elements named {@code robots} or
 * like the crawler. Of several requests all count.
 *
 * <p>A field may name the robot that it is meant for: {@code X-Robots-Tag: otherbot: noindex, nofollow}.
 */
final class RobotsDirectives {
    /** Directives that have a colon in them, so that what is before it is no robot's name. */
    private static final Set<String> WITH_VALUE =
            Set.of("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview");

    private final String productToken;
    private boolean isNofollow;
    private boolean isNoindex;

    /** Nothing is asked for as yet of the robot of this name, which may be empty. */
    RobotsDirectives(String productToken) {
        this.productToken = productToken.toLowerCase(Locale.ROOT);
    }

    boolean isNofollow() {
        return isNofollow;
    }

    boolean isNoindex() {
        return isNoindex;
    }

    /** Whether a meta element of this name is meant for this robot. */
    boolean isMeant(String name) {
        String robot = name.strip().toLowerCase(Locale.ROOT);
        return robot.equals("robots") || (!robot.isEmpty() && robot.equals(productToken));
    }

    void header(List<String> fields) {
        for (String field : fields) {
            boolean isMeant = true;
            for (String part : field.split(",", -1)) {
                int colon = part.indexOf(':');
                String name = colon < 0 ? "" : part.substring(0, colon).strip().toLowerCase(Locale.ROOT);
                if (colon >= 0 && !WITH_VALUE.contains(name)) {
                    isMeant = name.equals("*") || isMeant(name);
                    directive(part.substring(colon + 1), isMeant);
                } else {
                    directive(part, isMeant);
                }
            }
        }
    }

    void meta(String content) {
        for (String part : content.split(",", -1)) {
            directive(part, true);
        }
    }

    private void directive(String text, boolean isMeant) {
        String directive = text.strip().toLowerCase(Locale.ROOT);
        boolean isNone = directive.equals("none");
        isNofollow |= isMeant && (isNone || directive.equals("nofollow"));
        isNoindex |= isMeant && (isNone || directive.equals("noindex"));
    }
}
