package dev.sieve.stage;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sieve.crawl.CrawlClock;
import dev.sieve.crawl.CrawlJob;
import dev.sieve.crawl.Stage;
import dev.sieve.crawl.StageVisit;
import dev.sieve.crawl.Target;
import dev.sieve.crawl.VisitContext;
import dev.sieve.fetch.FetchRequest;
import dev.sieve.fetch.FetchResult;
import dev.sieve.fetch.FetchResult.Login;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Redirect;
import dev.sieve.fetch.PageFetcher;
import dev.sieve.io.LruMap;
import dev.sieve.parse.DocumentElement;
import dev.sieve.parse.DocumentReader;
import dev.sieve.parse.LinkExtractor;
import dev.sieve.parse.WordHash;
import dev.sieve.scope.Scope;
import dev.sieve.url.UrlParts;
import java.net.HttpURLConnection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices that the session of a crawl with credentials has ended. Where a seed is, a URL then has the status 401, or
 * redirects to a login page, or shows one that other URLs show as well. Its result is marked, so that it is not taken
 * for what the URL has.
 *
 * <p>A login page has a form with one field for a password, and not two, as those for a new password have; or its URL
 * is named like one, and it has a form that is posted, as the first page of a login in two steps. Where a
 * redirect leads, and what an earlier page shows now, is requested for that, by the rules for the parts of a page, and
 * remembered in fixed memory.
 */
public final class SessionStage implements Stage {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.crawl");
    private static final long BYTES = 1 << 18;
    /** How much of a document is read to find a form. */
    private static final int MAX_DOCUMENT = 1 << 20;

    private static final int MAX_REDIRECTS = 5;
    private static final int MAX_TITLE = 200;
    private static final Pattern PASSWORD = Pattern.compile("(?i)type\\s*=\\s*[\"']?password");

    /** The value of a parameter that is a place or a token, which do not belong to the name of a page. */
    private static final Pattern VARYING = Pattern.compile("=[^&]*(?:/|%2[Ff])[^&]*|=[^&]{16,}");

    /** The names of login pages, and not those of blogs and designs. */
    private static final Pattern NAME =
            Pattern.compile("(?i)/[^?]*(?:(?<!b|de|as|re)(?:log|sign)[-_]?(?:in|on)\\b|sso\\b|oauth|saml)");

    private final Scope scope;
    private final LinkExtractor extractor = new LinkExtractor("", false);
    /** The forms to which redirects lead, by their targets; empty for none. */
    private final LruMap<String> targets = new LruMap<>(BYTES, String::length);
    /** The first page that showed a form, by the form; empty once another one did. */
    private final LruMap<String> forms = new LruMap<>(BYTES, String::length);
    /** The last page of each host that was no login page. */
    private final LruMap<String> works = new LruMap<>(BYTES, String::length);

    private final AtomicBoolean isTold = new AtomicBoolean();

    /** Creates the stage, for a crawl with credentials, after that of its cookies. */
    public static final class Creation implements Stage.Creation {
        @Override
        public Stage of(CrawlJob job, Scope scope, CrawlClock clock) {
            return new SessionStage(scope);
        }

        @Override
        public int parts() {
            return 1;
        }
    }

    private SessionStage(Scope scope) {
        this.scope = scope;
    }

    @Override
    public StageVisit visit(VisitContext visit) {
        Target target = visit.target();
        return target.isSitemap() || !scope.isInPlace(target.url()) ? StageVisit.NONE : new Visiting(visit);
    }

    /** Returns the name of a page: its URL without what varies. */
    private static String name(String url) {
        return VARYING.matcher(url).replaceAll("=");
    }

    /** Whether a URL is another one with another spelling of its host or the end of its path, as most redirects lead to. */
    private static boolean isAlike(String url, String other) {
        return UrlParts.pathAndQuery(url)
                .replaceFirst("/?(?=\\?|$)", "")
                .equalsIgnoreCase(UrlParts.pathAndQuery(other).replaceFirst("/?(?=\\?|$)", ""));
    }

    private final class Visiting implements StageVisit {
        private final VisitContext visit;
        private final String url;

        Visiting(VisitContext visit) {
            this.visit = visit;
            url = visit.target().url();
        }

        @Override
        public FetchResult fetch(FetchRequest request, PageFetcher next) {
            FetchResult result = next.fetch(request);
            Login sign = sign(result, new Probe(request.watch(), next));
            if (sign == null) {
                return result;
            }
            if (isTold.compareAndSet(false, true)) {
                LOG.warn(
                        "the session seems to have ended: log in again and repeat the command ({}, login: {})",
                        url,
                        sign.text());
            }
            return Page.ofLogin(result, sign);
        }

        private @Nullable Login sign(FetchResult result, Probe probe) {
            if (result instanceof Redirect redirect) {
                return !isAlike(url, redirect.target()) && leadsToForm(redirect.target(), probe)
                        ? Login.REDIRECT
                        : null;
            }
            if (!(result instanceof Page page) || !page.isOfSite()) {
                return null;
            } else if (page.status() == HttpURLConnection.HTTP_UNAUTHORIZED) {
                return Login.STATUS;
            } else if (!page.isSuccess() || !visit.target().is(Target.Kind.PAGE) || !page.isHtml()) {
                return null;
            }
            String form = form(url, page);
            if (form.isEmpty()) {
                works.put(UrlParts.hostAndPort(url), url);
            }
            return !form.isEmpty() && isOfOthers(form, probe) ? Login.FORM : null;
        }

        private boolean leadsToForm(String target, Probe probe) {
            String known = targets.get(name(target));
            if (known == null) {
                known = probe.form(target);
                targets.put(name(target), known);
            }
            return !known.isEmpty();
        }

        /** Returns whether other URLs show a form too: one did, or one that was a page of its own before does so now. */
        private boolean isOfOthers(String form, Probe probe) {
            boolean isTyped = visit.target().lease().referrer() == null;
            if (isTyped && NAME.matcher(UrlParts.pathAndQuery(url)).find()) {
                return false;
            }
            String first = forms.get(form);
            if (first == null) {
                forms.put(form, name(url));
            } else {
                boolean isOther = !first.equals(name(url));
                forms.put(form, isOther ? "" : first);
                return isOther;
            }
            boolean isShown = others().stream().anyMatch(other -> form.equals(probe.form(other)));
            if (isShown) {
                forms.put(form, "");
            }
            return isShown;
        }

        /**
         * Returns URLs whose pages had other content before: the last page of the host without a form, and the page with
         * the link to this one. Without either, returns a URL that the site does not have.
         */
        private Set<String> others() {
            Set<String> others = new LinkedHashSet<>();
            String last = works.get(UrlParts.hostAndPort(url));
            if (last != null) {
                others.add(last);
            }
            String referrer = visit.target().lease().referrer();
            if (referrer != null && scope.isInPlace(referrer)) {
                others.add(referrer);
            }
            others.remove(url);
            return others.isEmpty()
                    ? Set.of(UrlParts.origin(url) + "/no-such-page-" + Integer.toHexString(url.hashCode()))
                    : others;
        }
    }

    /** Returns what identifies the login page in a response; empty if it is none. */
    private String form(String url, Page page) {
        boolean isNamed = NAME.matcher(UrlParts.pathAndQuery(url)).find();
        if (!isNamed && !PASSWORD.matcher(new String(page.body(), ISO_8859_1)).find()) {
            return "";
        }
        WordHash words = new WordHash();
        FormReader forms = new FormReader();
        String title = extractor
                .read(url, page, List.of(words, forms), (reference, reason, isResource) -> {})
                .title();
        forms.formEnds();
        return forms.isLogin || (isNamed && forms.isPosted)
                ? title.substring(0, Math.min(title.length(), MAX_TITLE)) + " " + Long.toHexString(words.value())
                : "";
    }

    /** Finds a form with one field for a password, and one that is posted. */
    private static final class FormReader implements DocumentReader {
        private int fields;
        private boolean isLogin;
        private boolean isPosted;

        @Override
        public void begin(DocumentElement element) {
            if (element.name().equals("form")) {
                formEnds();
                isPosted |= element.value("method").equalsIgnoreCase("post");
            } else if (element.name().equals("input") && element.value("type").equalsIgnoreCase("password")) {
                fields += element.value("autocomplete").equalsIgnoreCase("new-password") ? 2 : 1;
            }
        }

        @Override
        public void end(DocumentElement element) {
            if (element.name().equals("form")) {
                formEnds();
            }
        }

        void formEnds() {
            isLogin |= fields == 1;
            fields = 0;
        }
    }

    /** Requests further URLs in a visit. */
    private final class Probe implements FetchRequest.Watch {
        private final FetchRequest.Watch watch;
        private final PageFetcher fetcher;

        Probe(FetchRequest.Watch watch, PageFetcher fetcher) {
            this.watch = watch;
            this.fetcher = fetcher;
        }

        @Override
        public boolean maySend(String host) {
            return watch.maySend(host);
        }

        /** Returns the form, or else the status 401, to which a URL leads; if that may not be requested, its address decides. */
        String form(String url) {
            String at = url;
            for (int i = 0; i <= MAX_REDIRECTS; i++) {
                if (!watch.allows(at, true, cancel -> {})) {
                    return NAME.matcher(UrlParts.pathAndQuery(at)).find() ? at : "";
                }
                FetchResult result = fetcher.fetch(new FetchRequest(at)
                        .reading(FetchRequest.Body.upTo(MAX_DOCUMENT))
                        .watchedBy(this));
                try {
                    if (result instanceof Page page && page.isOfSite()) {
                        String form = page.isHtml() ? SessionStage.this.form(at, page) : "";
                        return form.isEmpty() && page.status() == HttpURLConnection.HTTP_UNAUTHORIZED ? at : form;
                    } else if (!(result instanceof Redirect)) {
                        return "";
                    }
                    at = ((Redirect) result).target();
                } finally {
                    fetcher.release(result);
                }
            }
            return "";
        }
    }
}
