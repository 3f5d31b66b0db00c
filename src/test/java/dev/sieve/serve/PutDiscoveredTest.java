package dev.sieve.serve;

import static dev.sieve.serve.Batches26.batch;
import static dev.sieve.serve.Door.START_SECONDS;
import static dev.sieve.serve.Door.info;
import static dev.sieve.serve.Door.known;
import static dev.sieve.serve.Door.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.UnknownFieldSet;
import crawlercommons.urlfrontier.Urlfrontier.GetParams;
import crawlercommons.urlfrontier.Urlfrontier.StringList;
import crawlercommons.urlfrontier.Urlfrontier.URLInfo;
import dev.sieve.FrontierSettings;
import dev.sieve.OnFull;
import io.grpc.CallOptions;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Batches of discovered URLs, which version 2.6 of the protocol has. */
@Timeout(120)
class PutDiscoveredTest {
    @TempDir
    Path folder;

    private Door open(UnaryOperator<FrontierServer.Builder> options) throws IOException {
        return new Door(folder.resolve("a"), START_SECONDS, options);
    }

    private static List<DynamicMessage> send(Door door, DynamicMessage... batches) throws Exception {
        Door.Collector<DynamicMessage> acks = new Door.Collector<>();
        StreamObserver<DynamicMessage> stream = Batches26.call(door.channel, acks);
        Arrays.stream(batches).forEach(stream::onNext);
        stream.onCompleted();
        return acks.await();
    }

    /** Sends a batch; returns the statuses. */
    private static String discover(Door door, URLInfo... urls) throws Exception {
        List<DynamicMessage> acks = send(door, batch("id", List.of(urls)));
        assertThat(acks).hasSize(1);
        assertThat(Batches26.id(acks.get(0))).isEqualTo("id");
        return Batches26.statuses(acks.get(0));
    }

    private static URLInfo[] urls(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(i -> info("http://a.com/" + i))
                .toArray(URLInfo[]::new);
    }

    @Test
    void eachBatchIsAcknowledgedWithAStatusPerUrl() throws Exception {
        try (Door door = open(builder -> builder)) {
            door.put(known("http://a.com/known", 0));
            List<DynamicMessage> acks = send(
                    door,
                    batch("one", List.of(info("http://a.com/1"), info("http://a.com/1"), info("http://b.com/"))),
                    batch("", List.of(info("http://a.com/1"), info(""), info("http://a.com/2"))),
                    batch("none", List.of()),
                    batch("last", List.of(info("http://a.com/known"))));

            assertThat(acks.stream().map(Batches26::id)).containsExactly("one", "", "none", "last");
            assertThat(acks.stream().map(Batches26::statuses)).containsExactly("OSO", "SSO", "", "S");
            door.noDelay();
            assertThat(door.get()).containsExactlyInAnyOrder("http://a.com/1", "http://b.com/", "http://a.com/2");
            assertThat(door.discover("http://b.com/")).isEqualTo("S");
        }
    }

    @Test
    void aBatchHasManyCrawlsQueuesAndMetadata() throws Exception {
        try (Door door = open(builder -> builder)) {
            URLInfo special = URLInfo.newBuilder()
                    .setUrl("http://a.com/")
                    .setKey("q")
                    .setCrawlID("other")
                    .putMetadata("m", StringList.newBuilder().addValues("1").build())
                    .build();
            URLInfo third =
                    info("http://a.com/").toBuilder().setCrawlID("third").build();
            assertThat(discover(door, info("http://a.com/"), special, third, special))
                    .isEqualTo("OOOS");

            assertThat(door.client
                            .getURLs(GetParams.newBuilder().setCrawlID("other").build())
                            .next())
                    .isEqualTo(special);
            assertThat(door.server.crawls()).containsExactly("DEFAULT", "other", "third");
        }
    }

    @Test
    void whatWasAcknowledgedIsHandedOutAfterAKill() throws Exception {
        Door first = open(builder -> builder);
        assertThat(discover(first, urls(0, 700))).isEqualTo("O".repeat(700));
        try (Stream<Path> files = Files.walk(folder.resolve("a"))) {
            for (Path file : files.toList()) {
                Files.copy(
                        file,
                        folder.resolve("b")
                                .resolve(folder.resolve("a").relativize(file).toString()));
            }
        }
        first.close();

        try (Door second = new Door(folder.resolve("b"), START_SECONDS, builder -> builder)) {
            assertThat(discover(second, urls(0, 701))).isEqualTo("S".repeat(700) + "O");
            second.noDelay();
            assertThat(second.get(request(0, 0))).hasSize(701);
        }
    }

    @Test
    void aUrlThatCannotBeStoredDoesNotAffectTheOthers() throws Exception {
        try (Door door = open(builder -> builder)) {
            URLInfo large = info("http://a.com/").toBuilder()
                    .putMetadata(
                            "m",
                            StringList.newBuilder()
                                    .addValues("x".repeat(200_000))
                                    .build())
                    .build();
            URLInfo tooLong = info("http://a.com/" + "x".repeat(70_000));
            assertThat(discover(door, large, tooLong, info(""), info("http://a.com/")))
                    .isEqualTo("SSSO");

            // Not a URLInfo; and a field of a later version.
            UnknownFieldSet fields = UnknownFieldSet.newBuilder()
                    .addField(
                            2,
                            UnknownFieldSet.Field.newBuilder()
                                    .addLengthDelimited(ByteString.copyFromUtf8("\u0007\u0007"))
                                    .addLengthDelimited(info("http://b.com/").toByteString())
                                    .build())
                    .addField(7, UnknownFieldSet.Field.newBuilder().addVarint(7).build())
                    .build();
            DynamicMessage raw = DynamicMessage.newBuilder(Batches26.BATCH)
                    .setUnknownFields(fields)
                    .build();
            assertThat(Batches26.statuses(send(door, raw).get(0))).isEqualTo("SO");
        }
    }

    @Test
    void aFullFilterFailsNewUrlsOnly() throws Exception {
        try (Door door = open(builder ->
                builder.settings(FrontierSettings.DEFAULTS.withCapacity(1_000).withOnFull(OnFull.FAIL)))) {
            StringBuilder statuses = new StringBuilder();
            for (int from = 0; from < 3_000; from += 100) {
                statuses.append(discover(door, urls(from, from + 100)));
            }
            assertThat(statuses.toString()).matches("[OS]+F[SF]+");
            assertThat(discover(door, urls(0, 100))).isEqualTo("S".repeat(100));
        }
    }

    @Test
    @Tag("hostile")
    void whatIsNotABatchEndsItsCallOnly() throws Exception {
        try (Door door = open(builder -> builder)) {
            URLInfo[] many = urls(0, 10_001);
            assertThatThrownBy(() -> send(door, batch("a", List.of(many))))
                    .hasMessageContaining("INVALID_ARGUMENT: not a batch of at most 10000 URLs");
            assertThat(discover(door, Arrays.copyOf(many, 10_000))).startsWith("O");
            assertThatThrownBy(() -> send(door, batch("x".repeat(70_000), List.of())))
                    .hasMessageContaining("INVALID_ARGUMENT: a message with an ID or URL of 70000 characters");
            DynamicMessage twice = DynamicMessage.newBuilder(Batches26.BATCH)
                    .setUnknownFields(UnknownFieldSet.newBuilder()
                            .addField(
                                    1,
                                    UnknownFieldSet.Field.newBuilder()
                                            .addLengthDelimited(ByteString.EMPTY)
                                            .addLengthDelimited(ByteString.EMPTY)
                                            .build())
                            .build())
                    .build();
            assertThatThrownBy(() -> send(door, twice)).hasMessageContaining("INVALID_ARGUMENT: not a batch");
            DynamicMessage notUtf8 = DynamicMessage.newBuilder(Batches26.BATCH)
                    .setUnknownFields(UnknownFieldSet.newBuilder()
                            .addField(
                                    1,
                                    UnknownFieldSet.Field.newBuilder()
                                            .addLengthDelimited(ByteString.copyFrom(new byte[] {-1}))
                                            .build())
                            .build())
                    .build();
            assertThatThrownBy(() -> send(door, notUtf8)).hasMessageContaining("INVALID_ARGUMENT");
            assertThat(discover(door, info("http://b.com/"))).isEqualTo("O");
        }
    }

    @Test
    @Tag("hostile")
    void aClientThatDoesNotReadIsNotReadFurther() throws Exception {
        try (Door door =
                open(builder -> builder.memory(128 << 20).settings(FrontierSettings.DEFAULTS.withCapacity(100_000)))) {
            Door.Unread<DynamicMessage, DynamicMessage> reader =
                    new Door.Unread<>(ack -> Batches26.statuses(ack).length());
            ClientCalls.asyncBidiStreamingCall(door.channel.newCall(Batches26.METHOD, CallOptions.DEFAULT), reader);
            ClientCallStreamObserver<DynamicMessage> stream = reader.stream.get();
            int batches = 2_000; // of 10 kilobytes each, and with as many in their acknowledgements
            for (int i = 0; i < batches; i++) {
                List<URLInfo> urls = new ArrayList<>();
                for (int j = 0; j < 10; j++) {
                    urls.add(info("http://a.com/" + i + "/" + j));
                }
                stream.onNext(batch("x".repeat(10_000), urls));
            }
            stream.onCompleted();
            // A call that comes later is answered, while the server holds only what one stream may have.
            assertThat(door.get(request(1, 1))).hasSizeLessThanOrEqualTo(1);
            assertThat(door.stats("").getSize()).isLessThan(batches * 10 / 2);
            stream.request(batches);
            reader.end.get(60, TimeUnit.SECONDS);
            assertThat(reader.read).hasValue(batches * 10);
        }
    }
}
