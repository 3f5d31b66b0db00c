package dev.sieve.output;

import dev.sieve.fetch.FetchResult;
import org.jspecify.annotations.Nullable;

/** A URL that was requested, as the values of the {@link VisitField fields} of its record. */
public interface Row {
    /** Returns the value of a field; null when it does not apply. */
    @Nullable
    Object value(VisitField field);

    static Row of(Visit visit) {
        return field -> field.of(visit);
    }

    /** Returns the text of a field; null without one. */
    default @Nullable String text(VisitField field) {
        return value(field) instanceof String text ? text : null;
    }

    /** Returns the number of a field; 0 without one. */
    default long number(VisitField field) {
        return value(field) instanceof Number number ? number.longValue() : 0;
    }

    default boolean is(VisitField field) {
        return Boolean.TRUE.equals(value(field));
    }

    /** Returns the HTTP status; 0 without a response. */
    default int status() {
        return (int) Math.min(Integer.MAX_VALUE, number(VisitField.STATUS));
    }

    /** Returns whether the URL is out of scope, and was requested only to check whether it works. */
    default boolean isCheck() {
        return is(VisitField.CHECK);
    }

    /** Judges what was found. No other method does. */
    default Verdict verdict() {
        String failure = failure();
        if (failure != null) {
            return failure.equals(FetchResult.Reason.FRAGMENT.text()) ? Verdict.FRAGMENT : Verdict.FAILED;
        } else if (text(VisitField.REDIRECT_TO) != null) {
            return is(VisitField.MOVED) ? Verdict.MOVED : Verdict.REDIRECT;
        }
        for (Verdict each : Verdict.ofOthers()) {
            if (responder(each) != null) {
                return each;
            }
        }
        return is(VisitField.ACCEPTED) ? Verdict.ACCEPTED : status() >= 400 ? Verdict.ERROR : Verdict.PAGE;
    }

    /** Returns the name of what has responded in place of the site, if that is the verdict; null otherwise. */
    default @Nullable String responder(Verdict verdict) {
        return verdict.isOfOther() ? text(VisitField.valueOf(verdict.name())) : null;
    }

    /** Returns the failure in a word or two, with what happened to robots.txt if it is that; or else the status. */
    default String reason() {
        String failure = failure();
        return failure == null ? String.valueOf(status()) : failure;
    }

    /** Returns why no response can be used; null if one can. A page that was cut can be used, whatever its error. */
    private @Nullable String failure() {
        String error = text(VisitField.ERROR);
        if (error == null || is(VisitField.CUT)) {
            return null;
        }
        String robots = FetchResult.Reason.ROBOTS.text() + ": ";
        int detail = error.indexOf(": ", error.startsWith(robots) ? robots.length() : 0);
        return detail < 0 ? error : error.substring(0, detail);
    }
}
