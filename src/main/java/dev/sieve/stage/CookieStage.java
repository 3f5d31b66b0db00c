package dev.sieve.stage;

import dev.sieve.crawl.CrawlClock;
import dev.sieve.crawl.CrawlJob;
import dev.sieve.crawl.Stage;
import dev.sieve.crawl.StageVisit;
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
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends cookies, and keeps those that servers set: in requests of the crawl, checked ones included, to URLs that are
 * where a seed is. Requests for robots.txt are none of these. Links that end a session are not requested, unless they
 * are seeds.
 */
public final class CookieStage implements Stage {
    /** The words for the end of a session, also those of OpenID Connect, SAML and WS-Federation. */
    private static final String WORDS = "(?:log|sign)[-_+ ]?(?:out|off)|end[-_]?session|wsignout(?:cleanup)?1\\.0"
            + "|sessions?[-_/](?:end|destroy|delete|kill|terminate)|(?:end|destroy|kill|close)[-_]sessions?"
            + "|single[-_]?log[-_]?out|(?<=saml2?/)slo|(?<=saml2?/[a-z]{1,20}/)slo|slo[-_]?service"
            + "|abmeld(?:en|ung)|ausloggen|(?:se[-_])?d[ée]connexion|(?:se[-_])?d[ée]connecter|uitloggen|afmelden"
            + "|(?:cerrar|finalizar)[-_+ ]?sesi[oó]n|tancar[-_+ ]?sessi[oó]|salir|desconectar|sair|(?:terminar|encerrar)[-_+ ]?sess[aã]o"
            + "|esci|disconnetti(?:ti)?|deconectare|logga[-_ ]?ut|logg[-_ ]?ut|log[-_ ]?ud|kirjaudu[-_ ]?ulos"
            + "|odhl[aá][sš](?:it|i[tť]|en[ií])|odjav[ai]|wyloguj(?:[-_+ ]?si[eę])?|wylogowanie|[cç][iıİ]k[iıİ][sş]"
            + "|kijelentkez[eé]s|keluar|выход|выйти|вихід|вийти|изход|ログアウト|サインアウト|退出(?:登[录錄])?|登出|注[销銷]|로그아웃";

    /**
     * Matches decoded URLs that end a session: a segment of the path, or the name or value of a parameter, is one of
     * the words, perhaps with what programs put before and after it, as in {@code doLogout} and {@code
     * LogoutServlet.do}.
     */
    public static final String LOG_OUT = "(?iu)(?<!:|:/)[/?&=;:]"
            + "(?:(?:do|user|users|account|member|admin|auth|perform|process|ajax|api|force|global|my)[-_]?)*"
            + "(?:" + WORDS + ")"
            + "(?:[-_]?(?:do|user|all|now|action|servlet|handler|controller|service|callback|process|confirm|request))*"
            + "(?:\\.\\w{2,6})?(?=[/?&=;:#]|$)";

    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.crawl");
    /** Wrong lines of a file that are logged. */
    private static final int MOST_PROBLEMS = 10;

    private final CookieJar jar;
    /** What to log unless a cookie of the user is sent to the first pages; empty when it was logged, or there is none. */
    private volatile String unsent;

    private final boolean archives;
    private final Scope scope;
    private final CrawlClock clock;

    /**
     * Returns what creates the stage.
     *
     * @param file cookies to begin with, as curl and browsers write them; null for none. Wrong lines of it are logged
     * @param archives whether exchanges are recorded with cookies
     * @throws IllegalArgumentException when all lines are wrong; the message names the file and the first one
     * @throws IOException when the file cannot be read
     */
    public static Creation of(@Nullable Path file, boolean archives) throws IOException {
        List<String> problems = new ArrayList<>();
        List<Cookie> named = file == null ? List.of() : CookieJar.read(file, problems::add);
        return (job, scope, clock) -> {
            problems.stream().limit(MOST_PROBLEMS).forEach(each -> LOG.warn("{}; the line is left out", each));
            if (problems.size() > MOST_PROBLEMS) {
                LOG.warn("{}: {} lines are left out", file, problems.size());
            }
            long expired =
                    named.stream().filter(each -> each.hasExpired(clock.now())).count();
            String unsent = file + ": none of its cookies is sent to the seeds: " + named.size() + " in all, " + expired
                    + " expired; a cookie is only sent to its own host and path";
            return new CookieStage(job, named, file == null ? "" : unsent, archives, scope, clock);
        };
    }

    /** Returns whether a crawl with this stage was kept in the folder of a job. */
    public static boolean wasIn(Path job) {
        return Files.exists(job.resolve(CookieJar.KIND.name()));
    }

    private CookieStage(
            CrawlJob job, List<Cookie> named, String unsent, boolean archives, Scope scope, CrawlClock clock)
            throws IOException {
        this.unsent = unsent;
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
        return scope.isInPlace(visit.target().url()) ? new Visiting(visit) : StageVisit.NONE;
    }

    @Override
    public Exchange exchanged(Exchange exchange) {
        return archives ? exchange : exchange.withoutCookies();
    }

    @Override
    public void flush(boolean isForced) {
        jar.flush(isForced);
    }

    @Override
    public void close() {
        sayUnsent();
    }

    private void sayUnsent() {
        if (!unsent.isEmpty() && !jar.hasSentNamed()) {
            LOG.warn(unsent);
        }
        unsent = "";
    }

    private final class Visiting implements StageVisit {
        private final VisitContext visit;
        private List<String> received = List.of();

        Visiting(VisitContext visit) {
            this.visit = visit;
        }

        @Override
        public FetchResult fetch(FetchRequest request, PageFetcher next) {
            if (!scope.isInPlace(request.url())) {
                return next.fetch(request);
            }
            SkipReason excluded = visit.target().lease().referrer() == null ? null : scope.exclusion(request.url());
            if (excluded != null && SkipRule.LOG_OUT.is(excluded)) {
                return new Refused(excluded);
            }
            Instant now = clock.now();
            String cookies = jar.field(request.url(), now);
            if (visit.target().lease().depth() > 0) {
                sayUnsent();
            }
            FetchRequest all = request.with(jar.ofSite(request.url(), now));
            FetchRequest sent = cookies.isEmpty() ? all : all.with("Cookie", cookies);
            FetchResult result = next.fetch(sent.headTo(fields -> received = fields.apply("Set-Cookie")));
            boolean isChanged = jar.take(request.url(), received, clock.now(), visit.losses());
            return result instanceof Redirect redirect ? redirect.afterCookies(isChanged) : result;
        }
    }
}
