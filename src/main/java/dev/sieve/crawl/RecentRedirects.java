package dev.sieve.crawl;

import dev.sieve.Lease;
import dev.sieve.fetch.FetchResult;
import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.fetch.FetchResult.Redirect;
import dev.sieve.fetch.FetchResult.SetCookie;
import dev.sieve.io.LruMap;
import dev.sieve.url.PageKeys;
import java.net.HttpURLConnection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The latest redirects of a crawl, by which those are found that lead nowhere. Safe for use by many threads. */
public final class RecentRedirects {
    /** How many redirects in a row are followed. */
    public static final int MAX = 10;

    /** The heap that the latest redirects may take, to find rings of them. */
    private static final long REDIRECT_BYTES = 4 << 20;

    private final Recorder recorder;
    private final List<Stage> stages;
    private final PageKeys keys;

    /** The redirects that were dropped, until they are counted without the lock. */
    private final List<String> forgotten = new ArrayList<>();

    /** By key; their targets are keys as well. */
    private final LruMap<Redirect> redirects = new LruMap<>(
            REDIRECT_BYTES,
            each -> each.target().length(),
            each -> false,
            (url, redirect) -> forgotten.add(url + " to " + redirect.target()));

    /** The redirects of a ring, none if there is none, and the last one of them to be requested. */
    record Ring(Redirect last, List<Redirect> redirects) {
        boolean isEmpty() {
            return redirects.isEmpty();
        }

        /** Returns whether one of them has set a cookie, with which the same requests may lead elsewhere. */
        boolean setsCookie() {
            return has(redirects, SetCookie.KEPT);
        }

        Failed failure() {
            String ring = "in a ring, to " + last.target() + cookies(redirects);
            return new Failed(last.status(), Reason.BAD_REDIRECT, ring);
        }
    }

    RecentRedirects(Recorder recorder, List<Stage> stages, PageKeys keys) {
        this.recorder = recorder;
        this.stages = stages;
        this.keys = keys;
    }

    /** Notes a redirect that an earlier run has found, by keys of any run. */
    void add(String key, String target) {
        synchronized (redirects) {
            redirects.put(keys.of(key), new Redirect(HttpURLConnection.HTTP_MOVED_TEMP, keys.of(target)));
        }
        countForgotten();
    }

    /** Returns a result as it is, or a failure when it is a redirect that cannot be followed. */
    public static FetchResult check(Lease lease, FetchResult result) {
        if (result instanceof Redirect redirect) {
            if (redirect.target().equals(lease.url())) {
                return new Failed(redirect.status(), Reason.BAD_REDIRECT, "to itself" + cookies(List.of(redirect)));
            }
            if (lease.redirects() >= MAX) {
                String next = "next: " + redirect.target() + cookies(List.of(redirect));
                return new Failed(redirect.status(), Reason.REDIRECT_LIMIT, next);
            }
        }
        return result;
    }

    private static String cookies(List<Redirect> redirects) {
        return has(redirects, SetCookie.DROPPED) ? "; it needs the cookie of Set-Cookie, and cookies are not sent" : "";
    }

    private static boolean has(List<Redirect> redirects, SetCookie cookie) {
        return redirects.stream().anyMatch(each -> each.cookie() == cookie);
    }

    /** Returns whether a redirect leads to its own URL, and has set a cookie with which that may have another response. */
    static boolean needsCookie(Lease lease, FetchResult result) {
        return result instanceof Redirect redirect
                && redirect.cookie() == SetCookie.KEPT
                && redirect.target().equals(lease.url());
    }

    /**
     * Notes a redirect; returns the redirects of the ring that it closes, none when it does not. Those of other URLs
     * that this run has not requested are those of earlier rounds, so that the same URL closes a ring in each round, in
     * whatever order they are requested.
     */
    Ring ring(boolean isCheck, String key, Redirect redirect, String target) {
        if (target.equals(key)) {
            return new Ring(redirect, List.of());
        }
        Redirect first = new Redirect(redirect.status(), target, "", redirect.cookie(), null);
        synchronized (redirects) {
            redirects.put(key, first);
        }
        countForgotten();
        Map<String, Redirect> earlier = new HashMap<>();
        while (true) {
            List<Redirect> chain = chain(key, first, earlier);
            String last = chain.get(chain.size() - 1).target();
            if (last.equals(key)) {
                return new Ring(redirect, chain);
            }
            // Without the lock, since it may be read from a file.
            String before = chain.size() == MAX ? null : earlierTarget(isCheck, last);
            if (before == null) {
                return new Ring(redirect, List.of());
            }
            earlier.put(last, new Redirect(HttpURLConnection.HTTP_MOVED_TEMP, before));
        }
    }

    private void countForgotten() {
        List<String> gone;
        synchronized (redirects) {
            gone = List.copyOf(forgotten);
            forgotten.clear();
        }
        gone.forEach(each -> recorder.lost(
                Loss.REDIRECTS_FORGOTTEN,
                "there are more redirects than are kept: " + each + " is forgotten, a ring with it is not found"));
    }

    private @Nullable String earlierTarget(boolean isCheck, String key) {
        return EarlierVisits.of(stages)
                .map(earlier -> earlier.redirect(isCheck, key))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** Follows redirects as far as they are known. For the others in a ring, it ends here: only one of them is a failure. */
    private List<Redirect> chain(String key, Redirect first, Map<String, Redirect> earlier) {
        List<Redirect> chain = new ArrayList<>();
        synchronized (redirects) {
            for (Redirect next = first; next != null && chain.size() < MAX; ) {
                chain.add(next);
                String target = next.target();
                if (target.equals(key)) {
                    redirects.remove(key);
                    break;
                }
                Redirect later = redirects.get(target);
                next = later == null ? earlier.get(target) : later;
            }
        }
        return chain;
    }
}
