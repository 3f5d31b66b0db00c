package dev.sieve.bench;

import io.grpc.MethodDescriptor;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/**
 * A connection of gRPC that sends what is encoded already, many messages in a frame of HTTP/2, so that it costs little
 * beside the server.
 */
final class EncodedClient implements AutoCloseable {
    private static final int WINDOW_BYTES = 1 << 20;

    private final EventLoopGroup threads = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Channel connection;

    EncodedClient(int port) {
        Http2Settings settings = Http2Settings.defaultSettings().initialWindowSize(WINDOW_BYTES);
        connection = new Bootstrap()
                .group(threads)
                .channel(NioSocketChannel.class)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline()
                                .addLast(Http2FrameCodecBuilder.forClient()
                                        .initialSettings(settings)
                                        .build())
                                .addLast(new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()));
                    }
                })
                .connect("127.0.0.1", port)
                .syncUninterruptibly()
                .channel();
    }

    /** Sends messages, and gives each of the answers to a consumer, on the thread of this connection. */
    Call call(MethodDescriptor<?, ?> method, EncodedMessages messages, Consumer<ByteBuf> answers) {
        Call call = new Call(messages, answers);
        Channel stream = new Http2StreamChannelBootstrap(connection)
                .handler(call)
                .open()
                .syncUninterruptibly()
                .getNow();
        Http2Headers headers = new DefaultHttp2Headers()
                .method("POST")
                .scheme("http")
                .authority("127.0.0.1")
                .path("/" + method.getFullMethodName())
                .set("content-type", "application/grpc")
                .set("te", "trailers");
        stream.eventLoop().execute(() -> {
            ChannelFuture unused = stream.write(new DefaultHttp2HeadersFrame(headers));
            call.send(stream);
        });
        return call;
    }

    @Override
    public void close() {
        connection.close().syncUninterruptibly();
        Future<?> unused = threads.shutdownGracefully();
    }

    /** A call that is under way. */
    static final class Call extends ChannelInboundHandlerAdapter {
        private static final int FRAME = 64;
        private static final int WINDOW = 10_000;
        private static final int PREFIX = 5;

        private final EncodedMessages messages;
        private final Consumer<ByteBuf> answers;
        private final ByteBuf in = Unpooled.buffer(1 << 16);
        private final CompletableFuture<Integer> end = new CompletableFuture<>();
        private int sent;
        private int answered;

        private Call(EncodedMessages messages, Consumer<ByteBuf> answers) {
            this.messages = messages;
            this.answers = answers;
        }

        /** Waits for the end; returns the number of answers. */
        int await() throws IOException {
            try {
                return end.get();
            } catch (ExecutionException | InterruptedException e) {
                throw new IOException(e);
            }
        }

        private void send(Channel stream) {
            while (sent < messages.size() && sent - answered < WINDOW && stream.isWritable()) {
                int from = messages.end(sent);
                sent = Math.min(messages.size(), sent + FRAME);
                ByteBuf frame = Unpooled.wrappedBuffer(messages.bytes, from, messages.end(sent) - from);
                ChannelFuture unused = stream.write(new DefaultHttp2DataFrame(frame, sent == messages.size()));
            }
            stream.flush();
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            send(context.channel());
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            send(context.channel());
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object frame) {
            if (frame instanceof Http2DataFrame data) {
                in.writeBytes(data.content());
                data.release();
                while (in.readableBytes() >= PREFIX && in.readableBytes() >= PREFIX + in.getInt(in.readerIndex() + 1)) {
                    in.skipBytes(1);
                    answers.accept(in.readSlice(in.readInt()));
                    answered++;
                }
                in.discardSomeReadBytes();
            } else if (frame instanceof Http2HeadersFrame headers && headers.isEndStream()) {
                String status = String.valueOf(headers.headers().get("grpc-status"));
                if (status.equals("0")) {
                    end.complete(answered);
                } else {
                    end.completeExceptionally(new IOException("grpc-status " + status + ": "
                            + headers.headers().get("grpc-message") + ", after " + answered + " answers"));
                }
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            end.completeExceptionally(new IOException("closed after " + answered + " answers"));
        }
    }
}
