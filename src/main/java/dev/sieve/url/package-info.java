/**
 * One spelling per page.
 *
 * <p>{@link dev.sieve.url.Seeds} reads the URLs to begin with, {@link dev.sieve.url.UrlNormalizer} gives every URL the
 * spelling that is fetched and the key that it is known by, and {@link dev.sieve.url.UrlParts} cuts hosts and origins
 * out of them. Nothing here opens a connection, and what a hostile page writes into a link neither throws nor takes
 * more than bounded time and memory.
 *
 * <h2>Decisions</h2>
 *
 * <p><b>A parser of our own.</b> OkHttp's {@code HttpUrl} maps international domains and reads IPv6 addresses and the
 * public suffix list here, and it is what fetches in the end; but it takes odd IPv4 spellings for domains, lets some
 * forbidden characters into hosts, escapes otherwise than the standard, and costs several times as much. Whatever this
 * parser accepts, {@code HttpUrl} accepts, with the same host; the one exception is an IPv4 address in IPv6 clothes,
 * {@code ::ffff:127.0.0.1}, which it undresses.
 *
 * <p><b>Credentials are dropped</b> from what is fetched, not only from the key: a link on a stranger's page must not
 * choose the name under which the crawler logs in somewhere, and a password does not belong into a log.
 *
 * <p><b>A broken port or label is refused</b> though the standard lets {@code http://a..b/} and {@code http://h:0/}
 * pass, for no machine can be asked for them.
 */
package dev.sieve.url;
