/**
 * What people look at: the report of a crawl, its live page, and its metrics.
 *
 * <p>A {@link dev.sieve.report.CrawlRecord} receives what a crawl finds, a sample of its numbers once per second, and
 * the capacity events of its frontier. It keeps aggregates and lists of limited length ({@code Aggregate}, {@code
 * Bounds}), and writes lines to the journal of the crawl ({@code JournalFormat}), from which a later run of a job
 * restores it. A {@link dev.sieve.report.ReportPage} shows a record; a {@link dev.sieve.report.ReportInput} makes a
 * record of the output of earlier crawls. A {@link dev.sieve.report.LiveServer} shows a record while the crawl runs,
 * and answers with the metrics of {@link dev.sieve.report.CrawlerMetrics} and {@link dev.sieve.report.FrontierMetrics}.
 * In a crawl that many processes share, each stores a {@code Share}: an aggregate with shorter lists, which the others
 * merge into one.
 *
 * <p>A new {@link dev.sieve.crawl.Counter} is in the journal and the metrics at once, and in the report where {@code
 * Overview} shows it. A new fact about a page is a {@link dev.sieve.output.VisitField}, which is in the journal and in
 * an {@code Entry} at once. Other new lines of the journal are components of {@code JournalFormat.Note}.
 *
 * <h2>Decisions</h2>
 *
 * <p><b>Jackson jr binds records to JSON.</b> It is 111 KB, and Jackson's databind is 1.7 MB with its annotations.
 *
 * <p><b>Charts are drawn by Chart.js in the browser, from the cells of tables.</b> The tables are made on the server
 * side, and are all there is without JavaScript, on a screen reader, or in a text browser: a chart adds nothing that
 * they lack, so that no second copy of the numbers can differ from the first. SVG made on the server side would need
 * code for axes, ticks, tooltips and narrow screens, which a well-kept library has. uPlot is smaller, but draws only
 * time series; status classes, depth and types are bars. Chart.js is 200 KB of a report of at most 1 MB.
 *
 * <p><b>The page is a DOM of jsoup, not a template.</b> Text is set as text, so nothing that a server has sent can
 * become markup, whatever it is, and no place can be forgotten. Links lead only to http and https. The
 * Content-Security-Policy allows the hashes of the scripts and the style of the page, and forbids everything else,
 * requests included; so even markup that did get in could neither run nor send anything.
 *
 * <p><b>Referrers are found by a second pass.</b> Which links are broken is known only at the end, and all links of a
 * crawl do not fit into memory. The journal has 8 bytes per link; at the end it is read once, and each hash is looked
 * up among the broken links that are listed. Two URLs have the same hash with probability 2^-64; someone who makes such
 * a pair on purpose gets a wrong referrer into the report.
 *
 * <p><b>Lists keep what came first, except those of extremes.</b> Hosts, types and reasons beyond the limit are counted
 * together; broken links, redirects and examples beyond it are only counted. Totals are exact. A sketch that keeps the
 * most frequent hosts would make every number of the table an estimate.
 *
 * <p><b>Response times are counted in buckets,</b> of which each is 9 % wider than the one before: 600 bytes per host,
 * and percentiles within 5 %.
 *
 * <p><b>The journal is a file of its own.</b> The JSONL output may be absent, may be standard output, and has neither
 * samples nor links. A line has a checksum, since a report of damaged lines would be wrong without a sign of it.
 */
@NullMarked
package dev.sieve.report;

import org.jspecify.annotations.NullMarked;
