package dev.sieve.serve;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.UnknownFieldSet;
import crawlercommons.urlfrontier.URLFrontierGrpc;
import crawlercommons.urlfrontier.Urlfrontier.AckMessage;
import crawlercommons.urlfrontier.Urlfrontier.StringList;
import crawlercommons.urlfrontier.Urlfrontier.URLInfo;
import crawlercommons.urlfrontier.Urlfrontier.URLItem;
import io.grpc.MethodDescriptor;
import io.grpc.protobuf.ProtoUtils;
import java.util.List;
import java.util.Objects;

/** The messages M of a call that stores URLs, and how they are acknowledged, by an A for each. */
interface PutMessages<M extends MessageLite, A> {
    /** Those of PutURLs: one URL each. */
    PutMessages<URLItem, AckMessage> URLS = new Urls();

    /** Those of PutDiscovered: batches of URLs. */
    PutMessages<StringList, StringList> BATCHES = new Batches();

    /** PutDiscovered, with its messages as {@link Batches} says. */
    MethodDescriptor<StringList, StringList> PUT_DISCOVERED = MethodDescriptor.newBuilder(
                    ProtoUtils.marshaller(StringList.getDefaultInstance()),
                    ProtoUtils.marshaller(StringList.getDefaultInstance()))
            .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
            .setFullMethodName(MethodDescriptor.generateFullMethodName(URLFrontierGrpc.SERVICE_NAME, "PutDiscovered"))
            .build();

    /** Returns how many may be on their way and in memory. */
    int window();

    int count(M message);

    /** Returns a message as it is kept until it is stored; throws when it cannot be kept. */
    M kept(M message);

    List<PutItem> items(M message);

    /** Returns the acknowledgement of a message whose URLs have their statuses. */
    A ack(M message, List<PutItem> items);

    private static void requireId(String id) {
        if (id.length() > PutItem.MAX_URL) {
            throw new IllegalArgumentException(
                    "a message with an ID or URL of " + id.length() + " characters; at most " + PutItem.MAX_URL);
        }
    }

    final class Urls implements PutMessages<URLItem, AckMessage> {
        private static final int WINDOW = 512;

        private Urls() {}

        @Override
        public int window() {
            return WINDOW;
        }

        @Override
        public int count(URLItem message) {
            return 1;
        }

        @Override
        public URLItem kept(URLItem message) {
            if (message.getSerializedSize() <= PutItem.MAX_MESSAGE) {
                return message;
            }
            requireId(PutItem.ackId(message));
            // Without content, so it is skipped.
            return URLItem.newBuilder().setID(PutItem.ackId(message)).build();
        }

        @Override
        public List<PutItem> items(URLItem message) {
            return List.of(new PutItem(message));
        }

        @Override
        public AckMessage ack(URLItem message, List<PutItem> items) {
            return AckMessage.newBuilder()
                    .setID(PutItem.ackId(message))
                    .setStatus(items.get(0).status)
                    .build();
        }
    }

    /**
     * Batches of discovered URLs, of version 2.6 of the protocol: {@code DiscoveredBatch { string ID = 1; repeated
     * URLInfo items = 2; }} and {@code BatchAck { string ID = 1; repeated AckMessage.Status statuses = 2; }}. In the
     * messages of version 2.5, a {@link StringList} has the ID, and the rest is the field 2, which is not known: it is
     * read when the batch is stored.
     */
    final class Batches implements PutMessages<StringList, StringList> {
        private static final int WINDOW = 32;
        private static final int MAX_URLS = 10_000;
        private static final int FIELD = 2;

        private Batches() {}

        @Override
        public int window() {
            return WINDOW;
        }

        @Override
        public int count(StringList message) {
            return urls(message).size();
        }

        private static List<ByteString> urls(StringList message) {
            return message.getUnknownFields().getField(FIELD).getLengthDelimitedList();
        }

        private static String id(StringList message) {
            return message.getValuesCount() == 0 ? "" : message.getValues(0);
        }

        private static StringList message(String id, List<ByteString> field) {
            UnknownFieldSet.Field.Builder content = UnknownFieldSet.Field.newBuilder();
            field.forEach(content::addLengthDelimited);
            return StringList.newBuilder()
                    .addValues(id)
                    .setUnknownFields(UnknownFieldSet.newBuilder()
                            .addField(FIELD, content.build())
                            .build())
                    .build();
        }

        @Override
        public StringList kept(StringList message) {
            requireId(id(message));
            if (message.getValuesCount() > 1 || count(message) > MAX_URLS) {
                throw new IllegalArgumentException("not a batch of at most " + MAX_URLS + " URLs");
            }
            return message(id(message), urls(message));
        }

        @Override
        public List<PutItem> items(StringList message) {
            return urls(message).stream().map(Batches::item).toList();
        }

        /** Returns an item that is skipped for what is too long, or no URLInfo. */
        private static PutItem item(ByteString url) {
            try {
                return new PutItem(
                        url.size() > PutItem.MAX_MESSAGE ? URLInfo.getDefaultInstance() : URLInfo.parseFrom(url));
            } catch (InvalidProtocolBufferException e) {
                return new PutItem(URLInfo.getDefaultInstance());
            }
        }

        @Override
        public StringList ack(StringList message, List<PutItem> items) {
            byte[] statuses = new byte[items.size()];
            for (int i = 0; i < statuses.length; i++) {
                statuses[i] = (byte) Objects.requireNonNull(items.get(i).status).getNumber();
            }
            return message(id(message), List.of(ByteString.copyFrom(statuses)));
        }
    }
}
