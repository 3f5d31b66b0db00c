package dev.sieve.output;

import dev.sieve.fetch.BotWall;
import dev.sieve.fetch.FetchResult;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The fields of the record of a visit, in their order. A value is a text, a number, a time, true, or a map of
 * such values and lists of them; null when it does not apply.
 */
public enum VisitField {
    URL(Visit::url),
    KEY(Visit::key),
    DEPTH(Visit::depth),
    REFERRER(Visit::referrer),
    STATUS(visit -> visit.result().status() == 0 ? null : visit.result().status()),
    TYPE(visit -> visit.page() == null ? null : orNull(visit.page().type())),
    BYTES(visit -> visit.page() == null ? null : visit.page().length()),
    MS(visit -> visit.timing().took().toMillis()),
    WAITED_MS(visit -> visit.timing().waited().toMillis()),
    FETCHED_AT(visit -> visit.timing().fetchedAt()),
    REDIRECT_TO(visit -> visit.result() instanceof FetchResult.Redirect redirect ? redirect.target() : null),
    TITLE(visit -> orNull(visit.title())),
    LINKS(VisitField::links),
    ERROR(VisitField::error),
    CUT(visit -> (visit.page() != null && visit.page().isCut()) ? true : null),
    CHECK(visit -> visit.isCheck() ? true : null),
    ACCEPTED(visit -> visit.isAccepted() ? true : null),
    MOVED,
    EARLIER,
    NEWLY_BROKEN,
    WALL(VisitField::wall),
    LOGIN(visit -> visit.page() == null || visit.page().login() == null
            ? null
            : visit.page().login().text()),
    RENDERED,
    DIGEST(likeness(each -> digits(each.digest()))),
    TEXT_DIGEST(likeness(each -> digits(each.textDigest()))),
    DESCRIPTION(likeness(each -> orNull(each.description()))),
    CANONICAL(likeness(Likeness::canonical)),
    DUPLICATE_OF(likeness(Likeness::duplicateOf)),
    SKETCH(likeness(Likeness::sketch)),
    CHANGE(history(each -> each.change().text())),
    SAME_TEXT(history(each -> each.hasSameText() ? true : null)),
    LAST_VISIT(
            history(each -> each.lastVisit() == null ? null : each.lastVisit().toString())),
    LAST_STATUS(history(each -> each.lastStatus() <= 0 ? null : each.lastStatus())),
    LAST_CHANGE(history(each -> each.lastChange().toString())),
    VISITS(history(History::visits)),
    SIGNALS,
    META,
    TEXT_CUT,
    TEXT;

    /** The fields that lists of pages show, and the headings of their columns; those of numbers begin with {@code #}. */
    public static final Map<VisitField, String> LISTED = listed();

    private static Map<VisitField, String> listed() {
        Map<VisitField, String> headings = new LinkedHashMap<>();
        headings.put(URL, "URL");
        headings.put(TITLE, "Title");
        headings.put(STATUS, "#Status");
        headings.put(TYPE, "Type");
        headings.put(MS, "#Time");
        headings.put(BYTES, "#Size");
        return Collections.unmodifiableMap(headings);
    }

    @SuppressWarnings("ImmutableEnumChecker") // the functions have no state
    private final Function<Visit, @Nullable Object> value;

    private final String text = name().toLowerCase(Locale.ROOT);

    VisitField() {
        value = visit -> visit.content().more().get(text);
    }

    VisitField(Function<Visit, @Nullable Object> value) {
        this.value = value;
    }

    public String text() {
        return text;
    }

    /** Returns the value for a visit; null when the field does not apply. */
    public @Nullable Object of(Visit visit) {
        return value.apply(visit);
    }

    private static Function<Visit, @Nullable Object> likeness(Function<Likeness, @Nullable Object> value) {
        return visit -> visit.likeness() == null ? null : value.apply(visit.likeness());
    }

    private static @Nullable String digits(long digest) {
        return digest == 0 ? null : HexFormat.of().toHexDigits(digest);
    }

    private static Function<Visit, @Nullable Object> history(Function<History, @Nullable Object> value) {
        return visit -> visit.history() == null ? null : value.apply(visit.history());
    }

    private static @Nullable Integer links(Visit visit) {
        return visit.page() == null || !visit.page().isHtml() || visit.isCheck()
                ? null
                : visit.links().size();
    }

    private static @Nullable String wall(Visit visit) {
        BotWall wall = visit.page() == null ? null : visit.page().wall();
        return wall == null ? null : wall.text();
    }

    private static @Nullable String error(Visit visit) {
        return orNull(visit.result().description());
    }

    private static @Nullable String orNull(String text) {
        return text.isEmpty() ? null : text;
    }
}
