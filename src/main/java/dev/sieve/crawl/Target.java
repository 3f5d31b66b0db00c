package dev.sieve.crawl;

import dev.sieve.Lease;
import dev.sieve.UrlBatch;
import dev.sieve.parse.Resource;
import dev.sieve.polite.LeaseCodec;
import dev.sieve.url.UrlNormalizer;
import dev.sieve.url.UrlParts;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A URL of the crawl while it waits for its host and is requested: its lease, what it is, and what this run has
 * requested for it so far.
 *
 * <p>Rules may be dropped from their cache before the URL is requested, if many hosts have large ones. Since each
 * request for robots.txt settles a URL, or brings it closer to a limit, a crawl ends however small the cache is.
 *
 * @param rule whether robots.txt allows the URL; null when its rules were not read for it
 * @param robotsRequests how often robots.txt was requested for the URL
 * @param isRepeated whether the URL is requested again, since its connection was closed
 */
public record Target(Lease lease, Kind kind, @Nullable Boolean rule, int robotsRequests, boolean isRepeated) {
    /** The kind of a URL, which the frontier stores as its label. */
    public enum Kind {
        /** Its links are followed. */
        PAGE(0),
        /** A robots.txt names the sitemap. */
        NAMED_SITEMAP(1),
        /** No robots.txt names any sitemap, and it is where one often is. */
        GUESSED_SITEMAP(2),
        /** An index lists the sitemap, so it must not be an index itself. */
        LISTED_SITEMAP(3),
        /**
         * It is outside of the crawl, and requested once to check whether it works. The target of its redirect is a
         * link like any other: in scope it is crawled as a page, elsewhere it is checked.
         */
        CHECK(4),
        /** Not a URL to request, but a note of {@link Levels}. */
        NOTE(5),
        /** A page needs it, such as an image, and it must not be an HTML page; it is requested once to check whether it works. */
        RESOURCE(6),
        /** A page needs the style sheet, which is requested once; what it names is a {@link #RESOURCE}. */
        STYLE_SHEET(7),
        /** A page embeds it, and it may be an HTML page; it is requested once to check whether it works. */
        EMBEDDED(8),
        /** It is in the crawl, but the link asks not to be followed; it is requested once to check whether it works. */
        NOFOLLOW(9),
        /** An {@link Errand}, which no frontier has. */
        ERRAND(-1);

        private final int label;

        Kind(int label) {
            this.label = label;
        }

        /** Returns the kind with a label; a page for any other label. */
        public static Kind of(int label) {
            return Stream.of(values())
                    .filter(kind -> kind.label == label)
                    .findAny()
                    .orElse(PAGE);
        }

        static Kind of(Resource type) {
            return switch (type) {
                case ANY -> EMBEDDED;
                case FILE -> RESOURCE;
                case STYLE_SHEET -> STYLE_SHEET;
            };
        }

        public int label() {
            return label;
        }

        /** Returns whether URLs with a label are pages, which may be seeds of another crawl. */
        static boolean isPage(int label) {
            return of(label) == PAGE;
        }

        public boolean isSitemap() {
            return switch (this) {
                case NAMED_SITEMAP, GUESSED_SITEMAP, LISTED_SITEMAP -> true;
                case PAGE, CHECK, NOFOLLOW, NOTE, RESOURCE, STYLE_SHEET, EMBEDDED, ERRAND -> false;
            };
        }

        boolean isResource() {
            return this == RESOURCE || this == STYLE_SHEET || this == EMBEDDED;
        }

        public boolean isCheck() {
            return this == CHECK || this == NOFOLLOW || isResource();
        }

        /** Returns the key of such a URL: a sitemap, and a link not to be followed, has another one than a page with the same URL. */
        public String key(String url) {
            String key = UrlNormalizer.key(url);
            return isSitemap() ? "sitemap " + key : this == NOFOLLOW ? "nofollow " + key : key;
        }

        /** Returns an empty batch of such URLs. */
        UrlBatch batch(int depth, int redirects, @Nullable String referrer) {
            return new UrlBatch(depth, redirects, referrer, label);
        }
    }

    /** Targets as bytes, for the spill file of a schedule: what was requested so far, then the lease. */
    static final class Codec implements dev.sieve.polite.Codec<Target> {
        private static final LeaseCodec LEASES = new LeaseCodec();
        private static final int OBJECT_BYTES = 32;

        @Override
        public byte[] encode(Target target) {
            byte[] lease = LEASES.encode(target.lease);
            int rule = target.rule == null ? 0 : target.rule ? 1 : 2;
            return ByteBuffer.allocate(2 + Integer.BYTES + lease.length)
                    .put((byte) rule)
                    .put((byte) (target.isRepeated ? 1 : 0))
                    .putInt(target.robotsRequests)
                    .put(lease)
                    .array();
        }

        @Override
        public int size(Target target) {
            return OBJECT_BYTES + LEASES.size(target.lease);
        }

        @Override
        public Target decode(byte[] encoded) {
            ByteBuffer bytes = ByteBuffer.wrap(encoded);
            int rule = bytes.get();
            boolean isRepeated = bytes.get() == 1;
            int robotsRequests = bytes.getInt();
            byte[] lease = new byte[bytes.remaining()];
            bytes.get(lease);
            Target target = of(LEASES.decode(lease));
            return new Target(target.lease, target.kind, rule == 0 ? null : rule == 1, robotsRequests, isRepeated);
        }
    }

    /** Returns the target of a lease for which nothing was requested. */
    public static Target of(Lease lease) {
        return new Target(lease, Kind.of(lease.label()), null, 0, false);
    }

    public String url() {
        return lease.url();
    }

    public boolean is(Kind other) {
        return kind == other;
    }

    public boolean isSitemap() {
        return kind.isSitemap();
    }

    /** Returns whether a page needs the URL, such as an image. */
    public boolean isResource() {
        return kind.isResource();
    }

    boolean isCheck() {
        return kind.isCheck();
    }

    Target asPage() {
        return new Target(lease, Kind.PAGE, rule, robotsRequests, isRepeated);
    }

    /** Returns this target after another request for robots.txt, with what the rules say; null without rules. */
    Target afterRobots(@Nullable Boolean newRule) {
        return new Target(lease, kind, newRule, robotsRequests + 1, isRepeated);
    }

    /** Returns this target, to be requested again since its connection was closed. */
    Target repeated() {
        return new Target(lease, kind, rule, robotsRequests, true);
    }

    Target at(int depth) {
        Lease moved = new Lease(
                lease.id(), url(), depth, lease.redirects(), lease.referrer(), lease.label(), lease.attempt());
        return new Target(moved, kind, rule, robotsRequests, isRepeated);
    }

    /**
     * A request for the robots.txt of an origin that another host has to answer, since that is where it was redirected:
     * an item in the queue of the other host, for which the host of the origin waits.
     */
    record Errand(String host, String origin) {
        /** Returns the errand in the form of other items; its id is not one of the frontier. */
        Target target(long id) {
            Lease lease = new Lease(id, "http://" + host + "/", 0, 0, origin, 0, 0);
            return new Target(lease, Target.Kind.ERRAND, null, 0, false);
        }

        /** Returns the errand that a target stands for; null when it is one of the frontier. */
        static @Nullable Errand of(Target target) {
            return target.is(Target.Kind.ERRAND)
                    ? new Errand(
                            UrlParts.host(target.url()),
                            Objects.requireNonNull(target.lease().referrer()))
                    : null;
        }

        String waiting() {
            return UrlParts.host(origin + "/");
        }
    }
}
