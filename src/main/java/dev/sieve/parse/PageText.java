package dev.sieve.parse;

import org.jspecify.annotations.Nullable;

/**
 * What identifies the visible text of a document, by which equal and similar pages are found.
 *
 * <p>The visible text is that of all elements except title, script, style and template, without attributes. White space
 * is folded: words are separated by one space, and the boundary of a block, such as a paragraph, a cell or a {@code
 * br}, also separates words. So the same text in other markup has the same digest, except when the document was cut.
 *
 * @param digest the {@link Digest} of the text
 * @param sketch the sketch of its shingles of three words; null when that was not requested
 * @param words the number of words; 0 for a document without text
 */
public record PageText(long digest, @Nullable Sketch sketch, long words) {}
