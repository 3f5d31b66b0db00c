package dev.sieve.browser;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.io.LruMap;
import dev.sieve.scope.Scope;
import dev.sieve.url.UrlParts;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Decides which pages are rendered: all, those whose URLs match, or those that look empty without their scripts. Of the
 * last, the rule learns in which folders of a host rendering adds nothing. Safe for use by many threads.
 */
public final class RenderRule {
    /** In languages without spaces, a word has about as many bytes. */
    private static final int CHARACTERS = 8;

    /** Fewer words mean that a page is empty. */
    private static final int WORDS = 50;

    private static final long FOLDER_BYTES = 4 << 20;

    /** Elements whose content is not shown. */
    private static final List<String> HIDDEN = List.of("script", "style", "noscript", "template", "svg", "title");

    /** The inside of a tag that is a link. */
    private static final Pattern LINK =
            Pattern.compile("(?is)(?:a|area)\\s(?:.*\\s)?href\\s*+=\\s*+(?![\"'\\s]*+(?:#|javascript:))\\S.*");

    private static final Pattern NUMBER = Pattern.compile("[0-9]+");

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
                : any.include("render", text.equals("all") ? "" : text).build();
    }

    /** Returns whether the page of a URL may be rendered, so that its document is needed even if it has not changed. */
    public boolean mayRender(String url) {
        if (urls != null) {
            return urls.skipReason(url, 0) == null;
        }
        Known known = folders.get(folder(url));
        return known == null || known == Known.NEEDED;
    }

    /** Returns whether to render a document. */
    boolean needs(String url, byte[] html) {
        if (urls != null) {
            return mayRender(url);
        }
        Known known = folders.get(folder(url));
        Glance seen = known == Known.USELESS ? null : glance(html, WORDS);
        boolean isEmpty = seen != null && seen.hasScripts && (seen.words < WORDS || seen.links == 0);
        if (known == null && !isEmpty) {
            learn(url, Known.FULL);
        }
        return isEmpty;
    }

    /**
     * Learns from a document that was rendered. Where it leads by itself is a link. One that was not ready may get more
     * the next time.
     */
    void learn(String url, byte[] before, Page after, boolean isReady) {
        if (urls == null) {
            Glance without = glance(before, Integer.MAX_VALUE);
            Glance with = glance(after.body(), Integer.MAX_VALUE);
            int links = after.header("refresh") == null ? with.links : Math.max(1, with.links);
            boolean hasMore = links > without.links || with.words > without.words * 6L / 5 + 5;
            if (hasMore || isReady) {
                learn(url, hasMore ? Known.NEEDED : Known.USELESS);
            }
        }
    }

    private void learn(String url, Known known) {
        folders.merge(folder(url), known, (one, other) -> one.compareTo(other) > 0 ? one : other);
    }

    /** Returns the host and the folder of a URL, where all numbers are the same. */
    private static String folder(String url) {
        int query = url.indexOf('?');
        int name = url.lastIndexOf('/', query < 0 ? url.length() : query);
        String folder = url.substring(0, Math.max(UrlParts.pathStart(url), name));
        return NUMBER.matcher(folder).replaceAll("0");
    }

    /** Looks at a document until it has shown enough words and a link. Only ASCII counts. */
    private static Glance glance(byte[] html, int enough) {
        int words = 0;
        int links = 0;
        boolean hasScripts = false;
        for (int at = 0; at < html.length && (words < enough || links == 0); ) {
            int start = at;
            if (html[at] != '<') {
                while (at < html.length && isWord(html[at]) && (html[at] > 0 || at - start < CHARACTERS)) {
                    at++;
                }
                words += at > start ? 1 : 0;
                at = Math.max(at, start + 1);
            } else if (isAt(html, at, "<!--")) {
                at = after(html, at + 4, "-->");
            } else {
                at = endOfTag(html, at + 1);
                String hidden = hidden(html, start + 1);
                if (hidden != null) {
                    hasScripts |=
                            hidden.equals("script") && !text(html, start, at).contains("json");
                    at = after(html, at, "</" + hidden);
                } else if (isAt(html, start + 1, "a")
                        && LINK.matcher(text(html, start + 1, at)).matches()) {
                    links++;
                }
            }
        }
        return new Glance(words, links, hasScripts);
    }

    private static @Nullable String hidden(byte[] html, int at) {
        for (String each : HIDDEN) {
            int end = at + each.length();
            if (isAt(html, at, each) && (end == html.length || !isWord(html[end]))) {
                return each;
            }
        }
        return null;
    }

    /** Returns where a tag ends, or the next one begins. */
    private static int endOfTag(byte[] html, int at) {
        int end = at;
        while (end < html.length && html[end] != '>' && html[end] != '<') {
            end++;
        }
        return end;
    }

    /** Returns the position after a text, which is the end of the document if it is not there. */
    private static int after(byte[] html, int at, String text) {
        int start = at;
        while (start < html.length && !isAt(html, start, text)) {
            start++;
        }
        return Math.min(html.length, start + text.length());
    }

    /** Returns whether a document has a text in lower case at a position. */
    private static boolean isAt(byte[] html, int at, String text) {
        boolean isSame = at + text.length() <= html.length;
        for (int i = 0; isSame && i < text.length(); i++) {
            int next = html[at + i];
            isSame = (next >= 'A' && next <= 'Z' ? next + 32 : next) == text.charAt(i);
        }
        return isSame;
    }

    private static boolean isWord(byte next) {
        return next < 0 || (next >= '0' && next <= '9') || ((next | 32) >= 'a' && (next | 32) <= 'z');
    }

    private static String text(byte[] html, int from, int to) {
        return new String(html, from, to - from, ISO_8859_1);
    }
}
