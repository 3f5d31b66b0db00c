package dev.sieve.scope;

/** The rules by which URLs are skipped, but for those of each {@link Trap} and {@link dev.sieve.url.Refusal}. */
public enum SkipRule {
    // Applied to URLs when they are found.
    BEYOND_LIMIT("beyond the limit of a page"),
    DUPLICATE("duplicate", "an earlier page has the same text"),
    EXCLUDED("excluded"),
    GAVE_UP("gave up"),
    LOG_OUT("log-out link", "it ends the session"),
    MISSING_FRAGMENT("missing fragment"),
    NESTED_STYLES("style sheets nested too deep"),
    NOFOLLOW("nofollow"),
    NOT_INCLUDED("not included", "no include expression matches"),
    OUT_OF_SCOPE("out of scope"),
    SERVICE("address of a service", "it is not a page: a service in front of the site has put it there"),
    SITEMAP_BEYOND_LIMIT("sitemap beyond the limit of a site"),
    SITEMAP_FOREIGN("sitemap of another site"),
    SITEMAP_LEFT_OUT("sitemap too many or too long for a robots.txt"),
    SITEMAP_NESTED("sitemap in an index of an index"),
    SITEMAP_NO_URL("sitemap without a URL"),
    SITEMAP_TOO_FOREIGN("too many sitemaps of other sites"),
    SITEMAP_URL_BEYOND_LIMIT("beyond the limit of a sitemap"),
    SITEMAP_URL_INVALID("no URL in a sitemap"),
    TOO_DEEP("too deep"),
    // Applied to queued URLs before they are requested.
    NOT_PUBLIC("address not public"),
    NOT_STORED("not in the archive"),
    OVER_BUDGET("over the budget"),
    PORT("port not allowed"),
    ROBOTS("robots.txt", "forbids it"),
    SESSION("session", "the same page was requested with another session");

    private final String text;
    private final String detail;

    SkipRule(String text) {
        this(text, "");
    }

    SkipRule(String text, String detail) {
        this.text = text;
        this.detail = detail;
    }

    public String text() {
        return text;
    }

    /** Returns the reason in which nothing but the rule decides. */
    public SkipReason reason() {
        return reason(detail);
    }

    /** Returns the reason with what exactly decides. */
    public SkipReason reason(String decider) {
        return new SkipReason(text, decider);
    }

    public boolean is(SkipReason other) {
        return text.equals(other.rule());
    }

    /** Returns whether queued URLs are skipped by the rule, and not those that are found. */
    public boolean isOfRequests() {
        return compareTo(NOT_PUBLIC) >= 0;
    }
}
