package dev.sieve.serve;

import dev.sieve.OnFull;
import dev.sieve.bloom.BloomSize;
import dev.sieve.durable.Durability;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Objects;

/**
 * A server that offers the frontiers of one folder to other crawlers, by the gRPC service URLFrontier of crawler-commons.
 */
public final class FrontierServer implements AutoCloseable {
    /** The port of the protocol. */
    public static final int DEFAULT_PORT = 7071;

    private final InetSocketAddress bound;

    private FrontierServer(Builder options) {
        bound = options.address;
    }

    /** Returns a builder of a server for the crawls in a folder, which is created if it does not exist. */
    public static Builder builder(Path directory) {
        return new Builder(Objects.requireNonNull(directory, "directory"));
    }

    /** Returns the port on which the server listens. */
    public int port() {
        return bound.getPort();
    }

    /** Returns the address on which the server listens: {@code 127.0.0.1:7071}. */
    public String address() {
        return bound.getHostString() + ":" + bound.getPort();
    }

    @Override
    public void close() {}

    /** Opens a server. Not safe for use by many threads. */
    public static final class Builder {
        private final Path directory;
        private InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), DEFAULT_PORT);
        private Path certificates;
        private Path key;
        private Long expectedUrls;
        private Double falsePositiveRate;
        private Durability durability = Durability.PROCESS;
        private boolean forgetsDone;
        private OnFull onFull;

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

        /** The number of distinct URLs that the filter of each crawl is made for, at least 1. Default: 10,000,000. */
        public Builder expectedUrls(long count) {
            if (count < 1) {
                throw new IllegalArgumentException("expectedUrls < 1: " + count);
            }
            expectedUrls = count;
            return this;
        }

        /** The false-positive rate of a full filter. Default: 0.0001. */
        public Builder falsePositiveRate(double rate) {
            falsePositiveRate = BloomSize.checkRate(rate);
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

        /** What happens when the filter of a crawl is full. Default: as for {@code DurableSieve}. */
        public Builder onFull(OnFull choice) {
            onFull = Objects.requireNonNull(choice, "onFull");
            return this;
        }

        /**
         * Opens all crawls of the folder and starts to listen.
         *
         * @throws IllegalArgumentException when other machines can reach the address and TLS is not set
         * @throws IOException when the address cannot be used, a file cannot be read, or another process has a crawl open
         */
        public FrontierServer open() throws IOException {
            if (certificates == null && !address.getAddress().isLoopbackAddress()) {
                throw new IllegalArgumentException(
                        "an address that other machines can reach requires a certificate and a key: " + address);
            }
            throw new IOException("cannot listen on " + address + " for " + directory + ": " + key + expectedUrls
                    + falsePositiveRate + durability + forgetsDone + onFull);
        }
    }
}
