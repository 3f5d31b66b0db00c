package dev.sieve.cli;

import dev.sieve.fetch.FolderSite;
import dev.sieve.parse.LinkLine;
import dev.sieve.report.BrokenLink;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Broken links as workflow commands of GitHub, which shows each as an error: {@code ::error
 * file=PAGE,line=LINE,title=TITLE::MESSAGE}. The file is the page that links to it: the one in a folder, or a URL
 * without a line.
 */
final class Annotations {
    /** GitHub shows fewer than that, and the rest in the log. */
    private static final int MOST = 50;

    private Annotations() {}

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

    /** Returns a line for each of the first links, whose pages may be files of a folder: relative to the root, if below. */
    static String of(List<BrokenLink> links, @Nullable FolderSite site, Path root) {
        return links.stream().limit(MOST).map(link -> line(link, site, root)).collect(Collectors.joining());
    }

    private static String line(BrokenLink link, @Nullable FolderSite site, Path root) {
        String page = link.pages().isEmpty() ? link.url() : link.pages().get(0);
        Path file = site == null ? null : site.file(page);
        String shown = file == null ? page : relative(file, root);
        String from = link.pages().isEmpty() ? "a seed" : "linked from " + shown;
        int line = file == null ? 0 : line(file, page, link.url());
        return "::error file=%s%s,title=%s::%s%n"
                .formatted(
                        escaped(shown).replace(":", "%3A").replace(",", "%2C"),
                        line == 0 ? "" : ",line=" + line,
                        link.movedTo() != null ? "Moved link" : link.isNew() ? "Newly broken link" : "Broken link",
                        escaped(link.problem() + ": " + link.url() + " (" + from + ")"));
    }

    /** Returns a path as GitHub takes it: from the root of its workspace, if it is below. */
    private static String relative(Path file, Path root) {
        Path workspace = root.toAbsolutePath().normalize();
        Path absolute = file.toAbsolutePath().normalize();
        return (absolute.startsWith(workspace) ? workspace.relativize(absolute) : absolute)
                .toString()
                .replace('\\', '/');
    }

    /** Returns the line of a link; 0 when it is not found. */
    private static int line(Path file, String page, String url) {
        try (InputStream in = Files.newInputStream(file)) {
            return LinkLine.of(in, page, url);
        } catch (IOException e) {
            return 0;
        }
    }

    private static String escaped(String text) {
        return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A");
    }
}
