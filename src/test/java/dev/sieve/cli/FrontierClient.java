package dev.sieve.cli;

import crawlercommons.urlfrontier.URLFrontierGrpc;
import crawlercommons.urlfrontier.Urlfrontier.AckMessage;
import crawlercommons.urlfrontier.Urlfrontier.DiscoveredURLItem;
import crawlercommons.urlfrontier.Urlfrontier.GetParams;
import crawlercommons.urlfrontier.Urlfrontier.KnownURLItem;
import crawlercommons.urlfrontier.Urlfrontier.QueueDelayParams;
import crawlercommons.urlfrontier.Urlfrontier.URLInfo;
import crawlercommons.urlfrontier.Urlfrontier.URLItem;
import io.grpc.ManagedChannel;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** A crawler that uses the service as the generated client does. */
final class FrontierClient implements AutoCloseable {
    private final ManagedChannel channel;

    private FrontierClient(NettyChannelBuilder builder) {
        channel = builder.build();
    }

    /**
     * @param address host and port, as the service prints them
     */
    static FrontierClient plain(String address) {
        return new FrontierClient(NettyChannelBuilder.forTarget(address).usePlaintext());
    }

    /**
     * @param certificate the only one that is trusted
     */
    static FrontierClient tls(String host, int port, Path certificate) throws IOException {
        return new FrontierClient(NettyChannelBuilder.forAddress(host, port)
                .sslContext(GrpcSslContexts.forClient()
                        .trustManager(certificate.toFile())
                        .build()));
    }

    /** Sends new URLs and returns the status of each. */
    Map<String, AckMessage.Status> discover(Collection<String> urls) throws Exception {
        return put(urls.stream()
                .map(url -> URLItem.newBuilder()
                        .setDiscovered(DiscoveredURLItem.newBuilder().setInfo(info(url)))
                        .build())
                .toList());
    }

    /** Sends that URLs are done and returns the status of each. */
    Map<String, AckMessage.Status> done(Collection<String> urls) throws Exception {
        return put(urls.stream()
                .map(url -> URLItem.newBuilder()
                        .setKnown(KnownURLItem.newBuilder().setInfo(info(url)))
                        .build())
                .toList());
    }

    private static URLInfo info(String url) {
        return URLInfo.newBuilder().setUrl(url).build();
    }

    private Map<String, AckMessage.Status> put(List<URLItem> items) throws Exception {
        Map<String, AckMessage.Status> acknowledged = new ConcurrentHashMap<>();
        CompletableFuture<Void> end = new CompletableFuture<>();
        StreamObserver<URLItem> stream = URLFrontierGrpc.newStub(channel).putURLs(new StreamObserver<>() {
            @Override
            public void onNext(AckMessage message) {
                acknowledged.put(message.getID(), message.getStatus());
            }

            @Override
            public void onError(Throwable e) {
                end.completeExceptionally(e);
            }

            @Override
            public void onCompleted() {
                end.complete(null);
            }
        });
        items.forEach(stream::onNext);
        stream.onCompleted();
        end.get(60, TimeUnit.SECONDS);
        return new TreeMap<>(acknowledged);
    }

    /** Sets how many seconds pass between two times that URLs of the same host are taken. */
    void delay(int seconds) {
        blocking()
                .setDelay(QueueDelayParams.newBuilder()
                        .setDelayRequestable(seconds)
                        .build());
    }

    /** Takes URLs of any host until there is none. Requires a delay of 0. */
    List<String> takeAll() {
        List<String> taken = new ArrayList<>();
        int before;
        do {
            before = taken.size();
            blocking()
                    .getURLs(GetParams.newBuilder()
                            .setDelayRequestable(600)
                            .setCrawlID("")
                            .build())
                    .forEachRemaining(info -> taken.add(info.getUrl()));
        } while (taken.size() > before);
        return taken;
    }

    private URLFrontierGrpc.URLFrontierBlockingStub blocking() {
        return URLFrontierGrpc.newBlockingStub(channel).withDeadlineAfter(60, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
