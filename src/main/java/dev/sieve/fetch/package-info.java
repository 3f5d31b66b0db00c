/**
 * A URL in, a response or a reason out: {@link dev.sieve.fetch.Fetcher} sends one request and returns a
 * {@link dev.sieve.fetch.FetchResult} for everything that a server may do. {@link dev.sieve.fetch.Origins} takes
 * responses from a source on this machine, if that has the URL. No signature contains a type of a library.
 *
 * <p>The HTTP client, OkHttp, is used by its public interface, and does nothing by itself; {@code ClientActsTest}
 * provokes each act. It connects, keeps connections, writes the head of a request, and ends a call at its deadline. It
 * is given sockets of plain HTTP ({@code WireSocket}), whose streams secure and limit the connection, and know the
 * framing of responses. In place of a response it reads one with the status 200 and no fields ({@code ResponseStream}),
 * so that it follows, repeats, authenticates, stores, decodes and refuses nothing, and a connection is used again only
 * when that was decided here. For an HTTP proxy it writes whole URLs; the tunnel of one is opened here, too. By HTTP/2,
 * which few origins require, it also reads the frames; what it may read of them is limited in {@code Http2Frames}. Its
 * repetition of failed requests, its redirects and its cookies are switched off.
 */
@NullMarked
package dev.sieve.fetch;

import org.jspecify.annotations.NullMarked;
