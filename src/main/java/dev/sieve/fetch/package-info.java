/**
 * A URL in, a page or a reason out.
 *
 * <p>{@link dev.sieve.fetch.Fetcher} makes one request and turns whatever a server does into a
 * {@link dev.sieve.fetch.FetchResult}; {@link dev.sieve.fetch.LinkExtractor} reads where a page leads to;
 * {@link dev.sieve.fetch.SitemapReader} what a sitemap lists; {@link dev.sieve.fetch.RobotsCache} asks each origin once
 * for what it allows. No type of a library stands in a signature.
 */
package dev.sieve.fetch;
