package dev.sieve.bench;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import crawlercommons.urlfrontier.URLFrontierGrpc;
import crawlercommons.urlfrontier.Urlfrontier.AckMessage;
import crawlercommons.urlfrontier.Urlfrontier.DiscoveredURLItem;
import crawlercommons.urlfrontier.Urlfrontier.GetParams;
import crawlercommons.urlfrontier.Urlfrontier.KnownURLItem;
import crawlercommons.urlfrontier.Urlfrontier.QueueDelayParams;
import crawlercommons.urlfrontier.Urlfrontier.StringList;
import crawlercommons.urlfrontier.Urlfrontier.URLInfo;
import crawlercommons.urlfrontier.Urlfrontier.URLItem;
import dev.sieve.UrlBatch;
import dev.sieve.durable.ChildJvm;
import dev.sieve.serve.ServeChild;
import io.grpc.MethodDescriptor;
import io.netty.buffer.ByteBuf;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.openjdk.jmh.runner.options.CommandLineOptions;

/**
 * The server of frontiers, through its protocol: URLs per second, and what each costs the server and this client, which
 * sends what it has encoded before. One of ten discovered URLs is new. With {@code -p peers=NAME:PORT:PROCESS,...} other
 * servers of the protocol, on this machine and empty, take turns with it. Parameters: {@code -p rounds=5}, {@code -p
 * links=1000000} per round, {@code -p fill=1000000} before, {@code -p get=50000} URLs to get per round, {@code -p
 * queues=100}, {@code -p perQueue=10}, {@code -p metadata=false}, {@code -p ours=true}, {@code -p batch=64} URLs in a batch of
 * PutDiscovered; 0 for none.
 */
final class ServeBench {
    private static final int PAGES = 4096;
    private static final String CRAWL = "bench";
    /** The tag of the status of an acknowledgement. */
    private static final int STATUS = AckMessage.STATUS_FIELD_NUMBER << 3;

    private final List<Peer> peers;
    private final Map<Peer, Map<Way, List<Result>>> results = new LinkedHashMap<>();
    private final HostLinks pages = new HostLinks(PAGES);
    private final UrlBatch page = new UrlBatch();
    private final boolean hasMetadata;
    private final GetParams params;
    private final long links;
    private final int get;
    private final int batch;

    private enum Way {
        PUT_1,
        PUT_2,
        BATCH_1,
        BATCH_2,
        GET,
        KNOWN
    }

    /** One measurement. */
    private record Result(double urls, double nanos, double serverSeconds, double clientSeconds) {
        double perSecond() {
            return urls * 1e9 / nanos;
        }

        double serverMicros() {
            return serverSeconds * 1e6 / urls;
        }

        double clientMicros() {
            return clientSeconds * 1e6 / urls;
        }

        Result plus(Result more) {
            return new Result(
                    urls + more.urls,
                    nanos + more.nanos,
                    serverSeconds + more.serverSeconds,
                    clientSeconds + more.clientSeconds);
        }
    }

    /** A server, and two connections to it. */
    private record Peer(String name, long process, List<EncodedClient> clients) {
        static Peer of(String name, int port, long process) {
            return new Peer(name, process, List.of(new EncodedClient(port), new EncodedClient(port)));
        }

        /** In user mode and in the system, in ticks of 10 ms. */
        double cpuSeconds() {
            try {
                String stat = Files.readString(Path.of("/proc", String.valueOf(process), "stat"));
                String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
                return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / 100.0;
            } catch (IOException e) {
                return Double.NaN;
            }
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    private ServeBench(CommandLineOptions line, List<Peer> peers) {
        this.peers = peers;
        links = Long.parseLong(Bench.parameter(line, "links", "1000000"));
        get = Integer.parseInt(Bench.parameter(line, "get", "50000"));
        batch = Integer.parseInt(Bench.parameter(line, "batch", "64"));
        hasMetadata = Boolean.parseBoolean(Bench.parameter(line, "metadata", "false"));
        params = GetParams.newBuilder()
                .setCrawlID(CRAWL)
                .setMaxQueues(Integer.parseInt(Bench.parameter(line, "queues", "100")))
                .setMaxUrlsPerQueue(Integer.parseInt(Bench.parameter(line, "perQueue", "10")))
                .setDelayRequestable(3600)
                .build();
        peers.forEach(peer -> results.put(peer, new EnumMap<>(Way.class)));
    }

    static void compare(CommandLineOptions line) throws Exception {
        Path folder = Files.createTempDirectory("sieve-serve");
        List<Process> processes = new ArrayList<>();
        List<Peer> peers = new ArrayList<>();
        try {
            if (Boolean.parseBoolean(Bench.parameter(line, "ours", "true"))) {
                processes.add(
                        ChildJvm.start(List.of("-Xmx1g"), ServeChild.class, folder.toString(), "10000000", "0.001"));
                peers.add(peer("SIEVE", processes.get(0)));
            }
            for (String named : line.getParameter("peers").orElse(List.of())) {
                String[] parts = named.split(":", -1);
                peers.add(Peer.of(parts[0], Integer.parseInt(parts[1]), Long.parseLong(parts[2])));
            }
            ServeBench bench = new ServeBench(line, peers);
            bench.fill(Long.parseLong(Bench.parameter(line, "fill", "1000000")));
            // The first round warms up.
            int rounds = 1 + Integer.parseInt(Bench.parameter(line, "rounds", "5"));
            for (int round = 0; round < rounds; round++) {
                bench.round(round > 0);
            }
            bench.print();
        } finally {
            for (Peer peer : peers) {
                peer.clients.forEach(EncodedClient::close);
            }
            for (Process process : processes) {
                process.destroyForcibly().waitFor();
            }
            delete(folder);
        }
    }

    private static Peer peer(String name, Process process) throws IOException {
        String port = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII))
                .readLine();
        if (port == null) {
            throw new IOException(name + " has not started");
        }
        return Peer.of(name, Integer.parseInt(port), process.pid());
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Collections.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        }
    }

    private void fill(long urls) throws IOException {
        EncodedMessages noDelay = new EncodedMessages();
        noDelay.add(QueueDelayParams.getDefaultInstance());
        for (Peer peer : peers) {
            peer.clients
                    .get(0)
                    .call(URLFrontierGrpc.getSetDelayMethod(), noDelay, answer -> {})
                    .await();
        }
        for (long filled = 0; filled < urls; filled += pages.size()) {
            List<EncodedMessages> items = draw(1, 0);
            for (Peer peer : peers) {
                put(peer, items, 0);
            }
        }
    }

    private void round(boolean isMeasured) throws IOException {
        for (Way way : List.of(Way.PUT_1, Way.BATCH_1, Way.PUT_2, Way.BATCH_2)) {
            int size = way == Way.PUT_1 || way == Way.PUT_2 ? 0 : batch;
            boolean isLeftOut = size == 0 && (way == Way.BATCH_1 || way == Way.BATCH_2);
            for (long pushed = 0; pushed < links && !isLeftOut; pushed += pages.size()) {
                List<EncodedMessages> items = draw(way == Way.PUT_1 || way == Way.BATCH_1 ? 1 : 2, size);
                for (Peer peer : peers) {
                    Result result = measure(peer, pages.size(), () -> put(peer, items, size));
                    add(peer, way, result, pushed > 0, isMeasured);
                }
                Collections.rotate(peers, 1);
            }
        }
        for (Peer peer : peers) {
            getAndReport(peer, isMeasured);
        }
    }

    private void add(Peer peer, Way way, Result result, boolean isMore, boolean isMeasured) {
        if (isMeasured) {
            List<Result> all = results.get(peer).computeIfAbsent(way, each -> new ArrayList<>());
            all.add(isMore ? all.remove(all.size() - 1).plus(result) : result);
        }
    }

    private void getAndReport(Peer peer, boolean isMeasured) throws IOException {
        EncodedMessages request = new EncodedMessages();
        request.add(params);
        int got = 0;
        while (got < get) {
            List<URLInfo> urls = new ArrayList<>();
            Result result = measure(
                    peer,
                    0,
                    () -> peer.clients
                            .get(0)
                            .call(URLFrontierGrpc.getGetURLsMethod(), request, url -> urls.add(parse(url)))
                            .await());
            if (urls.isEmpty()) {
                return;
            }
            EncodedMessages items = new EncodedMessages();
            urls.forEach(url -> items.add(URLItem.newBuilder()
                    .setKnown(KnownURLItem.newBuilder().setInfo(url))
                    .build()));
            add(peer, Way.GET, result.plus(new Result(urls.size(), 0, 0, 0)), got > 0, isMeasured);
            Result known = measure(peer, urls.size(), () -> put(peer, List.of(items), 0));
            add(peer, Way.KNOWN, known, got > 0, isMeasured);
            got += urls.size();
        }
    }

    private static URLInfo parse(ByteBuf url) {
        try {
            return URLInfo.parseFrom(url.nioBuffer());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns the items of a number of pages, for so many streams.
     *
     * @param size of a batch; 0 for messages with one URL each
     */
    private List<EncodedMessages> draw(int streams, int size) {
        pages.draw();
        List<EncodedMessages> items =
                Stream.generate(EncodedMessages::new).limit(streams).toList();
        List<URLInfo> urls = new ArrayList<>();
        for (int i = 0; i < PAGES; i++) {
            pages.fill(page, i);
            for (int link = 0; link < page.size(); link++) {
                String url = page.url(link);
                String host = url.substring(url.indexOf("//") + 2, url.indexOf('/', 8));
                URLInfo.Builder info =
                        URLInfo.newBuilder().setUrl(url).setKey(host).setCrawlID(CRAWL);
                if (hasMetadata) {
                    info.putMetadata("url.path", values(page.referrer()));
                    info.putMetadata("depth", values("3"));
                }
                if (size == 0) {
                    items.get(i % streams)
                            .add(URLItem.newBuilder()
                                    .setDiscovered(
                                            DiscoveredURLItem.newBuilder().setInfo(info))
                                    .build());
                } else {
                    urls.add(info.build());
                }
            }
        }
        for (int from = 0; from < urls.size(); from += size) {
            List<URLInfo> part = urls.subList(from, Math.min(urls.size(), from + size));
            items.get(from / size % streams).add(batch(part));
        }
        return items;
    }

    /** Returns a DiscoveredBatch: the text is its ID, and the other field is not known in version 2.5. */
    private static StringList batch(List<URLInfo> urls) {
        UnknownFieldSet.Field.Builder field = UnknownFieldSet.Field.newBuilder();
        urls.forEach(url -> field.addLengthDelimited(url.toByteString()));
        return values("batch").toBuilder()
                .setUnknownFields(
                        UnknownFieldSet.newBuilder().addField(2, field.build()).build())
                .build();
    }

    private static StringList values(String value) {
        return StringList.newBuilder().addValues(value).build();
    }

    private static Result measure(Peer peer, int urls, Work work) throws IOException {
        double server = peer.cpuSeconds();
        double client = clientSeconds();
        long start = System.nanoTime();
        work.run();
        long nanos = System.nanoTime() - start;
        return new Result(urls, nanos, peer.cpuSeconds() - server, clientSeconds() - client);
    }

    private static double clientSeconds() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                        .getProcessCpuTime()
                / 1e9;
    }

    /** Sends all items, each part on a connection of its own, and waits until they are acknowledged. */
    private static void put(Peer peer, List<EncodedMessages> streams, int size) throws IOException {
        AtomicInteger failed = new AtomicInteger();
        List<EncodedClient.Call> calls = new ArrayList<>();
        MethodDescriptor<?, ?> method = size == 0
                ? URLFrontierGrpc.getPutURLsMethod()
                : URLFrontierGrpc.getPutURLsMethod().toBuilder()
                        .setFullMethodName(URLFrontierGrpc.SERVICE_NAME + "/PutDiscovered")
                        .build();
        for (int i = 0; i < streams.size(); i++) {
            calls.add(peer.clients.get(i).call(method, streams.get(i), ack -> {
                if (size > 0) {
                    failed.addAndGet(failed(ack));
                    return;
                }
                // The status is the last field, and left out when it is OK.
                int end = ack.writerIndex();
                if (end > 1 && ack.getByte(end - 2) == STATUS && ack.getByte(end - 1) == AckMessage.Status.FAIL_VALUE) {
                    failed.getAndIncrement();
                }
            }));
        }
        for (int i = 0; i < streams.size(); i++) {
            int acknowledged = calls.get(i).await();
            if (acknowledged != streams.get(i).size() || failed.get() > 0) {
                throw new IOException(acknowledged + " of " + streams.get(i).size() + " acknowledged, " + failed
                        + " failed: " + peer.name);
            }
        }
    }

    /** Returns how many URLs of a BatchAck have failed. */
    private static int failed(ByteBuf ack) {
        try {
            int failed = 0;
            for (ByteString statuses : StringList.parseFrom(ack.nioBuffer())
                    .getUnknownFields()
                    .getField(2)
                    .getLengthDelimitedList()) {
                for (byte status : statuses) {
                    failed += status == AckMessage.Status.FAIL_VALUE ? 1 : 0;
                }
            }
            return failed;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void print() {
        Map<Way, List<Result>> first = results.values().iterator().next();
        results.forEach((peer, ways) -> ways.forEach((way, measured) -> {
            double rate = Bench.median(measured.stream().map(Result::perSecond).toList());
            Bench.print(
                    "%-10s %-6s median of %d: %,9.0f URLs/s (%,.0f to %,.0f); %6.2f us of the server, %5.2f us of the"
                            + " client per URL%s",
                    peer.name,
                    way,
                    measured.size(),
                    rate,
                    measured.stream().mapToDouble(Result::perSecond).min().orElseThrow(),
                    measured.stream().mapToDouble(Result::perSecond).max().orElseThrow(),
                    Bench.median(measured.stream().map(Result::serverMicros).toList()),
                    Bench.median(measured.stream().map(Result::clientMicros).toList()),
                    ways == first || !first.containsKey(way)
                            ? ""
                            : String.format(
                                    "; the first has %.2f times as many",
                                    Bench.median(first.get(way).stream()
                                                    .map(Result::perSecond)
                                                    .toList())
                                            / rate));
        }));
    }
}
