package dev.sieve.bench;

import crawlercommons.urlfrontier.URLFrontierGrpc;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** A server that acknowledges each URL without reading it. It prints its port, and serves until it is ended. */
final class AckServer {
    private static final byte[] OK = {};
    private static final MethodDescriptor<byte[], byte[]> PUT = MethodDescriptor.newBuilder(new Bytes(), new Bytes())
            .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
            .setFullMethodName(URLFrontierGrpc.getPutURLsMethod().getFullMethodName())
            .build();

    private AckServer() {}

    public static void main(String[] args) throws Exception {
        ServerServiceDefinition service = ServerServiceDefinition.builder(URLFrontierGrpc.SERVICE_NAME)
                .addMethod(PUT, (call, headers) -> {
                    call.sendHeaders(new Metadata());
                    call.request(Integer.MAX_VALUE);
                    return new Acks(call);
                })
                .build();
        Server server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .directExecutor()
                .addService(service)
                .build()
                .start();
        System.out.println(server.getPort());
        server.awaitTermination();
    }

    /** Leaves a message unread. */
    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] message) {
            return new ByteArrayInputStream(message);
        }

        @Override
        public byte[] parse(InputStream message) {
            return OK;
        }
    }

    private static final class Acks extends ServerCall.Listener<byte[]> {
        private final ServerCall<byte[], byte[]> call;

        Acks(ServerCall<byte[], byte[]> call) {
            this.call = call;
        }

        @Override
        public void onMessage(byte[] item) {
            call.sendMessage(OK);
        }

        @Override
        public void onHalfClose() {
            call.close(Status.OK, new Metadata());
        }
    }
}
