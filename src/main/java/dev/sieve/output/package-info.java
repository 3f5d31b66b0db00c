/**
 * What a crawl stores: a {@link dev.sieve.output.Visit} for each URL that was requested and a
 * {@link dev.sieve.output.Skip} for each that was not, both passed to a {@link dev.sieve.output.PageSink}; and for sinks
 * that take them, a {@link dev.sieve.output.Link} for each link.
 *
 * <h2>Decisions</h2>
 *
 * <p><b>The link graph is a list of edges, separated by tabs.</b> Each line is an edge, so that a file can be continued
 * after a crash, joined with others, sorted and cut, and is written and read without keeping the graph in memory. GraphML,
 * GEXF and DOT begin with a declaration and end with a closing tag, or want each node before its edges. Graph tools, data
 * bases and shell tools all read such lists. Commas are frequent in URLs, where tabs are not allowed.
 *
 * <p><b>The list has no header.</b> Every line is an edge. A file of comma-separated values has one, because spreadsheets
 * and data frames name columns by it.
 */
package dev.sieve.output;
