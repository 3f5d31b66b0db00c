package dev.sieve.output;

import dev.sieve.fetch.Exchange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Passes everything on to several sinks, in the order in which they were added. */
public final class AllSinks implements PageSink {
    private final List<PageSink> sinks = new ArrayList<>();
    /** How many of them, the first ones, do not receive visits of unchanged URLs. */
    private int ofChanges;

    /** Adds a sink, which is closed with the others. */
    public void add(PageSink sink) {
        sinks.add(sink);
    }

    /** From now on, the sinks added so far do not receive visits that have found a URL unchanged, as the visit before them did. */
    public void leaveOutUnchanged() {
        ofChanges = sinks.size();
    }

    @Override
    public void accept(Visit visit) throws IOException {
        for (PageSink sink : sinks.subList(visit.isUnchanged() && !visit.isRecovered() ? ofChanges : 0, sinks.size())) {
            sink.accept(visit);
        }
    }

    @Override
    public void exchanged(Exchange exchange) throws IOException {
        for (PageSink sink : sinks) {
            sink.exchanged(exchange);
        }
    }

    @Override
    public void skipped(Skip skip) throws IOException {
        for (PageSink sink : sinks) {
            sink.skipped(skip);
        }
    }

    @Override
    public boolean takesLinks() {
        return sinks.stream().anyMatch(PageSink::takesLinks);
    }

    @Override
    public boolean comparesPages() {
        return sinks.stream().anyMatch(PageSink::comparesPages);
    }

    @Override
    public boolean comparesSketches() {
        return sinks.stream().anyMatch(PageSink::comparesSketches);
    }

    @Override
    public void linked(Link link) throws IOException {
        for (PageSink sink : sinks) {
            sink.linked(link);
        }
    }

    @Override
    public void linkedFrom(String url, List<String> pages) {
        sinks.forEach(sink -> sink.linkedFrom(url, pages));
    }

    @Override
    public void flush() throws IOException {
        for (PageSink sink : sinks) {
            sink.flush();
        }
    }

    /** Closes all sinks, whatever one of them throws. */
    @Override
    public void close() throws IOException {
        IOException failure = null;
        for (PageSink sink : sinks) {
            try {
                sink.close();
            } catch (IOException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
