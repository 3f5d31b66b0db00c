package dev.sieve.serve;

import static dev.sieve.serve.Door.START_SECONDS;
import static dev.sieve.serve.Door.discovered;
import static dev.sieve.serve.Door.info;
import static dev.sieve.serve.Door.known;
import static dev.sieve.serve.Door.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import crawlercommons.urlfrontier.URLFrontierGrpc;
import crawlercommons.urlfrontier.Urlfrontier.AckMessage;
import crawlercommons.urlfrontier.Urlfrontier.DeleteCrawlMessage;
import crawlercommons.urlfrontier.Urlfrontier.StringList;
import crawlercommons.urlfrontier.Urlfrontier.URLItem;
import dev.sieve.Await;
import dev.sieve.FrontierSettings;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that send too much, read too little, or send nonsense; and a disk that fails. */
@Tag("hostile")
class HostileClientTest {
    private static final long MEGABYTE = 1 << 20;

    @TempDir
    Path folder;

    /** Opens a server whose filter has space left, so that no URL seems to be seen. */
    private Door open(long memoryBytes) throws IOException {
        return new Door(
                folder,
                START_SECONDS,
                builder -> builder.memory(memoryBytes).settings(FrontierSettings.DEFAULTS.withCapacity(100_000)));
    }

    @Test
    void aClientThatDoesNotReadIsNotReadFurther() throws Exception {
        try (Door door = open(128 * MEGABYTE)) {
            Door.Unread<URLItem, AckMessage> reader = new Door.Unread<>(ack -> 1);
            door.stub.putURLs(reader);
            ClientCallStreamObserver<URLItem> stream = reader.stream.get();
            String id = "x".repeat(1_000);
            int total = 20_000; // of a kilobyte each: more than the windows of both sides and the limits together
            for (int i = 0; i < total; i++) {
                stream.onNext(
                        discovered("http://a.com/" + i).toBuilder().setID(id).build());
            }
            stream.onCompleted();
            // A call that comes later is answered, while the server holds only what one stream may have.
            assertThat(door.get(request(1, 1))).hasSizeLessThanOrEqualTo(1);
            assertThat(door.stats("").getSize()).isLessThan(total / 2);
            stream.request(total);
            reader.end.get(60, TimeUnit.SECONDS);
            assertThat(reader.read).hasValue(total);
            assertThat(door.stats("").getSize()).isGreaterThan(total * 9 / 10);
        }
    }

    @Test
    void manyStreamsThatAreNotReadDoNotTakeAllThreads() throws Exception {
        try (Door door = open(128 * MEGABYTE)) {
            for (int i = 0; i < 40; i++) {
                Door.Unread<URLItem, AckMessage> reader = new Door.Unread<>(ack -> 1);
                door.stub.putURLs(reader);
                for (int j = 0; j < 500; j++) {
                    reader.stream
                            .get()
                            .onNext(discovered("http://" + i + ".com/" + j).toBuilder()
                                    .setID("x".repeat(1_000))
                                    .build());
                }
            }
            assertThat(door.discover("http://a.com/")).isEqualTo("O");
            assertThat(door.get(request(0, 1).setKey("a.com"))).containsExactly("http://a.com/");
        }
    }

    @Test
    @Tag("slow")
    void queuesBeyondTheMemoryAreRefused() throws Exception {
        try (Door door = open(16 * MEGABYTE)) {
            int count = 20_000;
            StringBuilder statuses = new StringBuilder();
            for (int from = 0; from < count; from += 1_000) {
                statuses.append(door.put(IntStream.range(from, from + 1_000)
                        .mapToObj(i -> discovered(info("http://a.com/").toBuilder()
                                .setKey("q" + i + "-" + "x".repeat(200))
                                .build()))
                        .toArray(URLItem[]::new)));
            }
            assertThat(statuses.toString()).startsWith("OOO").endsWith("FFF");
            long accepted = statuses.chars().filter(c -> c == 'O').count();
            assertThat(door.stats("").getNumberOfQueues()).isEqualTo(accepted);
            assertThat(door.get(request(10, 1))).hasSizeLessThanOrEqualTo(10);
        }
    }

    @Test
    @Tag("slow")
    void datesBeyondTheMemoryAreRefused() throws Exception {
        StringBuilder statuses = new StringBuilder();
        int count = 20_000;
        UnaryOperator<FrontierServer.Builder> options =
                builder -> builder.memory(4 * MEGABYTE).settings(FrontierSettings.DEFAULTS.withCapacity(100_000));
        try (Door door = new Door(folder, START_SECONDS, options)) {
            for (int from = 0; from < count; from += 1_000) {
                statuses.append(door.put(IntStream.range(from, from + 1_000)
                        .mapToObj(i -> known("http://a.com/" + i, START_SECONDS + 100))
                        .toArray(URLItem[]::new)));
            }
            assertThat(statuses.toString()).startsWith("OOO").endsWith("FFF");
            assertThat(door.discover("http://a.com/new")).isEqualTo("O");
        }
        try (Door door = new Door(folder, START_SECONDS, options)) {
            assertThat(door.put(known("http://a.com/new", START_SECONDS + 100))).isEqualTo("F");
            door.pass(100);
            assertThat(door.get(request(0, 1).setKey("a.com"))).containsExactly("http://a.com/0");
            assertThat(door.put(known("http://a.com/0", START_SECONDS + 200))).isEqualTo("O");
            door.pass(1);
            assertThat(door.get(request(0, 1).setKey("a.com"))).containsExactly("http://a.com/1");
            assertThat(door.put(known("http://a.com/1", 0))).isEqualTo("O");
            assertThat(door.put(known("http://a.com/new", START_SECONDS + 300))).isEqualTo("O");
        }
    }

    @Test
    void crawlsBeyondTheMemoryAreRefused() throws Exception {
        try (Door door = open(8 * MEGABYTE)) {
            URLItem[] items = IntStream.range(0, 10)
                    .mapToObj(i -> discovered(info("http://a.com/").toBuilder()
                            .setCrawlID("crawl" + i)
                            .build()))
                    .toArray(URLItem[]::new);
            assertThat(door.put(items)).startsWith("OO").endsWith("FFF");
        }
    }

    @Test
    @Tag("slow")
    void urlsInProcessAreBoundedAndTheOthersAreNotLost() throws Exception {
        try (Door door = open(4 * MEGABYTE)) {
            String[] urls = IntStream.range(0, 12_000)
                    .mapToObj(i -> "http://" + i % 100 + ".com/" + "x".repeat(100) + i)
                    .toArray(String[]::new);
            door.noDelay();
            door.discover(urls);
            int first = all(door);
            assertThat(first).isBetween(1_000, 11_000);
            door.pass(10);
            assertThat(all(door)).isBetween(1_000, 11_000);
        }
    }

    /** Gets URLs until there are no more. */
    private static int all(Door door) {
        int all = 0;
        int more = 1;
        while (more > 0) {
            more = door.get(request(0, 0).setDelayRequestable(10)).size();
            all += more;
        }
        return all;
    }

    @Test
    void hugeMetadataIsSkippedWithoutHoldingIt() throws Exception {
        try (Door door = open(24 * MEGABYTE)) {
            URLItem huge = discovered(info("http://a.com/").toBuilder()
                    .putMetadata(
                            "k",
                            StringList.newBuilder()
                                    .addValues("v".repeat(3_000_000))
                                    .build())
                    .build());
            assertThat(door.put(huge, huge, huge, huge, huge, huge, huge, huge, discovered("http://a.com/")))
                    .isEqualTo("SSSSSSSSO");
            URLItem tooLarge = discovered(info("http://a.com/").toBuilder()
                    .putMetadata(
                            "k",
                            StringList.newBuilder()
                                    .addValues("v".repeat(5_000_000))
                                    .build())
                    .build());
            assertThatThrownBy(() -> door.put(tooLarge)).hasMessageContaining("RESOURCE_EXHAUSTED");
            assertThat(door.discover("http://b.com/")).isEqualTo("O");
        }
    }

    @Test
    void aMessageThatIsNotValidEndsItsCallOnly() throws Exception {
        try (Door door = open(32 * MEGABYTE)) {
            MethodDescriptor<byte[], AckMessage> method = MethodDescriptor.newBuilder(
                            BYTES, URLFrontierGrpc.getPutURLsMethod().getResponseMarshaller())
                    .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
                    .setFullMethodName(URLFrontierGrpc.getPutURLsMethod().getFullMethodName())
                    .build();
            ClientCall<byte[], AckMessage> call = door.channel.newCall(method, CallOptions.DEFAULT);
            CompletableFuture<Status> end = new CompletableFuture<>();
            call.start(
                    new ClientCall.Listener<>() {
                        @Override
                        public void onClose(Status status, Metadata trailers) {
                            end.complete(status);
                        }
                    },
                    new Metadata());
            call.request(10);
            assertThatThrownBy(() -> ClientCalls.blockingUnaryCall(
                            door.channel,
                            method.toBuilder(BYTES, BYTES)
                                    .setFullMethodName(
                                            URLFrontierGrpc.getGetStatsMethod().getFullMethodName())
                                    .setType(MethodDescriptor.MethodType.UNARY)
                                    .build(),
                            CallOptions.DEFAULT,
                            new byte[] {(byte) 0xff, (byte) 0xff, 1, 2, 3}))
                    .isInstanceOf(StatusRuntimeException.class);
            call.sendMessage(new byte[] {(byte) 0xff, (byte) 0xff, 1, 2, 3});
            assertThat(end.get(60, TimeUnit.SECONDS).getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
            assertThat(door.discover("http://a.com/")).isEqualTo("O");
            assertThatThrownBy(() -> ClientCalls.blockingUnaryCall(
                            door.channel,
                            method.toBuilder(BYTES, BYTES)
                                    .setFullMethodName("urlfrontier.URLFrontier/PurgeURLs")
                                    .setType(MethodDescriptor.MethodType.UNARY)
                                    .build(),
                            CallOptions.DEFAULT,
                            new byte[0]))
                    .isInstanceOfSatisfying(
                            StatusRuntimeException.class,
                            e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.UNIMPLEMENTED));
        }
    }

    private static final MethodDescriptor.Marshaller<byte[]> BYTES = new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try (stream) {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
    };

    @Test
    void aClientThatGoesAwayLeavesNothingBehind() throws Exception {
        try (Door door = open(32 * MEGABYTE)) {
            for (int i = 0; i < 20; i++) {
                Door.Unread<URLItem, AckMessage> reader = new Door.Unread<>(ack -> 1);
                door.stub.putURLs(reader);
                ClientCallStreamObserver<URLItem> stream = reader.stream.get();
                for (int j = 0; j < 300; j++) {
                    stream.onNext(discovered("http://a.com/" + j).toBuilder()
                            .setID("x".repeat(10_000))
                            .build());
                }
                stream.cancel("gone", null);
            }
            assertThat(door.discover("http://b.com/")).isEqualTo("O");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFailedDiskMakesTheCrawlUnavailable(boolean isDeleted) throws Exception {
        try (Door door = open(32 * MEGABYTE)) {
            door.discover("http://a.com/");
            // A lock file that was replaced stops the frontier, as an error of the disk does.
            Path lock = folder.resolve("crawl-DEFAULT/lock");
            Files.delete(lock);
            Files.createFile(lock);
            String status = "";
            for (int i = 0; status.isEmpty() || status.startsWith("O"); i++) {
                try {
                    status = door.discover("http://a.com/" + i);
                } catch (Exception e) {
                    status = e.getMessage();
                }
            }
            assertThat(status).contains("UNAVAILABLE");
            assertThatThrownBy(() -> door.discover("http://a.com/")).hasMessageContaining("UNAVAILABLE");
            assertThatThrownBy(door::get).hasMessageContaining("UNAVAILABLE");
            assertThatThrownBy(() -> door.stats("")).hasMessageContaining("UNAVAILABLE");
            assertThat(door.server.stats("DEFAULT")).isNull();
            if (isDeleted) {
                assertThat(door.client
                                .deleteCrawl(DeleteCrawlMessage.newBuilder()
                                        .setValue("DEFAULT")
                                        .build())
                                .getValue())
                        .isPositive();
                assertThat(folder.resolve("crawl-DEFAULT")).doesNotExist();
                assertThat(door.discover("http://a.com/")).isEqualTo("O");
                return;
            }
            assertThatThrownBy(door.server::close).hasMessageContaining("DEFAULT");
        } catch (UncheckedIOException e) {
            assertThat(e).hasMessageContaining("DEFAULT");
        }
    }

    @Test
    void aStopAcknowledgesWhatWasRead() throws Exception {
        Door door = open(32 * MEGABYTE);
        Door.Collector<AckMessage> acks = new Door.Collector<>();
        var stream = door.stub.putURLs(acks);
        stream.onNext(discovered("http://a.com/"));
        Await.until(() -> door.stats("").getSize() > 0);
        door.server.close();
        assertThatThrownBy(acks::await).hasMessageContaining("UNAVAILABLE: the server is stopping");
        assertThat(acks.values).hasSize(1);
        door.stopClient();
        try (Door next = open(32 * MEGABYTE)) {
            assertThat(next.get()).containsExactly("http://a.com/");
        }
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder("crawl-DEFAULT", "lock", "server-settings");
        }
    }
}
