package dev.sieve.bench;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.Lease;
import dev.sieve.UrlBatch;
import dev.sieve.shared.SharedSieve;
import dev.sieve.shared.TestEngine;
import dev.sieve.shared.TestNodes;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicLong;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol;

/** The ways in which crawlers share what they have seen on an engine: ours, and that of scrapy-redis. */
enum SharedWay {
    /** One slice; a client that waits for each page. */
    ONE_SLICE(1, 1, 1, 1, false),
    /** One slice; one client with 16 pages in flight. */
    ONE_SLICE_16(1, 1, 1, 16, false),
    /** The usual slices; two clients with 16 pages in flight each. */
    TWO_CLIENTS(1, 64, 2, 16, false),
    /** The same, with the local cache of the usual size. */
    TWO_CLIENTS_CACHE(1, 64, 2, 16, true),
    /** The usual slices on a cluster of three primaries. */
    THREE_NODES(3, 64, 2, 16, false),
    /** With 64 pages in flight per client, on one engine and on the cluster. */
    TWO_CLIENTS_64(1, 64, 2, 64, false),
    THREE_NODES_64(3, 64, 2, 64, false),
    /** SADD of the SHA-1 of a URL, then LPUSH when it was new: two calls at most per URL; one client. */
    SCRAPY_REDIS(1, 0, 1, 1, false),
    /** The same with two clients. */
    SCRAPY_REDIS_2(1, 0, 2, 1, false);

    /** How many engines there are: one server, or the primaries of a cluster. */
    final int nodes;

    /** How many workers there are. */
    final int clients;

    /** How many pages each worker has in flight. */
    final int threads;

    private final int slices;
    private final boolean cache;

    SharedWay(int nodes, int slices, int clients, int threads, boolean cache) {
        this.nodes = nodes;
        this.slices = slices;
        this.clients = clients;
        this.threads = threads;
        this.cache = cache;
    }

    /** A worker; its threads may use it at once. */
    interface Client extends AutoCloseable {
        /** Pushes the links of a page; returns how many were new. */
        long push(UrlBatch page);

        /** Takes and finishes URLs until none are left to all clients. */
        default void take(AtomicLong left) {}

        @Override
        void close();
    }

    boolean isOurs() {
        return slices > 0;
    }

    Client open(TestNodes engine, long urls) throws IOException {
        return isOurs() ? ours(engine, urls) : new ScrapyRedis((TestEngine) engine);
    }

    private Client ours(TestNodes engine, long urls) throws IOException {
        SharedSieve.Builder builder =
                SharedSieve.builder(engine.address("bench")).capacity(urls).slices(slices);
        SharedSieve sieve = (cache ? builder : builder.cacheBytes(0)).open();
        return new Client() {
            @Override
            public long push(UrlBatch page) {
                return sieve.pushAll(page);
            }

            @Override
            public void take(AtomicLong left) {
                while (left.get() > 0) {
                    Lease lease = sieve.take(System.nanoTime());
                    if (lease != null) {
                        sieve.done(lease);
                        left.getAndDecrement();
                    }
                }
            }

            @Override
            public void close() {
                sieve.close();
            }
        };
    }

    /** What scrapy-redis sends for each URL, with the URL alone in its queue: Scrapy's requests are larger. */
    private static final class ScrapyRedis implements Client {
        private static final byte[] SEEN = "bench:dupefilter".getBytes(US_ASCII);
        private static final byte[] QUEUE = "bench:requests".getBytes(US_ASCII);

        private final Connection connection;
        private final MessageDigest sha1;

        ScrapyRedis(TestEngine engine) {
            connection = new Connection(new HostAndPort("127.0.0.1", engine.port()));
            try {
                sha1 = MessageDigest.getInstance("SHA-1");
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public long push(UrlBatch page) {
            long isNew = 0;
            for (int i = 0; i < page.size(); i++) {
                byte[] url = page.url(i).getBytes(UTF_8);
                byte[] fingerprint = HexFormat.of().formatHex(sha1.digest(url)).getBytes(US_ASCII);
                connection.sendCommand(Protocol.Command.SADD, SEEN, fingerprint);
                if (connection.getIntegerReply() == 1) {
                    connection.sendCommand(Protocol.Command.LPUSH, QUEUE, url);
                    connection.getIntegerReply();
                    isNew++;
                }
            }
            return isNew;
        }

        @Override
        public void close() {
            connection.close();
        }
    }
}
