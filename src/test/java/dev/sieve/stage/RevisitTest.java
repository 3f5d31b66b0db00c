package dev.sieve.stage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.fetch.FetchResult;
import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.fetch.FetchResult.Redirect;
import dev.sieve.output.Change;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RevisitTest {
    private static final String DATE = "Sun, 06 Nov 1994 08:49:37 GMT";

    private final KnownPage seen = new KnownPage(
            -1,
            0,
            "http://h.test/",
            new KnownPage.Discovery(0, KnownPage.NO_REFERRER),
            KnownPage.Content.unread(null),
            KnownPage.Visits.NONE,
            KnownPage.NO_LINKS);
    private @Nullable KnownPage known;
    private long time = 1000;

    private static Page page(int status, String body, String... headers) {
        Map<String, List<String>> fields = new LinkedHashMap<>();
        for (int i = 0; i < headers.length; i += 2) {
            fields.put(headers[i], List.of(headers[i + 1]));
        }
        return new Page(status, fields, "text/html", body.getBytes(UTF_8), body.length(), false);
    }

    private Revisit visit(FetchResult result, long text) {
        time += 10;
        Revisit visit = Revisit.of(known, seen, result, false, text, Instant.ofEpochSecond(time), RevisitRuleTest.RULE);
        known = visit.page();
        return visit;
    }

    private Change change(FetchResult result) {
        return visit(result, 0).history().change();
    }

    @Test
    void eachChangeIsNamed() {
        Failed failed = new Failed(0, Reason.TIMEOUT, "");
        assertThat(change(page(200, "a"))).isEqualTo(Change.NEW);
        assertThat(change(page(200, "a"))).isEqualTo(Change.UNCHANGED);
        assertThat(change(page(200, "b"))).isEqualTo(Change.CHANGED);
        assertThat(change(page(304, ""))).isEqualTo(Change.UNCHANGED);
        assertThat(change(failed)).isEqualTo(Change.FAILED);
        assertThat(change(page(500, "x"))).isEqualTo(Change.FAILED);
        assertThat(change(page(200, "b"))).as("after failures").isEqualTo(Change.UNCHANGED);
        assertThat(change(page(404, "x"))).isEqualTo(Change.GONE);
        assertThat(change(page(410, "y"))).isEqualTo(Change.UNCHANGED);
        assertThat(change(failed)).isEqualTo(Change.FAILED);
        assertThat(change(page(404, "x"))).isEqualTo(Change.UNCHANGED);
        assertThat(change(page(200, "b"))).isEqualTo(Change.BACK);
        assertThat(change(new Redirect(301, "http://h.test/a"))).isEqualTo(Change.MOVED);
        assertThat(change(new Redirect(302, "http://h.test/a"))).isEqualTo(Change.UNCHANGED);
        assertThat(change(new Redirect(302, "http://h.test/b"))).isEqualTo(Change.MOVED);
        assertThat(change(page(200, "b"))).isEqualTo(Change.BACK);
    }

    @Test
    void anEmptyPageIsTheSameWhateverItsHeaderSays() {
        assertThat(change(page(200, "", "last-modified", DATE, "etag", "\"1\"")))
                .isEqualTo(Change.NEW);
        assertThat(change(page(200, "", "etag", "\"2\"", "content-length", "0")))
                .isEqualTo(Change.UNCHANGED);
        assertThat(change(page(200, "a", "etag", "\"3\""))).isEqualTo(Change.CHANGED);
        assertThat(change(page(200, "", "etag", "\"4\""))).isEqualTo(Change.CHANGED);
        assertThat(change(page(200, "", "etag", "\"4\""))).isEqualTo(Change.UNCHANGED);
    }

    @Test
    void aPageThatIsNotModifiedIsNotBrokenAnyMore() {
        visit(page(203, "a", "etag", "\"x\""), 0);
        assertThat(visit(page(304, ""), 0).page().visits().status()).isEqualTo(203);
        assertThat(visit(page(500, ""), 0).page().visits().status()).isEqualTo(500);
        assertThat(visit(page(304, ""), 0).history().lastStatus()).isEqualTo(500);
        assertThat(visit(page(304, ""), 0).history().lastStatus()).isEqualTo(200);
        assertThat(visit(page(500, ""), 0).history().lastStatus()).isEqualTo(200);
    }

    @Test
    void aFailureWithTheStatusOfASuccessHasNone() {
        visit(new Failed(302, Reason.BAD_REDIRECT, "to itself"), 0);
        visit(new Failed(200, Reason.BROKEN, ""), 0);
        assertThat(visit(new Failed(503, Reason.BROKEN, ""), 0).history().lastStatus())
                .isZero();
        assertThat(visit(page(200, ""), 0).history().lastStatus()).isEqualTo(503);
    }

    @Test
    void theFirstVisitIsNewWhateverItsResult() {
        assertThat(change(page(404, ""))).isEqualTo(Change.NEW);
        assertThat(change(page(404, ""))).isEqualTo(Change.UNCHANGED);
        known = null;
        assertThat(change(new Failed(0, Reason.DNS, ""))).isEqualTo(Change.NEW);
        assertThat(change(page(200, ""))).isEqualTo(Change.BACK);
    }

    @Test
    void onlyTheMarkupHasChangedWhenTheTextIsTheSame() {
        visit(page(200, "<b>a</b>"), 5);
        assertThat(visit(page(200, "<i>a</i>"), 5).history().hasSameText()).isTrue();
        assertThat(visit(page(200, "<i>b</i>"), 6).history().hasSameText()).isFalse();
        assertThat(visit(page(200, "<i>b</i>"), 6).history().hasSameText()).isFalse();
    }

    @Test
    void timesAndVisitsAreThoseOfTheVisits() {
        visit(page(200, "a"), 0);
        visit(page(200, "a"), 0);
        Revisit third = visit(page(200, "b"), 0);
        assertThat(third.history().lastVisit()).isEqualTo(Instant.ofEpochSecond(1020));
        assertThat(third.history().lastStatus()).isEqualTo(200);
        assertThat(third.history().lastChange()).isEqualTo(Instant.ofEpochSecond(1030));
        assertThat(third.history().visits()).isEqualTo(3);
        Revisit fourth = visit(new Failed(0, Reason.DNS, ""), 0);
        assertThat(fourth.history().lastChange()).isEqualTo(Instant.ofEpochSecond(1030));
        assertThat(fourth.isSame()).isTrue();
    }

    @Test
    void aRequestIsConditionalByTheBestValidator() {
        assertThat(Revisit.conditions(null)).isEmpty();
        visit(page(200, "a"), 0);
        assertThat(Revisit.conditions(known)).isEmpty();
        visit(page(200, "a", "last-modified", DATE), 0);
        assertThat(Revisit.conditions(known)).containsExactly(Map.entry("If-Modified-Since", DATE));
        visit(page(200, "a", "last-modified", DATE, "etag", "W/\"x\""), 0);
        assertThat(Revisit.conditions(known)).containsExactly(Map.entry("If-None-Match", "W/\"x\""));
        visit(page(200, "a", "last-modified", "yesterday", "etag", "x y"), 0);
        assertThat(Revisit.conditions(known)).isEmpty();
        visit(page(200, "a", "etag", "\"x\""), 0);
        visit(page(404, "a", "etag", "\"x\""), 0);
        assertThat(Revisit.conditions(known)).isEmpty();
        visit(page(412, ""), 0);
        assertThat(Revisit.conditions(known))
                .as("after the server has rejected one")
                .isEmpty();
        visit(page(200, "b", "etag", "\"y\""), 0);
        assertThat(Revisit.conditions(known)).isNotEmpty();
    }

    @Test
    void aBodyThatIsNotReadIsIdentifiedByItsHeaderFields() {
        visit(file("5"), 0);
        assertThat(change(file("5"))).isEqualTo(Change.UNCHANGED);
        assertThat(change(file("6"))).isEqualTo(Change.CHANGED);
    }

    private static Page file(String length) {
        return new Page(200, Map.of("content-length", List.of(length)), "application/pdf", new byte[0], 0, false);
    }

    @Test
    void intervalFollowsChangesAndTheServer() {
        int day = 86_400;
        assertThat(visit(page(200, "a"), 0).page().visits().interval()).isEqualTo(day);
        assertThat(visit(page(304, ""), 0).page().visits().interval()).isEqualTo(day * 3 / 2);
        assertThat(visit(page(200, "a"), 0).page().visits().interval()).isEqualTo(day * 9 / 4);
        assertThat(visit(page(500, ""), 0).page().visits().interval()).isEqualTo(day * 9 / 4);
        assertThat(visit(page(200, "b"), 0).page().visits().interval()).isEqualTo(day * 9 / 8);
        Page fresh = page(200, "b", "cache-control", "public, max-age=432000");
        assertThat(visit(fresh, 0).page().visits().interval()).isEqualTo(5 * day);
        Page forgotten = page(200, "c", "cache-control", "no-cache, max-age=9999999");
        assertThat(visit(forgotten, 0).page().visits().interval()).isEqualTo(5 * day / 2);
    }
}
