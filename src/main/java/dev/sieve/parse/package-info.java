/**
 * A document in, its links and its text out: {@link dev.sieve.parse.LinkExtractor} reads HTML, and passes it to each
 * {@link dev.sieve.parse.DocumentReader}; {@link dev.sieve.parse.SitemapReader} reads sitemaps, feeds and lists.
 *
 * <h2>Decisions</h2>
 *
 * <p><b>jsoup, not a scanner.</b> Whether text is a tag depends on the elements around it: templates, framesets, SVG,
 * tables, raw text. jsoup builds the tree of the HTML standard; a scanner was nearly right and longer. The expensive
 * part of jsoup in other crawlers is mostly {@code absUrl}; here references are made distinct, without fragments,
 * before each is resolved once.
 *
 * <p><b>A stream, not a tree.</b> A tree can be thousands of times as large as its page, since the parser reopens
 * formatting elements with their attributes in each paragraph. {@link org.jsoup.parser.StreamParser} is the only public
 * interface of jsoup that allows dropping elements while it parses. It reports elements when they are complete, thus
 * children before parents, and omits those that broken tables or misnested formatting moved. So the reports are only
 * counted, and the links are read from the tree, in its order.
 *
 * <p><b>Bounds.</b> The tree is dropped after each batch of elements, attributes or characters, except for the elements
 * that may be open, and those lose their attributes. The parser limits open elements to 512, attributes of a tag to 512
 * and reopened formatting elements to 12. {@code HtmlReader} limits the length of a tag name, {@code HtmlStream} the
 * number of distinct names and of the attributes of html and body. Time is then linear in the page, except for NULs in
 * tag names and deep trees, which a limit on CPU time cuts. The parser keeps a reference to elements that it moved and
 * to the controls of an open form, so a page can still need several times its size; therefore the number of KiB read at
 * the same time is limited.
 *
 * <p><b>A reader of its own.</b> jsoup's charset detection accepts utf-16 in a meta element, stops at the first label
 * that is not supported, reads only the first bytes and uses Java's meaning of labels. Here the declaration is taken
 * from the parsed meta element, and the page is read again when it differs.
 */
@NullMarked
package dev.sieve.parse;

import org.jspecify.annotations.NullMarked;
