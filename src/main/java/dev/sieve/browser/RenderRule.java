package dev.sieve.browser;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sieve.fetch.FetchResult.Page;
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

    /**
     * A comment, an element whose content is not shown, a tag that is a link, another tag, or a word. Where a language has no spaces,
     * eight bytes are a word. No document takes time by the square of its length.
     */
    private static final Pattern TOKEN = Pattern.compile("(?is)<!--.*?(?:-->|\\z)"
            + "|<(?<hidden>script|style|noscript|template|svg|title)\\b(?<fields>[^<>]*+)(?:.*?</\\k<hidden>|.*)"
            + "|(?<link><(?:a|area)\\s(?:[^<>]*\\s)?href\\s*+=\\s*+(?![\"'\\s]*+(?:#|javascript:))[^\\s<>][^<>]*+)"
            + "|<[^<>]*+"
            + "|(?<word>[0-9a-z\\x80-\\xff]{1,8}+[0-9a-z]*+)");

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
                : any.include(text.equals("all") ? "" : text).build();
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
     * Learns from a document that was rendered. Where it leads by itself is a link. One that was not ready may get more the next
     * time.
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
        Matcher token = TOKEN.matcher(new String(html, ISO_8859_1));
        while ((words < enough || links == 0) && token.find()) {
            words += token.start("word") < 0 ? 0 : 1;
            links += token.start("link") < 0 ? 0 : 1;
            hasScripts |= "script".equalsIgnoreCase(token.group("hidden"))
                    && !token.group("fields").contains("json");
        }
        return new Glance(words, links, hasScripts);
    }
}
