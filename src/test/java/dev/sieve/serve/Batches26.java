package dev.sieve.serve;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto.Label;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import crawlercommons.urlfrontier.Urlfrontier;
import crawlercommons.urlfrontier.Urlfrontier.URLInfo;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.List;

/** PutDiscovered as version 2.6 of the protocol describes it, for clients. */
final class Batches26 {
    private static final FileDescriptor FILE = file();
    static final Descriptor BATCH = FILE.findMessageTypeByName("DiscoveredBatch");
    private static final Descriptor ACK = FILE.findMessageTypeByName("BatchAck");

    static final MethodDescriptor<DynamicMessage, DynamicMessage> METHOD = MethodDescriptor.newBuilder(
                    ProtoUtils.marshaller(DynamicMessage.getDefaultInstance(BATCH)),
                    ProtoUtils.marshaller(DynamicMessage.getDefaultInstance(ACK)))
            .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
            .setFullMethodName("urlfrontier.URLFrontier/PutDiscovered")
            .build();

    private Batches26() {}

    private static FileDescriptor file() {
        FileDescriptorProto file = FileDescriptorProto.newBuilder()
                .setName("batches.proto")
                .setPackage("urlfrontier")
                .setSyntax("proto3")
                .addDependency(Urlfrontier.getDescriptor().getFullName())
                .addMessageType(DescriptorProto.newBuilder()
                        .setName("DiscoveredBatch")
                        .addField(id())
                        .addField(repeated("items", FieldDescriptorProto.Type.TYPE_MESSAGE, ".urlfrontier.URLInfo")))
                .addMessageType(DescriptorProto.newBuilder()
                        .setName("BatchAck")
                        .addField(id())
                        .addField(repeated(
                                "statuses", FieldDescriptorProto.Type.TYPE_ENUM, ".urlfrontier.AckMessage.Status")))
                .build();
        try {
            return FileDescriptor.buildFrom(file, new FileDescriptor[] {Urlfrontier.getDescriptor()});
        } catch (DescriptorValidationException e) {
            throw new AssertionError(e);
        }
    }

    private static FieldDescriptorProto id() {
        return FieldDescriptorProto.newBuilder()
                .setName("ID")
                .setNumber(1)
                .setType(FieldDescriptorProto.Type.TYPE_STRING)
                .setLabel(Label.LABEL_OPTIONAL)
                .build();
    }

    private static FieldDescriptorProto repeated(String name, FieldDescriptorProto.Type type, String typeName) {
        return FieldDescriptorProto.newBuilder()
                .setName(name)
                .setNumber(2)
                .setType(type)
                .setTypeName(typeName)
                .setLabel(Label.LABEL_REPEATED)
                .build();
    }

    static DynamicMessage batch(String id, List<URLInfo> urls) {
        DynamicMessage.Builder batch = DynamicMessage.newBuilder(BATCH).setField(BATCH.findFieldByName("ID"), id);
        urls.forEach(url -> batch.addRepeatedField(BATCH.findFieldByName("items"), url));
        return batch.build();
    }

    static StreamObserver<DynamicMessage> call(Channel channel, StreamObserver<DynamicMessage> acks) {
        return ClientCalls.asyncBidiStreamingCall(channel.newCall(METHOD, CallOptions.DEFAULT), acks);
    }

    static String id(DynamicMessage ack) {
        return (String) ack.getField(ACK.findFieldByName("ID"));
    }

    /** Returns the statuses in an acknowledgement, each with its first letter: O, S, F. */
    static String statuses(DynamicMessage ack) {
        StringBuilder letters = new StringBuilder();
        for (Object status : (List<?>) ack.getField(ACK.findFieldByName("statuses"))) {
            letters.append(((EnumValueDescriptor) status).getName().charAt(0));
        }
        return letters.toString();
    }
}
