/**
 * Normalises URLs: the URL that is fetched, and the key that identifies a page.
 *
 * <p>{@link dev.sieve.url.Seeds} reads the URLs that a crawl starts from, {@link dev.sieve.url.UrlNormalizer} converts
 * every URL into the spelling that is fetched and computes its key, and {@link dev.sieve.url.UrlParts} extracts hosts
 * and origins. This package opens no connections. A hostile link neither causes an exception nor takes more than
 * bounded time and memory.
 *
 * <h2>Decisions</h2>
 *
 * <p><b>Our own parser.</b> OkHttp's {@code HttpUrl} maps international domains and holds the public suffix list;
 * nothing else here needs OkHttp, which is an optional dependency. It does not parse the links, because it takes
 * unusual spellings of IPv4 addresses for domains, accepts some forbidden characters in hosts, escapes other characters
 * than the standard does, and costs several times as much. {@code HttpUrl} accepts every URL that this parser accepts,
 * with the same host. The only exception is an IPv4-mapped IPv6 address such as {@code ::ffff:127.0.0.1}, which {@code
 * HttpUrl} turns into plain IPv4: the Host field of the request then has {@code 127.0.0.1}, the same address.
 *
 * <p><b>Credentials are dropped</b> from the URL that is fetched, not only from the key: a link on a foreign page must
 * not choose the account with which the crawler logs in, and passwords must not appear in logs.
 *
 * <p><b>A broken port or label is refused</b> although the standard accepts {@code http://a..b/} and
 * {@code http://h:0/}, because no server can have that address.
 */
@NullMarked
package dev.sieve.url;

import org.jspecify.annotations.NullMarked;
