/**
 * What a crawl may do besides what every crawl does: {@link dev.sieve.crawl.Stage}s, which the loop calls and does not
 * know.
 *
 * <ul>
 *   <li>{@code Sitemaps} finds sitemaps and queues what they list.
 *   <li>{@code DuplicateStage} compares the texts of pages: {@code KnownTexts}.
 *   <li>{@code FragmentStage} notes the parts of pages and the links to them, {@code Fragments}, and checks these links
 *   after the last request: {@code FragmentCheck}.
 *   <li>{@code CookieStage} sends cookies, and keeps those that servers set: {@code CookieJar}. Its option creates it.
 *   <li>{@code CheckedLinks} marks what is newly broken, and has the results of links that worked in an earlier run.
 *   <li>{@code RoundStage} visits the pages of a job again: {@code Rounds}. {@code KnownPages} stores what is known of
 *   each, {@code Revisit} compares a visit with it, and {@code RevisitRule} decides when the next one is due.
 * </ul>
 *
 * <p>{@link dev.sieve.stage.AllStages} creates those that the options request, in an order that it explains; {@code
 * docs/code.md} says how to add one. A stage may also answer a request in place of the fetcher, for the URLs that it
 * chooses; it then calls the watch of the request before it sends something.
 */
@NullMarked
package dev.sieve.stage;

import org.jspecify.annotations.NullMarked;
