/**
 * A document in, its links out: {@link dev.sieve.parse.LinkExtractor} reads HTML, {@link dev.sieve.parse.SitemapReader}
 * reads sitemaps, feeds and lists.
 *
 * <h2>Decisions</h2>
 *
 * <p><b>jsoup, not a scanner.</b> Whether a tag is a tag depends on the elements around it: templates, framesets, SVG,
 * tables, raw text. jsoup builds the tree of the HTML standard; a scanner of our own was nearly right and longer. What
 * makes jsoup expensive in other crawlers is mostly {@code absUrl}; here references are made distinct before each is
 * resolved once.
 *
 * <p><b>A stream, not a tree.</b> A tree can be thousands of times as large as its page, since the parser opens
 * formatting elements again in each paragraph, attributes included.
 * {@link org.jsoup.parser.StreamParser} is jsoup's only public interface that lets go of elements while it parses. It
 * reports elements when they are complete, thus children before parents, and it does not report those that broken tables
 * or misnested formatting moved. So the reports are only counted, and the links are read from the tree, in its order.
 *
 * <p><b>What bounds it.</b> The tree is dropped after each batch of elements, attributes or characters, except for the
 * elements that may be open, and those lose their attributes. The parser limits open elements to 512, attributes of a tag
 * to 512 and reopened formatting elements to 12. {@code HtmlReader} limits the length of a tag name, {@code HtmlStream}
 * the number of distinct names and of the attributes of html and body. Time is linear in the page then, but for NULs in
 * tag names and deep trees, which a limit on CPU time cuts. The parser itself keeps a reference to elements that it moved
 * and to the controls of an open form, so a page can still hold several times its size; the number of KiB that are read
 * at once is limited for that reason.
 *
 * <p><b>An own reader.</b> jsoup's detection of charsets accepts utf-16 in a meta element, gives up at the first label
 * that it does not support, looks at the first bytes only and follows Java's meaning of labels. The declaration is taken
 * from the parsed meta element instead, and the page is read again when it differs.
 */
package dev.sieve.parse;
