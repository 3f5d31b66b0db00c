package dev.sieve.fetch;

import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.fetch.FetchResult.Refused;
import dev.sieve.scope.SkipRule;
import dev.sieve.url.UrlNormalizer;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.nio.file.AccessDeniedException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * What responds to the requests of a crawl: sources on this machine for the URLs that these have, and the network for all
 * others. Stored responses have the same limits as those of servers. Safe for use by many threads.
 */
public final class Origins implements PageFetcher {
    private final Fetcher network;
    private final List<LocalSource> local;

    /**
     * Creates origins on a network, which the caller closes, and on this machine. Of those on this machine, the first
     * that has a URL responds.
     */
    public Origins(Fetcher network, List<LocalSource> local) {
        this.network = network;
        this.local = List.copyOf(local);
    }

    /** Returns whether requests for a URL are sent to its host, so that its robots.txt, its delay and its address matter. */
    public boolean isRemote(String url) {
        return local(url) == null;
    }

    private @Nullable LocalSource local(String url) {
        String parsed = local.isEmpty() ? null : UrlNormalizer.parse(url);
        return parsed == null
                ? null
                : local.stream()
                        .filter(source -> source.has(parsed))
                        .findFirst()
                        .orElse(null);
    }

    /** Returns why a URL is refused as far as this is known without a lookup, see {@link Fetcher#objection}; null if it is not. */
    public @Nullable Refused objection(String url) {
        return isRemote(url) ? network.objection(url) : null;
    }

    @Override
    public FetchResult fetch(FetchRequest request) {
        LocalSource source = local(request.url());
        if (source == null) {
            return network.fetch(request);
        }
        Callbacks callbacks = new Callbacks();
        return callbacks.result(() -> read(request, source, callbacks), network.memory, network::isStopped);
    }

    private FetchResult read(FetchRequest request, LocalSource source, Callbacks callbacks) {
        AtomicBoolean isCancelled = new AtomicBoolean();
        request.watch().begins(() -> isCancelled.set(true));
        String url = UrlNormalizer.base(request.url()).url();
        try (BodyMemory.Body room = network.memory.new Body(() -> isCancelled.set(true), isCancelled::get);
                Response response = source.respond(url)) {
            if (response == null) {
                return new Refused(SkipRule.NOT_STORED.reason(""));
            }
            request.watch().responded();
            return network.reader.read(url, request.body(), response, room, callbacks);
        } catch (AccessDeniedException e) {
            String reason = e.getReason() == null ? "no permission" : e.getReason();
            return new Failed(HttpURLConnection.HTTP_NOT_FOUND, Reason.UNREADABLE, reason);
        } catch (IOException e) {
            return ResponseReader.failure(e, network.isStopped() ? Reason.STOPPED : null);
        }
    }

    @Override
    public void release(FetchResult result) {
        network.release(result);
    }

    /** Notes that an exchange is not used any more, see {@link Fetcher#release(Exchange)}. */
    public void release(Exchange exchange) {
        network.release(exchange);
    }
}
