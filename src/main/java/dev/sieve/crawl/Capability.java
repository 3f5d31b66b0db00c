package dev.sieve.crawl;

/** Something that a crawl may do besides, see {@link CrawlOptions#with}. */
public enum Capability {
    /**
     * Crawls in rounds: when all pages of the job are done, a crawl with this option begins the next round, which
     * visits each of them once more. Requests are conditional, and each {@link dev.sieve.output.Visit} says what has
     * changed. An interrupted round continues, with this option or without. The first round must have it.
     */
    ROUNDS,
    /**
     * Lets a round visit only the pages that are due: an unchanged page rests half as long again as before, a changed
     * one half as long, between two {@linkplain CrawlOptions#ages bounds}; a longer max-age applies up to the upper
     * one.
     */
    ONLY_DUE,
    /**
     * Requests sitemaps: those that the robots.txt of an origin names, on any host, or for a seed whose origin names
     * none, {@code /sitemap.xml}. The URLs in them count as links of a seed.
     */
    SITEMAPS,
    /**
     * Skips the links of a page whose visible text an earlier page of the same host has, as the pages of a session or
     * of a calendar do. The page itself is visited.
     */
    SKIP_DUPLICATES,
    /**
     * Takes the results of links to other sites that worked within {@linkplain CrawlOptions#ages max-age} from earlier
     * runs of the job, which begins anew with each: they are not requested again.
     */
    REMEMBER_LINKS,
    /** Adds language, author, dates, Open Graph and JSON-LD to the records of pages. */
    META,
    /**
     * Checks links outside of the crawl: those that are out of scope, too deep, or not included. Each is requested
     * once, by all rules for requests, and so is the target if it redirects; its body is not read, and nothing that it
     * links to is followed. Excluded URLs and traps are not checked.
     */
    CHECK_LINKS,
    /** Marks URLs that redirect for good, status 301 or 308, and to which a link leads: that link is to be updated. */
    LIST_MOVED,
    /** Follows links with a rel of nofollow, as if they had none. */
    FOLLOW_NOFOLLOW,
    /**
     * Checks what pages need: images, scripts, style sheets and what these name, icons, media, frames and embedded
     * objects, on any host. Each is requested once, by all rules for requests; only the bodies of style sheets are
     * read. One that is an HTML page in scope is crawled, and is a failure besides, unless it may be a page, as in a
     * frame, or {@link CrawlOptions#acceptTypes} is set. Excluded URLs and traps are not checked.
     */
    CHECK_RESOURCES,
    /**
     * Checks links to a part of a page, such as {@code page#part}, by the rules of the HTML standard. A page of the
     * crawl has to have an element with that id, or an {@code a} element with that name. A {@link Crawler} that several
     * processes share cannot do that. Fragments that begin with {@code /} or {@code !} are counted and left out, unless
     * {@link #CHECK_ROUTES} includes them.
     */
    CHECK_FRAGMENTS,
    /**
     * Lets {@link #CHECK_FRAGMENTS} also check fragments such as {@code /users} and {@code !jobs}, which are most often
     * places in a program in the browser and not parts of its page.
     */
    CHECK_ROUTES
}
