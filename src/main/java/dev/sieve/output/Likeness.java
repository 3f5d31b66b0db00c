package dev.sieve.output;

import org.jspecify.annotations.Nullable;

/**
 * By what a page is compared with others.
 *
 * @param digest the {@link dev.sieve.parse.Digest} of the body; 0 when it is not known
 * @param textDigest the digest of the visible text; 0 when it is not known
 * @param description the description that the page names for itself; empty when there is none
 * @param canonical the URL that the page names as its canonical one; null when it names none, or itself
 * @param duplicateOf the first page of the crawl with the same text, if that is another one; null when there is none
 * @param sketch the digits of the sketch of its text; null unless a {@linkplain PageSink#comparesSketches sink} needs
 *     it, for a page without text, one of which only a part was read, and one that is not modified since an earlier
 *     round
 */
public record Likeness(
        long digest,
        long textDigest,
        String description,
        @Nullable String canonical,
        @Nullable String duplicateOf,
        @Nullable String sketch) {}
