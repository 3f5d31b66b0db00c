package dev.sieve.output;

import dev.sieve.fetch.FetchResult;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A URL that was requested, and the result.
 *
 * @param url the URL that was requested
 * @param key the spelling that the filter has seen
 * @param depth links followed from a seed to this URL; 0 for a seed
 * @param referrer the page on which the URL was first found; null for a seed
 * @param result the response, or the failure
 * @param timing when it was requested, and how long that took
 * @param content what was found in the page; {@link Content#NONE} without a document
 * @param marks how the options of the crawl apply to it
 * @param likeness by what the page is compared with others; null for an error, for what is not a document, and when no
 *     {@linkplain PageSink#comparesPages sink} needs it
 * @param history what a crawl with rounds knows of the URL; null in other crawls
 * @param id of the URL in the frontier, or of the page on which it was found broken without a request; -1 for none
 */
public record Visit(
        String url,
        String key,
        int depth,
        @Nullable String referrer,
        FetchResult result,
        Timing timing,
        Content content,
        Marks marks,
        @Nullable Likeness likeness,
        @Nullable History history,
        long id) {

    /**
     * The times of a visit.
     *
     * @param fetchedAt when the URL was requested
     * @param took from the request to the last byte of the response
     * @param waited how long the host had to wait for its delay or a back-off before this request; see {@link
     *     dev.sieve.polite.HostSchedule#waited}
     */
    public record Timing(Instant fetchedAt, Duration took, Duration waited) {}

    /**
     * What was found in a page.
     *
     * @param title the title of the document; empty without one
     * @param links the distinct URLs to which the document links
     * @param resources the distinct URLs of what the document or style sheet needs, such as images; empty unless these
     *     are checked
     * @param isIndexed whether a search engine may list the document under its URL: it is not marked as noindex, and
     *     names no other URL as its canonical one; of a page that is not modified, whether the server does not forbid
     *     it now
     * @param more what stages add to the record, by the names of its fields
     */
    public record Content(
            String title, List<String> links, List<String> resources, boolean isIndexed, Map<String, Object> more) {
        public static final Content NONE = new Content("", List.of(), List.of(), false);

        /** Creates the content of a page to whose record nothing was added. */
        public Content(String title, List<String> links, List<String> resources, boolean isIndexed) {
            this(title, links, resources, isIndexed, Map.of());
        }
    }

    /** How the options of a crawl apply to a visit: it only checks a URL out of scope, or accepts the status of its page. */
    public record Marks(boolean isCheck, boolean isAccepted) {
        /** Those of a page of the crawl. */
        public static final Marks NONE = new Marks(false, false);
    }

    /** Returns the same with another field of its record, by its name there. */
    public Visit with(String field, Object value) {
        Map<String, Object> more = new HashMap<>(content.more);
        more.put(field, value);
        Content all = new Content(content.title, content.links, content.resources, content.isIndexed, more);
        return new Visit(url, key, depth, referrer, result, timing, all, marks, likeness, history, id);
    }

    /** Returns the title of the document; empty without a document or title. */
    public String title() {
        return content.title();
    }

    /** Returns the distinct URLs to which the document links; empty without a document. */
    public List<String> links() {
        return content.links();
    }

    /** Returns whether the URL is out of scope, and was requested only to check whether it works. */
    public boolean isCheck() {
        return marks.isCheck();
    }

    /** Returns whether the options of the crawl accept the status of the page, so that it is not a failure. */
    public boolean isAccepted() {
        return marks.isAccepted();
    }

    /** Returns the page in the response, whatever its status; null when there is none. */
    public FetchResult.@Nullable Page page() {
        return result instanceof FetchResult.Page page ? page : null;
    }

    /** Returns whether there is a page of the site with a status from 200 to 299, or one that is not modified since an earlier round. */
    public boolean isSuccess() {
        return result.isSuccess() || (result.status() == HttpURLConnection.HTTP_NOT_MODIFIED && isUnchanged());
    }

    /** Returns whether the URL is unchanged, but the last visit has found something else: it had failed. */
    public boolean isRecovered() {
        int last = history == null || !isUnchanged() ? -1 : history.lastStatus();
        return last != result.status() && (last == 0 || last >= HttpURLConnection.HTTP_BAD_REQUEST);
    }

    /** Returns whether the URL is as it was at an earlier visit. */
    public boolean isUnchanged() {
        return history != null && history.change() == Change.UNCHANGED;
    }
}
