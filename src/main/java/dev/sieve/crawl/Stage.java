package dev.sieve.crawl;

import dev.sieve.fetch.Exchange;
import dev.sieve.fetch.LocalSource;
import dev.sieve.output.PageSink;
import dev.sieve.output.Visit;
import dev.sieve.robots.RobotsRules;
import dev.sieve.scope.Scope;
import java.io.IOException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Something that a crawl may do besides what every crawl does. The loop calls all stages in the order in which they
 * were created, and does not depend on what they are. A method that is not overridden does nothing. Safe for use by
 * many threads.
 */
public interface Stage {
    interface Creation {
        /** Returns the stage; the scope is that of the crawl, which its seeds widen. */
        Stage of(CrawlJob job, Scope scope, CrawlClock clock) throws IOException;

        /** Returns how many requests a visit makes at once besides that for its URL, for which there has to be memory. */
        default int parts() {
            return 0;
        }
    }

    default void open(PageSink sink) throws IOException {}

    /** Receives what robots.txt says on the origin of a URL, before it is requested. */
    default void rules(Target target, RobotsRules rules) {}

    /** Returns the part of the stage in a visit that begins. */
    default StageVisit visit(VisitContext visit) {
        return StageVisit.NONE;
    }

    /** Returns where the responses for some URLs are without a request; null if it has none. Called once. */
    default @Nullable LocalSource source() {
        return null;
    }

    /** Returns a visit, or what was found broken without one, as it is recorded. */
    default Visit recorded(Visit visit) {
        return visit;
    }

    /** Returns an exchange as it is recorded. */
    default Exchange exchanged(Exchange exchange) {
        return exchange;
    }

    /**
     * Stores what visits say, also beyond a power cut if it is forced, after the sink has stored their records and
     * before their URLs are done. Called with the lock of the sink held.
     */
    default void flush(boolean isForced) {}

    /**
     * Does what remains after the last request, and returns whether that is complete. When {@code hasToEnd} returns
     * true, the next run does the rest.
     */
    default boolean end(Ending ending, BooleanSupplier hasToEnd) throws IOException {
        return true;
    }

    /** Ends what is in progress. Called when requests take too long at the end of a crawl, and when it is closed. */
    default void stop() {}

    /** Notes that what the run has found out is stored. Not called when the crawl has failed. */
    default void close() {}
}
