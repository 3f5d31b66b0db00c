/**
 * A stage that renders pages in a browser: {@link dev.sieve.browser.RenderStage}. Only a crawl that renders pages loads
 * it.
 *
 * <p>The fetcher of the crawl requests the document of a page, like that of any page; {@link
 * dev.sieve.browser.RenderRule} decides; {@code PageTab} shows it in a {@code Chromium}, and {@code PageParts} answers
 * its requests; then it is written as HTML, and takes the place of the document. So redirects, statuses, archives and
 * rounds are the same for all pages.
 *
 * <p><b>The browser has no network.</b> It pauses each request, and receives the response from here, by the fetcher of
 * the crawl: so addresses, robots.txt, delays, proxies, limits and certificates are the same as for pages. Whatever is
 * not paused, such as a WebSocket, goes to a proxy that does not exist. A proxy of ours could not read what it passes
 * on, and would be open to other programs. What pages mostly request, their images, is switched off.
 *
 * <p><b>A pipe, not a port.</b> Any program of the machine can connect to a port and control the browser, and a browser
 * with a port outlives the program that has started it. So a browser that runs already cannot be used.
 *
 * <p><b>A client of our own.</b> {@code Cdp} needs a dozen methods of the DevTools protocol. Playwright starts a
 * process of Node per thread and downloads browsers; Selenium needs a driver per version of the browser; HtmlUnit runs
 * the scripts of strangers in this process, without a limit of memory.
 *
 * <p><b>A tab is used again.</b> Opening a tab takes more time of the processor than rendering most pages, so a tab
 * shows many, at best of one origin: the browser starts a process for another site. Between them it is emptied. An
 * empty document between them would take as much time as a page, so the scripts of a page that has ended are stopped,
 * what it has stored is deleted, and a tab in which something goes on is closed.
 *
 * <p><b>Where a script leads is a link.</b> The browser does not follow it, since that would be a page without a visit.
 */
@NullMarked
package dev.sieve.browser;

import org.jspecify.annotations.NullMarked;
