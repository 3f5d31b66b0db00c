package dev.sieve.stage;

import dev.sieve.crawl.CrawlClock;
import dev.sieve.crawl.CrawlJob;
import dev.sieve.crawl.Stage;
import dev.sieve.crawl.StageVisit;
import dev.sieve.crawl.Target;
import dev.sieve.crawl.VisitContext;
import dev.sieve.fetch.Cookie;
import dev.sieve.fetch.Exchange;
import dev.sieve.fetch.FetchRequest;
import dev.sieve.fetch.FetchResult;
import dev.sieve.fetch.FetchResult.Redirect;
import dev.sieve.fetch.FetchResult.Refused;
import dev.sieve.fetch.PageFetcher;
import dev.sieve.scope.Scope;
import dev.sieve.scope.SkipReason;
import dev.sieve.scope.SkipRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sends cookies, and keeps those that servers set: in requests of the crawl, checked ones included, to URLs that are where a
 * seed is. Requests for robots.txt are none of these. Links that end a session are not requested, unless they are seeds.
 */
public final class CookieStage implements Stage {
    /**
     * The words for the end of a session, also with what programs put between their parts. No letter is before or after them,
     * as in {@code catalogout}, except where the words of a name begin with capitals.
     */
    public static final String LOG_OUT = "(?<![A-Za-z])(?i:(?:log|sign)(?:[-_+]|%20)?(?:out|off)|abmelden|ausloggen"
            + "|deconnexion|cerrar[-_]?sesion|uitloggen|afmelden|wyloguj)(?![A-Za-z])"
            + "|(?<=[a-z])(?:Log|Sign)(?:[Oo]ut|[Oo]ff)(?![a-z])";

    private final CookieJar jar;
    private final boolean archives;
    private final Scope scope;
    private final CrawlClock clock;

    /**
     * Returns what creates the stage.
     *
     * @param file cookies to begin with, as curl and browsers write them; null for none
     * @param archives whether exchanges are recorded with cookies
     * @throws IllegalArgumentException when a line is wrong; the message names the file and the line
     * @throws IOException when the file cannot be read
     */
    public static Creation of(@Nullable Path file, boolean archives) throws IOException {
        List<Cookie> named = file == null ? List.of() : CookieJar.read(file);
        return (job, scope, clock) -> new CookieStage(job, named, archives, scope, clock);
    }

    /** Returns whether a crawl with this stage was kept in the folder of a job. */
    public static boolean wasIn(Path job) {
        return Files.exists(job.resolve(CookieJar.KIND.name()));
    }

    private CookieStage(CrawlJob job, List<Cookie> named, boolean archives, Scope scope, CrawlClock clock)
            throws IOException {
        Instant now = clock.now();
        jar = job.keepsFiles()
                ? job.part(CookieJar.class, files -> new CookieJar(files, named, now))
                : new CookieJar(null, named, now);
        this.archives = archives;
        this.scope = scope;
        this.clock = clock;
    }

    @Override
    public StageVisit visit(VisitContext visit) {
        return scope.isInPlace(visit.target().url()) ? new Visiting(visit.target()) : StageVisit.NONE;
    }

    @Override
    public Exchange exchanged(Exchange exchange) {
        return archives ? exchange : exchange.withoutCookies();
    }

    @Override
    public void flush(boolean isForced) {
        jar.flush(isForced);
    }

    private final class Visiting implements StageVisit {
        private final Target target;
        private List<String> received = List.of();

        Visiting(Target target) {
            this.target = target;
        }

        @Override
        public FetchResult fetch(FetchRequest request, PageFetcher next) {
            SkipReason excluded = target.lease().referrer() == null ? null : scope.exclusion(request.url());
            if (excluded != null && SkipRule.LOG_OUT.is(excluded)) {
                return new Refused(excluded);
            }
            String cookies = jar.field(request.url(), clock.now());
            FetchRequest all = request.with(jar.ofSite(request.url()));
            FetchRequest sent = cookies.isEmpty() ? all : all.with("Cookie", cookies);
            FetchResult result = next.fetch(sent.headTo(fields -> received = fields.apply("Set-Cookie")));
            boolean isChanged = jar.take(request.url(), received, clock.now());
            return result instanceof Redirect redirect ? redirect.afterCookies(isChanged) : result;
        }
    }
}
