package dev.sieve.output;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a crawl with rounds knows of a URL after a visit. Times have whole seconds.
 *
 * @param change what has become of it since the visit before
 * @param hasSameText whether the body has changed, but not the visible text
 * @param lastVisit when it was visited before; null when it was not
 * @param lastStatus the status of that visit; 0 if there was no usable response, -1 if there was no visit
 * @param lastChange when a visit last found it new, changed, moved, gone or back; this one included
 * @param visits how often it was visited, this one included
 */
public record History(
        Change change,
        boolean hasSameText,
        @Nullable Instant lastVisit,
        int lastStatus,
        Instant lastChange,
        int visits) {}
