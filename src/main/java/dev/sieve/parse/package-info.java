/**
 * A document in, its links out: {@link dev.sieve.parse.LinkExtractor} reads HTML, {@link dev.sieve.parse.SitemapReader}
 * reads sitemaps, feeds and lists.
 */
package dev.sieve.parse;
