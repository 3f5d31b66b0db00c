package dev.sieve.serve;

import static java.nio.charset.StandardCharsets.UTF_8;

import crawlercommons.urlfrontier.CrawlID;
import crawlercommons.urlfrontier.Urlfrontier.AckMessage.Status;
import crawlercommons.urlfrontier.Urlfrontier.StringList;
import crawlercommons.urlfrontier.Urlfrontier.URLInfo;
import crawlercommons.urlfrontier.Urlfrontier.URLItem;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A URL that a client sends, and what became of it. */
final class PutItem {
    /** The maximum length of a URL in bytes. */
    static final int MAX_URL = 1 << 16;

    /** The maximum length of the key of a queue, in characters. */
    static final int MAX_QUEUE = 255;

    /** The maximum length of a message in bytes, most of which are metadata; as JSON they may take six times as many. */
    static final int MAX_MESSAGE = 1 << 17;

    /** Metadata with which a date is the end of the time in which a URL in process is to be reported. */
    static final String LEASE = "sieve.lease";

    final String crawl;
    final String url;
    final byte[] utf8;
    final String queueName;
    /** The queue as sent by the client; null when it is the host of the URL. */
    final @Nullable String queue;

    final Map<String, StringList> metadata;
    final boolean isKnown;
    final long refetch;

    /** The result; null until it is decided. */
    @Nullable
    Status status;

    /** Creates one that was discovered. */
    PutItem(URLInfo info) {
        this(info, false, 0);
    }

    PutItem(URLItem item) {
        this(info(item), item.hasKnown(), item.getKnown().getRefetchableFromDate());
    }

    private static URLInfo info(URLItem item) {
        return item.hasKnown()
                ? item.getKnown().getInfo()
                : item.getDiscovered().getInfo();
    }

    private PutItem(URLInfo info, boolean isKnown, long refetch) {
        this.isKnown = isKnown;
        this.refetch = refetch;
        crawl = CrawlID.normaliseCrawlID(info.getCrawlID());
        url = info.getUrl();
        utf8 = url.getBytes(UTF_8);
        queueName = info.getKey().isEmpty() ? UrlKeys.host(url) : info.getKey();
        queue = info.getKey().isEmpty() || UrlKeys.isHost(queueName, url) ? null : queueName;
        metadata = info.getMetadataMap();
        status = isValid() ? null : Status.SKIPPED;
    }

    /** Returns by which a URL is acknowledged: its ID or, without one, the URL. */
    static String ackId(URLItem item) {
        return item.getID().isEmpty() ? info(item).getUrl() : item.getID();
    }

    /** Whether it only changes the time that is left for a URL in process. */
    boolean isLease() {
        return refetch != 0 && metadata.containsKey(LEASE);
    }

    private boolean isValid() {
        return utf8.length > 0
                && utf8.length <= MAX_URL
                && url.indexOf(UrlKeys.SEPARATOR) < 0
                && isQueue(queueName)
                && FolderName.isPossible(crawl);
    }

    static boolean isQueue(String name) {
        return !name.isEmpty() && name.length() <= MAX_QUEUE && name.indexOf(UrlKeys.SEPARATOR) < 0;
    }
}
