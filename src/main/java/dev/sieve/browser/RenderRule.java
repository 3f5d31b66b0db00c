package dev.sieve.browser;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sieve.io.LruMap;
import dev.sieve.scope.Scope;
import dev.sieve.url.UrlParts;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Decides which pages are rendered: all, those whose URLs match, or those that look empty without their scripts. Of the last, the
 * rule learns in which folders of a host rendering adds nothing. Safe for use by many threads.
 */
public final class RenderRule {
    /** Fewer words mean that a page is empty. */
    private static final int WORDS = 50;

    private static final long FOLDER_BYTES = 4 << 20;

    /** A comment, an element that is not shown, a link, or another tag. Each takes time in proportion to its length. */
    private static final Pattern MARKUP = Pattern.compile("(?is)<!--.*?(?:-->|\\z)"
            + "|<(script|style|noscript|template|svg|title)\\b([^<>]*)>.*?(?:</\\1|\\z)"
            + "|<(?:a|area)\\s(?:[^<>]*\\s)?href\\s*=\\s*(?![\"'\\s]*(?:#|javascript:))([^<>\\s])[^<>]*>"
            + "|<[^<>]*+>");

    /** In languages without spaces, a word has about eight bytes. */
    private static final Pattern WORD = Pattern.compile("[0-9A-Za-z]++|[\\x80-\\xff]{1,8}+");

    /** The URLs whose pages are rendered; null if their content decides. */
    private final @Nullable Scope urls;

    private final LruMap<Known> folders = new LruMap<>(FOLDER_BYTES, known -> 0);

    /** What is known of a folder: its pages are not empty, or rendering adds nothing to those that are, or something. */
    private enum Known {
        FULL,
        USELESS,
        NEEDED
    }

    private record Glance(int words, int links, boolean hasScripts) {}

    /**
     * Creates a rule.
     *
     * @param text {@code all}, {@code auto}, or a regular expression that has to match a part of a URL
     * @throws IllegalArgumentException when the expression is not valid
     */
    public RenderRule(String text) {
        Scope.Builder any = Scope.builder(Scope.Kind.ANY);
        urls = text.equals("auto")
                ? null
                : any.include(text.equals("all") ? "" : text).build();
    }

    /** Returns whether the page of a URL may be rendered, so that its document is needed even if it has not changed. */
    boolean mayRender(String url) {
        Known known = folders.get(folder(url));
        return urls == null ? known == null || known == Known.NEEDED : urls.skipReason(url, 0) == null;
    }

    /** Returns whether to render a document. */
    boolean needs(String url, byte[] html) {
        if (urls != null || folders.get(folder(url)) == Known.USELESS) {
            return mayRender(url);
        }
        Glance seen = glance(html, WORDS);
        boolean isEmpty = seen.hasScripts && (seen.words < WORDS || seen.links == 0);
        if (!isEmpty) {
            learn(url, Known.FULL);
        }
        return isEmpty;
    }

    /** Learns from a document that was rendered. */
    void learn(String url, byte[] before, byte[] after) {
        if (urls == null) {
            Glance without = glance(before, Integer.MAX_VALUE);
            Glance with = glance(after, Integer.MAX_VALUE);
            boolean hasMore = with.links > without.links || with.words > without.words * 6L / 5 + 5;
            learn(url, hasMore ? Known.NEEDED : Known.USELESS);
        }
    }

    private void learn(String url, Known known) {
        folders.merge(folder(url), known, (one, other) -> one.compareTo(other) > 0 ? one : other);
    }

    /** Returns the host and the folder of a URL, where all numbers are the same. */
    private static String folder(String url) {
        String path = url.replaceFirst("\\?.*", "");
        return path.substring(0, Math.max(UrlParts.pathStart(url), path.lastIndexOf('/')))
                .replaceAll("[0-9]+", "0");
    }

    /** Looks at a document until it has shown enough words and a link. */
    private static Glance glance(byte[] html, int enough) {
        // A byte per character: only ASCII counts.
        String document = new String(html, ISO_8859_1);
        Matcher markup = MARKUP.matcher(document);
        Matcher word = WORD.matcher(document);
        int words = 0;
        int links = 0;
        boolean hasScripts = false;
        for (int at = 0; at < document.length() && (words < enough || links == 0); ) {
            boolean isFound = markup.find(at);
            for (word.region(at, isFound ? markup.start() : document.length()); word.find(); ) {
                words++;
            }
            if (isFound) {
                links += markup.group(3) == null ? 0 : 1;
                hasScripts |= "script".equalsIgnoreCase(markup.group(1))
                        && !markup.group(2).contains("json");
            }
            at = isFound ? markup.end() : document.length();
        }
        return new Glance(words, links, hasScripts);
    }
}
