package dev.sieve.serve;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.DynamicMessage;
import crawlercommons.urlfrontier.URLFrontierGrpc;
import crawlercommons.urlfrontier.URLFrontierGrpc.URLFrontierBlockingStub;
import crawlercommons.urlfrontier.Urlfrontier.AckMessage;
import crawlercommons.urlfrontier.Urlfrontier.CountUrlParams;
import crawlercommons.urlfrontier.Urlfrontier.DiscoveredURLItem;
import crawlercommons.urlfrontier.Urlfrontier.GetParams;
import crawlercommons.urlfrontier.Urlfrontier.KnownURLItem;
import crawlercommons.urlfrontier.Urlfrontier.QueueDelayParams;
import crawlercommons.urlfrontier.Urlfrontier.QueueWithinCrawlParams;
import crawlercommons.urlfrontier.Urlfrontier.Stats;
import crawlercommons.urlfrontier.Urlfrontier.URLInfo;
import crawlercommons.urlfrontier.Urlfrontier.URLItem;
import dev.sieve.Tier;
import dev.sieve.durable.ChildJvm;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server is killed by SIGKILL at random moments while clients send URLs on two streams, one of them in batches, get URLs, and report them to be
 * known on two others: whatever was acknowledged is handed out, and the crawl ends. 3 kills; 100 with {@code sieve.proof}.
 */
@Tag("process")
@Tag("slow")
@Timeout(3600)
class ServeKillIT {
    private static final int KILLS = Tier.of(2, 100);
    private static final long SEED = 20261122;
    private static final int CLIENTS = 2;
    private static final int MOST_MESSAGES = 4000;
    private static final List<String> CRAWLS = List.of("", "other");

    @TempDir
    Path folder;

    private final ServeRecord record = new ServeRecord(SEED);
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void endThreads() {
        threads.shutdownNow();
    }

    @Test
    void noKillLosesAUrlOrKeepsTheCrawlFromEnding() throws Exception {
        Random random = new Random(SEED);
        for (int kill = 0; kill < KILLS; kill++) {
            runAndKill(kill, 1 + random.nextInt(MOST_MESSAGES));
        }
        try (Server server = new Server()) {
            reportLate(server);
            sendUnanswered(server);
            crawlToTheEnd(server);
            record.verifyEnd();
            verifyStats(server);
            server.process.destroy();
            assertThat(server.process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        }
        try (Server server = new Server()) {
            for (String crawl : CRAWLS) {
                assertThat(server.blocking.getURLs(request(crawl)).hasNext()).isFalse();
            }
            verifyStats(server);
        }
        System.out.printf(
                "seed %d: %d kills, %d URLs accepted, 0 lost, %d known ones handed out once more%n",
                SEED, KILLS, record.accepted(), record.redone());
    }

    /** A process that serves, and a connection to it. */
    private final class Server implements AutoCloseable {
        final Process process;
        final ManagedChannel channel;
        final URLFrontierBlockingStub blocking;

        Server() throws IOException {
            process = ChildJvm.start(
                    List.of("-Xmx128m", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
                    ServeChild.class,
                    folder.toString(),
                    "1000000",
                    "1e-9");
            String port = new BufferedReader(new InputStreamReader(process.getInputStream(), US_ASCII)).readLine();
            assertThat(port).isNotNull();
            channel = ManagedChannelBuilder.forAddress("127.0.0.1", Integer.parseInt(port))
                    .usePlaintext()
                    .build();
            blocking = URLFrontierGrpc.newBlockingStub(channel);
        }

        @Override
        public void close() {
            channel.shutdownNow();
            process.destroyForcibly().onExit().join();
        }
    }

    /** A stream of messages to the server, with at most so many of them in flight. */
    private abstract static class Client<Q, A> implements StreamObserver<A> {
        private final int window;
        private int inFlight;
        private boolean isOver;

        Client(int window) {
            this.window = window;
        }

        /** Sends a message once there is room for it. Returns false if the stream has ended. */
        final synchronized boolean send(StreamObserver<Q> out, Supplier<Q> message) throws InterruptedException {
            while (inFlight == window && !isOver) {
                wait();
            }
            if (!isOver) {
                inFlight++;
                out.onNext(message.get());
            }
            return !isOver;
        }

        /** Waits until all are answered; returns false if the stream has ended before. */
        final synchronized boolean await() throws InterruptedException {
            while (inFlight > 0 && !isOver) {
                wait();
            }
            return inFlight == 0;
        }

        /** Ends the stream, whose answers must all have come. */
        final synchronized void end(StreamObserver<Q> out) throws InterruptedException {
            assertThat(await()).isTrue();
            out.onCompleted();
            while (!isOver) {
                wait();
            }
        }

        abstract void answered(A ack);

        @Override
        public final void onNext(A ack) {
            answered(ack);
            synchronized (this) {
                inFlight--;
                notifyAll();
            }
        }

        @Override
        public final synchronized void onError(Throwable failure) {
            isOver = true;
            notifyAll();
        }

        @Override
        public final synchronized void onCompleted() {
            isOver = true;
            notifyAll();
        }
    }

    /** Sends URLs, and what has become of them. */
    private final class Stream extends Client<URLItem, AckMessage> {
        private final StreamObserver<URLItem> out;

        Stream(Server server) {
            super(256);
            out = URLFrontierGrpc.newStub(server.channel).putURLs(this);
        }

        boolean discovered(int number) throws InterruptedException {
            return send(
                    "d" + number,
                    URLItem.newBuilder()
                            .setDiscovered(DiscoveredURLItem.newBuilder().setInfo(ServeRecord.info(number))));
        }

        boolean known(int number) throws InterruptedException {
            record.sendKnown(number);
            return send(
                    "k" + number,
                    URLItem.newBuilder().setKnown(KnownURLItem.newBuilder().setInfo(ServeRecord.info(number))));
        }

        /** It is known, and due again since 1970. */
        boolean again(int number) throws InterruptedException {
            record.sendAgain(number);
            return send(
                    "a" + number,
                    URLItem.newBuilder()
                            .setKnown(KnownURLItem.newBuilder()
                                    .setInfo(ServeRecord.info(number))
                                    .setRefetchableFromDate(1)));
        }

        private boolean send(String id, URLItem.Builder item) throws InterruptedException {
            return send(out, () -> item.setID(id).build());
        }

        void end() throws InterruptedException {
            end(out);
        }

        @Override
        void answered(AckMessage ack) {
            int number = Integer.parseInt(ack.getID().substring(1));
            switch (ack.getID().charAt(0)) {
                case 'd' -> record.answered(number, ack.getStatus());
                case 'k' -> record.known(number, ack.getStatus());
                default -> record.again(number, ack.getStatus());
            }
        }
    }

    /** Sends batches of discovered URLs. */
    private final class BatchStream extends Client<DynamicMessage, DynamicMessage> {
        private final StreamObserver<DynamicMessage> out;
        private final Random random;

        BatchStream(Server server, Random random) {
            super(8);
            this.random = random;
            out = Batches26.call(server.channel, this);
        }

        /** Sends the next URLs. Returns false if the stream has ended. */
        boolean discovered() throws InterruptedException {
            return send(out, () -> {
                List<URLInfo> urls = new ArrayList<>();
                for (int left = random.nextInt(100); left > 0; left--) {
                    urls.add(ServeRecord.info(record.toSend()));
                }
                String id = urls.stream()
                        .map(url -> String.valueOf(ServeRecord.number(url.getUrl())))
                        .collect(Collectors.joining(" "));
                return Batches26.batch(id, urls);
            });
        }

        @Override
        void answered(DynamicMessage ack) {
            String[] numbers = Batches26.id(ack).split(" ", -1);
            String statuses = Batches26.statuses(ack);
            for (int i = 0; i < statuses.length(); i++) {
                record.answered(
                        Integer.parseInt(numbers[i]),
                        switch (statuses.charAt(i)) {
                            case 'O' -> AckMessage.Status.OK;
                            case 'S' -> AckMessage.Status.SKIPPED;
                            default -> AckMessage.Status.FAIL;
                        });
            }
        }
    }

    private void runAndKill(int kill, int messages) throws Exception {
        List<Future<?>> clients = new ArrayList<>();
        try (Server server = new Server()) {
            if (kill == 0) {
                // All queues may be served at any time. It is stored, so it survives all kills.
                assertThat(server.blocking.setDelay(QueueDelayParams.getDefaultInstance()))
                        .isNotNull();
            }
            reportLate(server);
            for (int client = 0; client < CLIENTS; client++) {
                Random random = new Random(SEED + (long) kill * CLIENTS + client);
                Stream urls = new Stream(server);
                Stream results = new Stream(server);
                BatchStream batches = new BatchStream(server, random);
                boolean sendsBatches = client == 0;
                clients.add(threads.submit(() -> {
                    while (sendsBatches ? batches.discovered() : urls.discovered(record.toSend())) {}
                    return null;
                }));
                clients.add(threads.submit(() -> {
                    while (getAndReport(server, results, random)) {}
                    return null;
                }));
            }
            record.await(messages, server.process);
            server.process.toHandle().destroyForcibly();
            for (Future<?> client : clients) {
                client.get();
            }
        }
        record.killed();
    }

    private static GetParams request(String crawl) {
        return GetParams.newBuilder()
                .setMaxQueues(20)
                .setMaxUrlsPerQueue(10)
                .setDelayRequestable(3600)
                .setCrawlID(crawl)
                .build();
    }

    /** Reports most of the URLs it gets to be known, and some to be due again. Returns false if the server is gone. */
    private boolean getAndReport(Server server, Stream results, Random random) throws InterruptedException {
        boolean isAlive = true;
        try {
            Iterator<URLInfo> urls = server.blocking.getURLs(request(CRAWLS.get(random.nextInt(2))));
            while (urls.hasNext()) {
                URLInfo url = urls.next();
                record.handedOut(url);
                int number = ServeRecord.number(url.getUrl());
                switch (random.nextInt(32)) {
                    case 0 -> {}
                    case 1, 2 -> isAlive = results.again(number);
                    default -> isAlive = results.known(number);
                }
            }
        } catch (StatusRuntimeException e) {
            return false;
        }
        return isAlive;
    }

    /** Reports results that an earlier server was to get. */
    private void reportLate(Server server) throws InterruptedException {
        Stream results = new Stream(server);
        for (int number : record.toReportLate()) {
            assertThat(results.known(number)).isTrue();
        }
        results.end();
    }

    private void sendUnanswered(Server server) throws InterruptedException {
        Stream urls = new Stream(server);
        while (!record.isAllAnswered()) {
            assertThat(urls.discovered(record.toSend())).isTrue();
        }
        urls.end();
    }

    private void crawlToTheEnd(Server server) throws InterruptedException {
        Stream results = new Stream(server);
        for (String crawl : CRAWLS) {
            Iterator<URLInfo> urls = server.blocking.getURLs(request(crawl));
            while (urls.hasNext()) {
                while (urls.hasNext()) {
                    URLInfo url = urls.next();
                    record.handedOut(url);
                    assertThat(results.known(ServeRecord.number(url.getUrl()))).isTrue();
                }
                assertThat(results.await()).isTrue();
                urls = server.blocking.getURLs(request(crawl));
            }
        }
        results.end();
    }

    private void verifyStats(Server server) {
        for (String crawl : CRAWLS) {
            Stats stats = server.blocking.getStats(
                    QueueWithinCrawlParams.newBuilder().setCrawlID(crawl).build());
            assertThat(stats.getSize()).isZero();
            assertThat(stats.getInProcess()).isZero();
            assertThat(stats.getCountsOrThrow("completed")).isEqualTo(record.sent(crawl));
            assertThat(server.blocking
                            .countURLs(CountUrlParams.newBuilder()
                                    .setCrawlID(crawl)
                                    .build())
                            .getValue())
                    .isEqualTo(record.sent(crawl));
        }
    }
}
