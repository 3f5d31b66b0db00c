/**
 * A URL in, a response or a reason out: {@link dev.sieve.fetch.Fetcher} sends one request and returns a
 * {@link dev.sieve.fetch.FetchResult} for everything that a server may do. {@link dev.sieve.fetch.Origins} takes
 * responses from a source on this machine, if that has the URL. No signature contains a type of a library.
 *
 * <p>The HTTP client sends, repeats, follows, stores and decodes nothing by itself. {@code ClientActsTest} provokes each line:
 *
 * <table>
 * <caption>What OkHttp does by itself, and what holds here</caption>
 * <tr><th>part of OkHttp</th><th>what it would do</th><th>here</th></tr>
 * <tr><td>RetryAndFollowUpInterceptor</td><td>redirects; a second request after 401, 407, 408, 421, 503</td>
 *   <td>it receives a status of 200 and no fields; the result is made of the response on the wire</td></tr>
 * <tr><td>RetryAndFollowUpInterceptor</td><td>repeats a request after a failure</td>
 *   <td>switched off; {@code CLOSED} says that the caller may repeat it</td></tr>
 * <tr><td>BridgeInterceptor</td><td>adds fields to requests</td><td>Host and Connection; the rest is set here</td></tr>
 * <tr><td>BridgeInterceptor</td><td>decodes gzip, and removes two fields</td><td>see ContentCoding</td></tr>
 * <tr><td>BridgeInterceptor</td><td>stores cookies</td><td>switched off</td></tr>
 * <tr><td>CacheInterceptor</td><td>stores responses</td><td>nothing is cached</td></tr>
 * <tr><td>ConnectInterceptor</td><td>uses a connection again</td>
 *   <td>for the same host, while it holds nothing but responses, see Connections</td></tr>
 * <tr><td>ConnectInterceptor</td><td>shares a connection between hosts; reads ahead, answers pings and repeats refused
 *   streams</td><td>not in HTTP/1.1; for HTTP/2 its connections are not used, see Http2Call</td></tr>
 * <tr><td>ConnectInterceptor</td><td>tries several addresses</td><td>before a request is sent</td></tr>
 * <tr><td>ConnectInterceptor</td><td>calls the authenticator of a proxy, also after each 407</td>
 *   <td>credentials are sent with CONNECT, or with a request that the proxy reads, and once</td></tr>
 * <tr><td>CallServerInterceptor</td><td>Expect: 100-continue, upgrades</td><td>no request has a body, or such a field</td></tr>
 * <tr><td>CallServerInterceptor</td><td>skips interim responses</td><td>so it does; WireLimit counts them</td></tr>
 * <tr><td>CallServerInterceptor</td><td>refuses 204 and 205 with a length</td><td>they have their status, and no body</td></tr>
 * </table>
 */
@NullMarked
package dev.sieve.fetch;

import org.jspecify.annotations.NullMarked;
