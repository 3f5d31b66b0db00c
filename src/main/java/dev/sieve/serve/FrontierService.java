package dev.sieve.serve;

import com.google.protobuf.MessageLite;
import crawlercommons.urlfrontier.CrawlID;
import crawlercommons.urlfrontier.URLFrontierGrpc.URLFrontierImplBase;
import crawlercommons.urlfrontier.Urlfrontier.AckMessage;
import crawlercommons.urlfrontier.Urlfrontier.Active;
import crawlercommons.urlfrontier.Urlfrontier.BlockQueueParams;
import crawlercommons.urlfrontier.Urlfrontier.Boolean;
import crawlercommons.urlfrontier.Urlfrontier.CountUrlParams;
import crawlercommons.urlfrontier.Urlfrontier.CrawlLimitParams;
import crawlercommons.urlfrontier.Urlfrontier.DeleteCrawlMessage;
import crawlercommons.urlfrontier.Urlfrontier.Empty;
import crawlercommons.urlfrontier.Urlfrontier.GetParams;
import crawlercommons.urlfrontier.Urlfrontier.KnownURLItem;
import crawlercommons.urlfrontier.Urlfrontier.ListUrlParams;
import crawlercommons.urlfrontier.Urlfrontier.Local;
import crawlercommons.urlfrontier.Urlfrontier.LogLevelParams;
import crawlercommons.urlfrontier.Urlfrontier.Long;
import crawlercommons.urlfrontier.Urlfrontier.Pagination;
import crawlercommons.urlfrontier.Urlfrontier.QueueDelayParams;
import crawlercommons.urlfrontier.Urlfrontier.QueueList;
import crawlercommons.urlfrontier.Urlfrontier.QueueWithinCrawlParams;
import crawlercommons.urlfrontier.Urlfrontier.Stats;
import crawlercommons.urlfrontier.Urlfrontier.StringList;
import crawlercommons.urlfrontier.Urlfrontier.URLInfo;
import crawlercommons.urlfrontier.Urlfrontier.URLItem;
import crawlercommons.urlfrontier.Urlfrontier.URLStatusRequest;
import dev.sieve.SieveStats;
import io.grpc.ServerCallHandler;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The calls of URLFrontier: checks what a client sends, and passes it on to the crawls. Safe for use by many threads. */
final class FrontierService extends URLFrontierImplBase {
    private static final int DEFAULT_SIZE = 100;
    private static final long DEFAULT_LEASE_SECONDS = 30;

    private final Crawls crawls;
    private final MemoryBudget memory;
    private final Executor workers;
    private final Executor readers;
    private final Supplier<Moment> clock;
    private final Supplier<String> address;
    private final Set<PutStream<?, ?>> streams = ConcurrentHashMap.newKeySet();
    private final AtomicLong turn = new AtomicLong();

    /** Creates the service: workers are for short tasks, readers for those that read all of a log, and wait for a client. */
    FrontierService(
            Crawls crawls,
            MemoryBudget memory,
            Executor workers,
            Executor readers,
            Supplier<Moment> clock,
            Supplier<String> address) {
        this.crawls = crawls;
        this.memory = memory;
        this.workers = workers;
        this.readers = readers;
        this.clock = clock;
        this.address = address;
    }

    /** Ends all calls that store URLs as soon as what was read is acknowledged. */
    void stop() {
        streams.forEach(PutStream::stop);
    }

    @Override
    public StreamObserver<URLItem> putURLs(StreamObserver<AckMessage> call) {
        return put(PutMessages.URLS, call);
    }

    /** Returns the calls of the library of the protocol, and PutDiscovered of version 2.6. */
    ServerServiceDefinition definition() {
        ServerCallHandler<StringList, StringList> putDiscovered =
                ServerCalls.asyncBidiStreamingCall(call -> put(PutMessages.BATCHES, call));
        return QuietMarshaller.applyTo(
                bindService(), ServerMethodDefinition.create(PutMessages.PUT_DISCOVERED, putDiscovered));
    }

    private <M extends MessageLite, A> StreamObserver<M> put(PutMessages<M, A> messages, StreamObserver<A> call) {
        PutStream<M, A> stream = new PutStream<>(
                (ServerCallStreamObserver<A>) call, messages, crawls, memory, workers, clock, streams::remove);
        streams.add(stream);
        stream.start();
        return stream;
    }

    @Override
    public void getURLs(GetParams request, StreamObserver<URLInfo> call) {
        if (!request.getKey().isEmpty() && !request.hasCrawlID()) {
            call.onError(Replies.failure(Status.INVALID_ARGUMENT, "a key requires a crawlID"));
            return;
        }
        UrlTaker taker = new UrlTaker(request);
        new UrlStream<>((ServerCallStreamObserver<URLInfo>) call).send(taker);
    }

    /** Takes the URLs of one call, in pieces. */
    private final class UrlTaker implements Supplier<@Nullable Iterator<URLInfo>> {
        private ServedCrawl.Request request;
        private final List<ServedCrawl> from;

        UrlTaker(GetParams params) {
            request = new ServedCrawl.Request(
                    orNull(params.getKey()),
                    or(params.getMaxQueues(), java.lang.Long.MAX_VALUE),
                    or(params.getMaxUrlsPerQueue(), java.lang.Long.MAX_VALUE),
                    or(params.getDelayRequestable(), DEFAULT_LEASE_SECONDS));
            if (params.hasCrawlID()) {
                ServedCrawl crawl = find(params.getCrawlID());
                from = crawl == null ? new ArrayList<>() : new ArrayList<>(List.of(crawl));
            } else {
                from = new ArrayList<>(crawls.all());
                if (!from.isEmpty()) {
                    Collections.rotate(from, -(int) (turn.getAndIncrement() % from.size()));
                }
            }
        }

        /** Returns the next URLs, of as many crawls as are needed; null when there are none, or no more are requested. */
        @Override
        public @Nullable Iterator<URLInfo> get() {
            while (!from.isEmpty() && request.maxQueues() > 0 && crawls.isActive()) {
                ServedCrawl crawl = from.get(0);
                ServedCrawl.Taken taken = crawl.take(request, clock.get());
                request = request.lessQueues(taken.queues());
                if (!taken.hasMore()) {
                    from.remove(0);
                }
                if (!taken.items().isEmpty()) {
                    return taken.items().stream()
                            .map(item -> urlInfo(crawl.id, item.queue.name, item.lease.url(), item.info))
                            .iterator();
                }
            }
            return null;
        }
    }

    private @Nullable ServedCrawl find(String crawlId) {
        return crawls.find(CrawlID.normaliseCrawlID(crawlId));
    }

    private static @Nullable String orNull(String key) {
        return key.isEmpty() ? null : key;
    }

    private static long or(int unsigned, long ifZero) {
        return unsigned == 0 ? ifZero : Integer.toUnsignedLong(unsigned);
    }

    private static URLInfo urlInfo(String crawl, String queue, String url, RecordInfo info) {
        return URLInfo.newBuilder()
                .setUrl(url)
                .setKey(queue)
                .putAllMetadata(info.metadata())
                .setCrawlID(crawl)
                .build();
    }

    @Override
    public void getStats(QueueWithinCrawlParams request, StreamObserver<Stats> call) {
        Replies.send(call, () -> {
            String id = CrawlID.normaliseCrawlID(request.getCrawlID());
            String key = orNull(request.getKey());
            ServedCrawl crawl = crawls.find(id);
            ServedCrawl.Numbers numbers = crawl == null ? ServedCrawl.Numbers.NONE : crawl.numbers(key, clock.get());
            Stats.Builder stats = Stats.newBuilder()
                    .setCrawlID(id)
                    .setSize(numbers.active())
                    .setInProcess((int) Math.min(Integer.MAX_VALUE, numbers.inProcess()))
                    .setNumberOfQueues(numbers.queues())
                    .putCounts("completed", numbers.completed())
                    .putCounts("active_queues", numbers.activeQueues());
            if (crawl != null && key == null) {
                SieveStats filter = crawl.stats();
                stats.putCounts("filter_size", filter.estimatedSize())
                        .putCounts("filter_capacity", filter.capacity())
                        .putCounts("false_positives_per_billion", Math.round(filter.falsePositiveRate() * 1e9))
                        .putCounts("estimated_missed", Math.round(filter.estimatedMissed()));
            }
            return stats.build();
        });
    }

    @Override
    public void listQueues(Pagination request, StreamObserver<QueueList> call) {
        Replies.send(call, () -> {
            String id = CrawlID.normaliseCrawlID(request.getCrawlID());
            ServedCrawl crawl = crawls.find(id);
            long start = Integer.toUnsignedLong(request.getStart());
            long size = or(request.getSize(), DEFAULT_SIZE);
            List<String> names = crawl == null
                    ? List.of()
                    : crawl.queueNames(start, size, request.getIncludeInactive(), clock.get());
            return QueueList.newBuilder()
                    .addAllValues(names)
                    .setStart(request.getStart())
                    .setSize(names.size())
                    .setCrawlID(id)
                    .build();
        });
    }

    @Override
    public void listCrawls(Local request, StreamObserver<StringList> call) {
        Replies.send(
                call,
                () -> StringList.newBuilder()
                        .addAllValues(crawls.all().stream()
                                .filter(ServedCrawl::hasQueues)
                                .map(crawl -> crawl.id)
                                .toList())
                        .build());
    }

    @Override
    public void listNodes(Empty request, StreamObserver<StringList> call) {
        Replies.send(
                call, () -> StringList.newBuilder().addValues(address.get()).build());
    }

    @Override
    public void deleteCrawl(DeleteCrawlMessage request, StreamObserver<Long> call) {
        Replies.send(call, () -> number(crawls.delete(CrawlID.normaliseCrawlID(request.getValue()))));
    }

    @Override
    public void deleteQueue(QueueWithinCrawlParams request, StreamObserver<Long> call) {
        Replies.send(call, () -> {
            ServedCrawl crawl = find(request.getCrawlID());
            return number(crawl == null ? 0 : crawl.deleteQueue(request.getKey(), clock.get()));
        });
    }

    private static Long number(long value) {
        return Long.newBuilder().setValue(value).build();
    }

    @Override
    public void blockQueueUntil(BlockQueueParams request, StreamObserver<Empty> call) {
        Replies.send(call, () -> {
            change(request.getCrawlID(), request.getKey(), queue -> queue.blockedUntil = request.getTime());
            return Empty.getDefaultInstance();
        });
    }

    @Override
    public void setDelay(QueueDelayParams request, StreamObserver<Empty> call) {
        Replies.send(call, () -> {
            long seconds = Integer.toUnsignedLong(request.getDelayRequestable());
            if (request.getKey().isEmpty() && request.getCrawlID().isEmpty()) {
                crawls.setDelay(seconds, clock.get());
            } else if (request.getKey().isEmpty()) {
                setDelay(request.getCrawlID(), seconds);
            } else {
                change(request.getCrawlID(), request.getKey(), queue -> queue.delay = seconds);
            }
            return Empty.getDefaultInstance();
        });
    }

    /** Sets the delay of a crawl, which is created if necessary, so that it holds for its first URLs. */
    private void setDelay(String crawlId, long seconds) throws IOException {
        String id = CrawlID.normaliseCrawlID(crawlId);
        ServedCrawl crawl = FolderName.isPossible(id) ? crawls.get(id, clock.get()) : null;
        if (crawl == null) {
            throw Replies.failure(
                    Status.RESOURCE_EXHAUSTED,
                    "no memory for the crawl " + shortened(id) + ", or its name is too long");
        }
        crawl.setDelay(seconds, clock.get());
    }

    @Override
    public void setCrawlLimit(CrawlLimitParams request, StreamObserver<Empty> call) {
        Replies.send(call, () -> {
            long limit = Integer.toUnsignedLong(request.getLimit());
            if (!change(request.getCrawlID(), request.getKey(), queue -> queue.limit = limit)) {
                throw new NoSuchElementException("no queue with the key " + shortened(request.getKey())
                        + " in the crawl " + shortened(CrawlID.normaliseCrawlID(request.getCrawlID())));
            }
            return Empty.getDefaultInstance();
        });
    }

    private boolean change(String crawlId, String key, Consumer<Queue> change) {
        ServedCrawl crawl = find(crawlId);
        return crawl != null && crawl.change(key, change, clock.get());
    }

    private static String shortened(String text) {
        return text.substring(0, Math.min(PutItem.MAX_QUEUE, text.length()));
    }

    @Override
    public void setActive(Active request, StreamObserver<Empty> call) {
        Replies.send(call, () -> {
            crawls.setActive(request.getState());
            return Empty.getDefaultInstance();
        });
    }

    @Override
    public void getActive(Local request, StreamObserver<Boolean> call) {
        Replies.send(
                call, () -> Boolean.newBuilder().setState(crawls.isActive()).build());
    }

    @Override
    public void setLogLevel(LogLevelParams request, StreamObserver<Empty> call) {
        call.onError(Replies.failure(Status.UNIMPLEMENTED, "log levels are set where the server is started"));
    }

    @Override
    public void getURLStatus(URLStatusRequest request, StreamObserver<URLItem> call) {
        read(
                call,
                () -> Replies.send(call, () -> {
                    String url = request.getUrl();
                    String queue = request.getKey().isEmpty() ? UrlKeys.host(url) : request.getKey();
                    if (url.isEmpty() || !PutItem.isQueue(queue)) {
                        throw new IllegalArgumentException("not a URL with a host, or a key: " + shortened(url));
                    }
                    ServedCrawl crawl = find(request.getCrawlID());
                    URLItem[] found = new URLItem[1];
                    if (crawl != null && crawl.mightContain(url, queue)) {
                        crawl.listing().forEach(queue, url::equals, (text, info, isCompleted) -> {
                            found[0] = urlItem(crawl.id, text, info, isCompleted);
                            return false;
                        });
                    }
                    if (found[0] == null) {
                        throw new NoSuchElementException("not in the frontier: " + shortened(url));
                    }
                    return found[0];
                }));
    }

    /** A URL that was never scheduled may be fetched at once, which is what its date says. */
    private URLItem urlItem(String crawl, String url, RecordInfo info, boolean isCompleted) {
        long date = info.refetch() == 0 ? clock.get().seconds() : info.refetch();
        return URLItem.newBuilder()
                .setKnown(KnownURLItem.newBuilder()
                        .setInfo(urlInfo(crawl, info.queueOf(url), url, info))
                        .setRefetchableFromDate(isCompleted ? 0 : date))
                .build();
    }

    @Override
    public void listURLs(ListUrlParams request, StreamObserver<URLItem> call) {
        UrlStream<URLItem> stream = new UrlStream<>((ServerCallStreamObserver<URLItem>) call);
        stream.prepare();
        read(call, () -> {
            try {
                list(request, stream);
                call.onCompleted();
            } catch (RuntimeException | Error e) {
                call.onError(Replies.status(e).asRuntimeException());
            }
        });
    }

    private void list(ListUrlParams request, UrlStream<URLItem> stream) {
        ServedCrawl crawl = find(request.getCrawlID());
        if (crawl == null) {
            return;
        }
        long[] skip = {Integer.toUnsignedLong(request.getStart())};
        long[] left = {or(request.getSize(), DEFAULT_SIZE)};
        String queue = orNull(request.getKey());
        Predicate<String> condition = condition(request.getFilter(), request.getIgnoreCase());
        crawl.listing().forEach(queue, condition, (url, info, isCompleted) -> {
            if (skip[0] > 0) {
                skip[0]--;
                return true;
            }
            left[0]--;
            return stream.sendNow(urlItem(crawl.id, url, info, isCompleted)) && left[0] > 0;
        });
    }

    private static Predicate<String> condition(String filter, boolean ignoresCase) {
        if (filter.isBlank()) {
            return url -> true;
        }
        String part = filter.toLowerCase(Locale.ROOT);
        return ignoresCase ? url -> url.toLowerCase(Locale.ROOT).contains(part) : url -> url.contains(filter);
    }

    @Override
    public void countURLs(CountUrlParams request, StreamObserver<Long> call) {
        read(
                call,
                () -> Replies.send(call, () -> {
                    ServedCrawl crawl = find(request.getCrawlID());
                    String queue = orNull(request.getKey());
                    if (crawl == null) {
                        return number(0);
                    }
                    if (request.getFilter().isBlank()) {
                        ServedCrawl.Numbers numbers = crawl.numbers(queue, clock.get());
                        return number(numbers.active() + numbers.completed());
                    }
                    long[] count = new long[1];
                    crawl.listing()
                            .forEach(
                                    queue,
                                    condition(request.getFilter(), request.getIgnoreCase()),
                                    (url, info, done) -> {
                                        count[0]++;
                                        return true;
                                    });
                    return number(count[0]);
                }));
    }

    /** Runs a task that reads a log, unless too many of them are waiting. */
    private void read(StreamObserver<?> call, Runnable task) {
        try {
            readers.execute(task);
        } catch (RejectedExecutionException e) {
            call.onError(Replies.failure(
                    Status.RESOURCE_EXHAUSTED, "too many calls that read a whole crawl; try again later"));
        }
    }
}
