package dev.sieve.serve;

import dev.sieve.FrontierSettings;
import dev.sieve.OptionalLibrary;
import dev.sieve.durable.Durability;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallExecutorSupplier;
import io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A server that offers the frontiers of one folder to other crawlers, by the gRPC service URLFrontier of
 * crawler-commons.
 *
 * <p>The network library writes a warning with a stack trace to the logger {@code io.grpc.netty} of {@link
 * java.util.logging} when a client cancels a call or sends a message that is too long: a program that shows this log
 * sets a higher level.
 */
public final class FrontierServer implements AutoCloseable {
    public static final int DEFAULT_PORT = 7071;

    /** The number of URLs that the filter of a new crawl is made for, unless another one is set. */
    public static final long DEFAULT_CAPACITY = ServedOptions.DEFAULT_CAPACITY;

    static {
        OptionalLibrary.require("io.grpc.netty.NettyServerBuilder", "io.grpc:grpc-netty");
        OptionalLibrary.require("io.grpc.protobuf.ProtoUtils", "io.grpc:grpc-protobuf");
        OptionalLibrary.require("io.grpc.stub.ServerCalls", "io.grpc:grpc-stub");
        OptionalLibrary.require(
                "crawlercommons.urlfrontier.URLFrontierGrpc", "com.github.crawler-commons:urlfrontier-API");
    }

    /** How long a stop waits for clients to read what was acknowledged. */
    private static final long PATIENCE_SECONDS = 10;

    private static final int CALLS_PER_CONNECTION = 100;
    private static final int READERS = 2;
    private static final int WAITING_READS = 16;

    private final ExecutorService workers;
    private final ExecutorService readers;
    private final Crawls crawls;
    private final Supplier<Moment> clock;
    private final FrontierService service;
    private final Server server;

    private FrontierServer(Builder options, MemoryBudget memory) throws IOException {
        int threads = Math.max(4, 2 * Runtime.getRuntime().availableProcessors());
        clock = options.clock;
        crawls = new Crawls(options.directory, options.crawls(), memory, options.clock.get());
        workers = Executors.newFixedThreadPool(threads, threads("sieve-serve-"));
        readers = new ThreadPoolExecutor(
                READERS,
                READERS,
                1,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(WAITING_READS),
                threads("sieve-serve-reader-"));
        service = new FrontierService(crawls, memory, workers, readers, options.clock, this::address);
        try {
            server = start(options);
        } catch (IOException | RuntimeException | Error e) {
            try {
                closeAll();
            } catch (UncheckedIOException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    private Server start(Builder options) throws IOException {
        NettyServerBuilder builder = NettyServerBuilder.forAddress(options.address)
                .executor(workers)
                .callExecutor(new NetworkThreads())
                .maxConcurrentCallsPerConnection(CALLS_PER_CONNECTION)
                .addService(service.definition());
        if (options.certificates != null && options.key != null) {
            try {
                builder.useTransportSecurity(options.certificates.toFile(), options.key.toFile());
                if (!TlsFiles.belongTogether(options.certificates, options.key)) {
                    throw new IllegalArgumentException("the key does not match the certificate");
                }
            } catch (IllegalArgumentException e) {
                Throwable cause = e.getCause();
                throw new IOException(
                        "cannot use the certificate " + options.certificates + " with the key " + options.key + ": "
                                + e.getMessage() + (cause == null ? "" : ": " + cause.getMessage()),
                        e);
            }
        }
        try {
            return builder.build().start();
        } catch (IOException e) {
            String address = text(options.address.getAddress(), options.address.getPort());
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new IOException("cannot listen on " + address + ": " + cause.getMessage(), e);
        }
    }

    /** Has messages with URLs received on a thread of the network, which only passes them on. */
    private static final class NetworkThreads implements ServerCallExecutorSupplier {
        @Override
        public <Q, R> @Nullable Executor getExecutor(ServerCall<Q, R> call, Metadata metadata) {
            String name = String.valueOf(call.getMethodDescriptor().getBareMethodName());
            return name.startsWith("Put") ? Runnable::run : null;
        }
    }

    private static ThreadFactory threads(String prefix) {
        AtomicInteger number = new AtomicInteger();
        return task -> new Thread(task, prefix + number.incrementAndGet());
    }

    /** Returns a builder of a server for the crawls in a folder, which is created if it does not exist. */
    public static Builder builder(Path directory) {
        return new Builder(Objects.requireNonNull(directory, "directory"));
    }

    public int port() {
        return server.getPort();
    }

    /** Returns the address on which the server listens: {@code 127.0.0.1:7071}. */
    public String address() {
        InetSocketAddress address =
                (InetSocketAddress) server.getListenSockets().get(0);
        return text(address.getAddress(), address.getPort());
    }

    private static String text(InetAddress address, int port) {
        String host = address.getHostAddress();
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }

    /** Returns the names of the crawls, sorted. */
    public List<String> crawls() {
        return crawls.all().stream().map(crawl -> crawl.id).toList();
    }

    /** Returns the numbers of a crawl; null without any, also when its disk has failed. Uses no file. */
    public @Nullable CrawlStats stats(String name) {
        ServedCrawl crawl = crawls.find(name);
        try {
            return crawl == null ? null : crawl.stats(clock.get());
        } catch (IllegalStateException | UncheckedIOException e) {
            return null; // Deleted since, or failed, as every call of a client says.
        }
    }

    /**
     * Stops: no call begins any more, URLs that were received are stored and acknowledged, and the crawls are closed.
     * Waits up to ten seconds for clients that do not read. Closing twice has no effect.
     *
     * @throws UncheckedIOException when the disk fails, or has failed; the folder is released all the same
     */
    @Override
    public void close() {
        server.shutdown();
        service.stop();
        try {
            if (!server.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                server.shutdownNow();
                server.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            server.shutdownNow();
            Thread.currentThread().interrupt();
        }
        closeAll();
    }

    private void closeAll() {
        readers.shutdownNow();
        workers.shutdown();
        try {
            workers.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS);
            readers.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try {
            crawls.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Opens a server. Not safe for use by many threads. */
    public static final class Builder {
        private final Path directory;
        private InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), DEFAULT_PORT);
        private @Nullable Path certificates;
        private @Nullable Path key;
        private FrontierSettings settings = FrontierSettings.DEFAULTS;
        private Durability durability = Durability.PROCESS;
        private boolean forgetsDone;
        private Supplier<Moment> clock = Moment::now;
        private long memoryBytes = Runtime.getRuntime().maxMemory() / 3 * 2;

        private Builder(Path directory) {
            this.directory = directory;
        }

        /** The address to listen on; port 0: any free one. Default: 127.0.0.1, port 7071. */
        public Builder address(InetSocketAddress listen) {
            address = Objects.requireNonNull(listen, "address");
            return this;
        }

        /**
         * Encrypts all connections. Required for an address that other machines can reach. Default: no encryption.
         *
         * @param certificateChain a file in PEM format
         * @param privateKey a file in PEM format, PKCS #8, without a password
         */
        public Builder tls(Path certificateChain, Path privateKey) {
            certificates = Objects.requireNonNull(certificateChain, "certificateChain");
            key = Objects.requireNonNull(privateKey, "privateKey");
            return this;
        }

        /** The settings of the frontier of each crawl; the capacity of a new one is 10,000,000 unless it is set. */
        public Builder settings(FrontierSettings all) {
            settings = Objects.requireNonNull(all, "settings");
            return this;
        }

        /** What an acknowledged URL survives. Default: {@link Durability#PROCESS}. */
        public Builder durability(Durability level) {
            durability = Objects.requireNonNull(level, "durability");
            return this;
        }

        /** Deletes parts of the log whose URLs are all done, which are then not listed any more. Default: false. */
        public Builder forgetDone(boolean choice) {
            forgetsDone = choice;
            return this;
        }

        /** Sets the clock. Default: that of the system. */
        Builder clock(Supplier<Moment> source) {
            clock = source;
            return this;
        }

        /** Sets how much memory may be used on behalf of clients. Default: two thirds of the heap. */
        Builder memory(long bytes) {
            memoryBytes = bytes;
            return this;
        }

        private ServedOptions crawls() {
            return new ServedOptions(settings, durability, forgetsDone);
        }

        /**
         * Opens all crawls of the folder and starts to listen.
         *
         * @throws IllegalArgumentException when other machines can reach the address and TLS is not set; when the
         *     filters need more memory than there is; or when settings cannot be changed, see {@code
         *     DurableSieve.Builder.open}
         * @throws IOException when the address cannot be used, a file cannot be read, or another process has the folder
         */
        public FrontierServer open() throws IOException {
            if (address.getAddress() == null) {
                throw new IOException("unknown host: " + address.getHostString());
            }
            if (certificates == null && !address.getAddress().isLoopbackAddress()) {
                throw new IllegalArgumentException("an address that other machines can reach requires a certificate and"
                        + " a key: " + address.getHostString());
            }
            if (crawls().filterBytes() > memoryBytes / 2) {
                throw new IllegalArgumentException("the filter of a crawl takes "
                        + (crawls().filterBytes() >> 20) + " MiB, and " + (memoryBytes >> 21)
                        + " MiB are available: increase the heap with -Xmx, or expect fewer URLs");
            }
            return new FrontierServer(this, new MemoryBudget(memoryBytes));
        }
    }
}
