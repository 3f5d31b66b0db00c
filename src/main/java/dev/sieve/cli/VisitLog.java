package dev.sieve.cli;

import dev.sieve.output.PageSink;
import dev.sieve.output.Skip;
import dev.sieve.output.Visit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs each response, and each URL that is not requested, at the level DEBUG. */
final class VisitLog implements PageSink {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.visits");

    @Override
    public void accept(Visit visit) {
        LOG.debug(
                "{}  {}  {} ms",
                visit.result().error().isEmpty()
                        ? visit.result().status()
                        : visit.result().error(),
                visit.url(),
                visit.timing().took().toMillis());
    }

    @Override
    public void skipped(Skip skip) {
        LOG.debug("skipped  {}  {}", skip.url(), skip.reason().text());
    }
}
