package dev.sieve.scope;

import java.util.List;
import java.util.stream.Stream;

/**
 * Which URLs of a host are requested before its others: those that match the first expression, then those that match
 * the second one, and so on. The limits of {@link Scope} apply to the expressions; one that takes too many steps on a
 * URL does not match it.
 *
 * <p>Immutable.
 */
public final class UrlOrder {
    /** The order in which URLs were found. */
    public static final UrlOrder AS_FOUND = new UrlOrder(List.of());

    private static final SkipReason NOT_FOUND = new SkipReason("not found");

    private final List<Expression> expressions;

    private UrlOrder(List<Expression> expressions) {
        this.expressions = expressions;
    }

    /**
     * Returns this order with a further expression, which has to match some part of a URL.
     *
     * @throws IllegalArgumentException when it is not valid; the message has the expression and the position
     */
    public UrlOrder then(String regex) {
        return new UrlOrder(Stream.concat(expressions.stream(), Stream.of(new Expression("first", regex)))
                .toList());
    }

    public int size() {
        return expressions.size();
    }

    /** Returns the index of the first expression that matches a URL; {@link #size} when none does. */
    public int lane(String url) {
        int lane = 0;
        while (lane < size() && expressions.get(lane).find(url, null, NOT_FOUND) != null) {
            lane++;
        }
        return lane;
    }
}
