/**
 * What a crawl stores: a {@link dev.sieve.output.Visit} for each URL that was requested and a {@link
 * dev.sieve.output.Skip} for each that was not; for sinks that take them, a {@link dev.sieve.output.Link} for each
 * link, and what was sent and received. All are passed to a {@link dev.sieve.output.PageSink}.
 *
 * <p>An {@link dev.sieve.output.OutputFormat} describes itself; the command, its checks and its help have what they
 * need from {@link dev.sieve.output.OutputFormats}; {@code docs/code.md} says how to add one. It does not remove what a
 * crash has left: {@link dev.sieve.output.OutputFile} cuts files to their stored ends.
 *
 * <h2>Decisions about the link graph</h2>
 *
 * <p><b>The link graph is a list of edges, separated by tabs.</b> Each line is an edge, so that a file can be continued
 * after a crash, joined with others, sorted and cut, and is written and read without keeping the graph in memory.
 * GraphML, GEXF and DOT begin with a declaration and end with a closing tag, or list each node before its edges. Graph
 * tools, data bases and shell tools all read such lists. Commas are frequent in URLs, where tabs are not allowed.
 *
 * <p><b>The list has no header.</b> Every line is an edge. A file of comma-separated values has one, because
 * spreadsheets and data frames name columns by it.
 *
 * <h2>Decisions about archives</h2>
 *
 * <p><b>Digests are SHA-1 in base 32.</b> That is what indexes of archives contain, and by what replay tools match a
 * {@code revisit} record with the payload; some of them accept nothing else. It protects against faults, not against
 * people: a server that makes two payloads with the same digest hides its own second one.
 *
 * <p><b>Chunks are joined, and {@code Transfer-Encoding} stays.</b> The headers are evidence and are not altered.
 * Readers recognise that a body is not chunked, unless it happens to look like a chunk, or is empty. Such a body is
 * written as one chunk, without a digest of the payload, which readers compute differently for chunks.
 *
 * <p><b>The first file has the name that was given.</b> Most crawls need only one, and it should be where the user
 * expects it. Those that follow are numbered.
 *
 * <p><b>Requests without a response are not archived.</b> Whether they were sent is not known.
 *
 * <p><b>A header with bytes that are not UTF-8 is not exact.</b> The HTTP client replaces them by U+FFFD. What
 * surrounds the values, and interim responses such as 103, are not kept either.
 *
 * <p><b>Records are compressed by the JDK.</b> The channel of jwarc always uses the highest level of compression, which
 * takes much more time for few bytes less.
 */
@NullMarked
package dev.sieve.output;

import org.jspecify.annotations.NullMarked;
