package dev.sieve.serve;

import crawlercommons.urlfrontier.CrawlID;
import crawlercommons.urlfrontier.URLFrontierGrpc;
import crawlercommons.urlfrontier.URLFrontierGrpc.URLFrontierBlockingStub;
import crawlercommons.urlfrontier.URLFrontierGrpc.URLFrontierStub;
import crawlercommons.urlfrontier.Urlfrontier.AckMessage;
import crawlercommons.urlfrontier.Urlfrontier.DiscoveredURLItem;
import crawlercommons.urlfrontier.Urlfrontier.GetParams;
import crawlercommons.urlfrontier.Urlfrontier.KnownURLItem;
import crawlercommons.urlfrontier.Urlfrontier.ListUrlParams;
import crawlercommons.urlfrontier.Urlfrontier.QueueDelayParams;
import crawlercommons.urlfrontier.Urlfrontier.QueueWithinCrawlParams;
import crawlercommons.urlfrontier.Urlfrontier.Stats;
import crawlercommons.urlfrontier.Urlfrontier.URLInfo;
import crawlercommons.urlfrontier.Urlfrontier.URLItem;
import dev.sieve.FrontierSettings;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;

/** A server on this machine and a client of it; the time is set by the test. */
final class Door implements AutoCloseable {
    static final long START_SECONDS = 1_800_000_000L;

    final FrontierServer server;
    final ManagedChannel channel;
    final URLFrontierStub stub;
    final URLFrontierBlockingStub client;
    private final AtomicLong seconds;

    Door(Path directory) throws IOException {
        this(directory, START_SECONDS, builder -> builder);
    }

    Door(Path directory, long seconds, UnaryOperator<FrontierServer.Builder> options) throws IOException {
        this.seconds = new AtomicLong(seconds);
        FrontierServer.Builder builder = FrontierServer.builder(directory)
                .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .settings(FrontierSettings.DEFAULTS.withCapacity(10_000))
                .clock(() -> new Moment(seconds() * 1_000_000_000, seconds()));
        server = options.apply(builder).open();
        channel = NettyChannelBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()))
                .usePlaintext()
                .build();
        stub = URLFrontierGrpc.newStub(channel);
        client = URLFrontierGrpc.newBlockingStub(channel);
    }

    void pass(long moreSeconds) {
        seconds.addAndGet(moreSeconds);
    }

    long seconds() {
        return seconds.get();
    }

    static URLInfo info(String url) {
        return URLInfo.newBuilder().setUrl(url).build();
    }

    static URLItem discovered(String url) {
        return discovered(info(url));
    }

    static URLItem discovered(URLInfo info) {
        return URLItem.newBuilder()
                .setDiscovered(DiscoveredURLItem.newBuilder().setInfo(info))
                .build();
    }

    static URLItem known(String url, long refetch) {
        return known(info(url), refetch);
    }

    static URLItem known(URLInfo info, long refetch) {
        return URLItem.newBuilder()
                .setKnown(KnownURLItem.newBuilder().setInfo(info).setRefetchableFromDate(refetch))
                .build();
    }

    /** Collects the responses of a stream. */
    static final class Collector<T> implements StreamObserver<T> {
        final List<T> values = new ArrayList<>();
        private final CompletableFuture<List<T>> result = new CompletableFuture<>();

        @Override
        public synchronized void onNext(T value) {
            values.add(value);
        }

        @Override
        public void onError(Throwable t) {
            result.completeExceptionally(t);
        }

        @Override
        public synchronized void onCompleted() {
            result.complete(List.copyOf(values));
        }

        List<T> await() throws Exception {
            return result.get(60, TimeUnit.SECONDS);
        }
    }

    /** The client of a stream that reads responses only when the test has it do so, and counts something of each. */
    static final class Unread<Q, A> implements ClientResponseObserver<Q, A> {
        final CompletableFuture<ClientCallStreamObserver<Q>> stream = new CompletableFuture<>();
        final AtomicInteger read = new AtomicInteger();
        final CompletableFuture<Void> end = new CompletableFuture<>();
        private final ToIntFunction<A> count;

        Unread(ToIntFunction<A> count) {
            this.count = count;
        }

        @Override
        public void beforeStart(ClientCallStreamObserver<Q> call) {
            call.disableAutoRequestWithInitial(0);
            stream.complete(call);
        }

        @Override
        public void onNext(A response) {
            read.addAndGet(count.applyAsInt(response));
        }

        @Override
        public void onError(Throwable t) {
            end.completeExceptionally(t);
        }

        @Override
        public void onCompleted() {
            end.complete(null);
        }
    }

    /** Sends URLs in one stream; returns their statuses, each with its first letter: O, S, F. */
    String put(URLItem... items) throws Exception {
        Collector<AckMessage> acks = new Collector<>();
        StreamObserver<URLItem> stream = stub.putURLs(acks);
        for (URLItem item : items) {
            stream.onNext(item);
        }
        stream.onCompleted();
        StringBuilder letters = new StringBuilder();
        acks.await().forEach(ack -> letters.append(ack.getStatus().name().charAt(0)));
        return letters.toString();
    }

    String discover(String... urls) throws Exception {
        URLItem[] items = new URLItem[urls.length];
        for (int i = 0; i < urls.length; i++) {
            items[i] = discovered(urls[i]);
        }
        return put(items);
    }

    static GetParams.Builder request(int queues, int perQueue) {
        return GetParams.newBuilder()
                .setMaxQueues(queues)
                .setMaxUrlsPerQueue(perQueue)
                .setCrawlID(CrawlID.DEFAULT);
    }

    /** Gets URLs; returns their texts in order. */
    List<String> get(GetParams.Builder request) {
        List<String> urls = new ArrayList<>();
        client.getURLs(request.build()).forEachRemaining(info -> urls.add(info.getUrl()));
        return urls;
    }

    List<String> get() {
        return get(request(0, 0));
    }

    void noDelay() {
        client.setDelay(QueueDelayParams.getDefaultInstance());
    }

    Stats stats(String key) {
        return client.getStats(QueueWithinCrawlParams.newBuilder().setKey(key).build());
    }

    /** Returns queues, active, in process, completed. */
    List<Long> numbers() {
        Stats stats = stats("");
        return List.of(
                stats.getNumberOfQueues(),
                stats.getSize(),
                (long) stats.getInProcess(),
                stats.getCountsOrThrow("completed"));
    }

    /** Lists all URLs with their dates. */
    Map<String, Long> list() {
        Map<String, Long> dates = new TreeMap<>();
        client.listURLs(ListUrlParams.newBuilder().setSize(1_000_000).build())
                .forEachRemaining(item -> dates.merge(
                        item.getKnown().getInfo().getUrl(), item.getKnown().getRefetchableFromDate(), (a, b) -> {
                            throw new AssertionError("listed twice: " + item);
                        }));
        return dates;
    }

    void stopClient() {
        channel.shutdownNow();
    }

    @Override
    public void close() {
        stopClient();
        server.close();
    }
}
