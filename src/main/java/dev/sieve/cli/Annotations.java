package dev.sieve.cli;

import dev.sieve.report.BrokenLink;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Broken links as workflow commands of GitHub, which shows each as an error: {@code ::error file=PAGE,title=TITLE::MESSAGE}. The
 * file is the page that links to it.
 */
final class Annotations {
    /** GitHub shows fewer than that, and the rest in the log. */
    private static final int MOST = 50;

    private Annotations() {}

    /** When they are printed. */
    enum When {
        AUTO,
        ALWAYS,
        NEVER;

        boolean isNow() {
            return this == ALWAYS || (this == AUTO && "true".equals(System.getenv("GITHUB_ACTIONS")));
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Returns a line for each of the first links. */
    static String of(List<BrokenLink> links) {
        return links.stream().limit(MOST).map(Annotations::line).collect(Collectors.joining());
    }

    private static String line(BrokenLink link) {
        String page = link.pages().isEmpty() ? link.url() : link.pages().get(0);
        String from = link.pages().isEmpty() ? "a seed" : "linked from " + page;
        return "::error file=%s,title=Broken link::%s%n"
                .formatted(
                        escaped(page).replace(":", "%3A").replace(",", "%2C"),
                        escaped(link.reason() + ": " + link.url() + " (" + from + ")"));
    }

    private static String escaped(String text) {
        return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A");
    }
}
