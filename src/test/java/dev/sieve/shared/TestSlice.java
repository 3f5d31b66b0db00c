package dev.sieve.shared;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The scripts of one slice, called as a frontier calls them. */
final class TestSlice {
    private static final int BUCKETS = 10_000;

    /** The identity of the crawl. */
    private static final String ID = "1";

    final String run;
    final String worker;
    final String prefix;
    private boolean isCreated;

    TestSlice(String run, String worker, String prefix) {
        this.run = run;
        this.worker = worker;
        this.prefix = prefix;
    }

    static byte[] bytes(Object value) {
        return value instanceof byte[] bytes ? bytes : value.toString().getBytes(StandardCharsets.UTF_8);
    }

    static byte[][] args(Object... values) {
        byte[][] args = new byte[values.length][];
        for (int i = 0; i < values.length; i++) {
            args[i] = bytes(values[i]);
        }
        return args;
    }

    byte[][] keys(String names) {
        String[] all = names.split(" ", -1);
        byte[][] keys = new byte[all.length][];
        for (int i = 0; i < all.length; i++) {
            keys[i] = bytes(prefix + all[i]);
        }
        return keys;
    }

    /** Returns the key of the settings. */
    byte[] settings() {
        return bytes(prefix.substring(0, prefix.indexOf('}') + 1));
    }

    /** Sends pages; the hash of a URL decides its bucket and its fingerprint. */
    void sendPush(Session session, long call, boolean refuse, List<List<String>> pages) {
        List<byte[]> keys = new ArrayList<>(List.of(keys("q m")));
        keys.add(settings());
        ByteArrayOutputStream texts = new ByteArrayOutputStream();
        ByteArrayOutputStream lengths = new ByteArrayOutputStream();
        ByteBuffer counts = ByteBuffer.allocate(Short.BYTES * pages.size());
        List<byte[]> heads = new ArrayList<>();
        List<byte[]> fingerprints = new ArrayList<>();
        for (List<String> page : pages) {
            counts.putShort((short) page.size());
            heads.add(bytes("head"));
            for (String url : page) {
                texts.writeBytes(bytes(url));
                lengths.writeBytes(ByteBuffer.allocate(Integer.BYTES)
                        .putInt(bytes(url).length)
                        .array());
                keys.add(bytes(prefix + "s" + (hash(url) >>> 32) % BUCKETS));
                fingerprints.add(bytes((int) hash(url)));
            }
        }
        List<byte[]> args = new ArrayList<>(List.of(args(
                ID, worker + ".0", call, refuse ? 1 : 0, texts.toByteArray(), lengths.toByteArray(), counts.array())));
        args.addAll(heads);
        args.addAll(fingerprints);
        if (!isCreated && session.pending() == 0) {
            session.send("HSET", args(settings(), "id", ID));
            session.receive();
            isCreated = true;
        }
        session.send(Script.PUSH, keys.toArray(byte[][]::new), args.toArray(byte[][]::new));
    }

    static long hash(String url) {
        long hash = 0xcbf29ce484222325L;
        for (int i = 0; i < url.length(); i++) {
            hash = (hash ^ url.charAt(i)) * 0x9e3779b97f4a7c15L;
            hash ^= hash >>> 29;
        }
        return hash;
    }

    /** Returns a 1 for each URL that is new, and a 0 for each other. */
    static String mask(Object pushed, int urls) {
        return pushed instanceof List<?> list
                ? new String((byte[]) list.get(1), StandardCharsets.US_ASCII)
                : "0".repeat(urls);
    }

    String push(Session session, long call, List<String> urls) {
        return pushPages(session, call, List.of(urls));
    }

    String pushPages(Session session, long call, List<List<String>> pages) {
        sendPush(session, call, false, pages);
        return mask(session.receive(), pages.stream().mapToInt(List::size).sum());
    }

    /** Returns the token, or 0 when another worker owns the slice. */
    long claim(Session session) {
        return (Long) claimed(session).get(0);
    }

    List<?> claimed(Session session) {
        session.send(Script.CLAIM, keys("o m f d p t"), args(run, worker, 15_000));
        return (List<?>) session.receive();
    }

    void sendTake(Session session, long token, long call, int frames) {
        session.send(Script.TAKE, keys("q f m o"), args(run, token, worker, call, frames));
    }

    /** Returns the number of the first frame and the frames; or -1. */
    Object take(Session session, long token, long call, int frames) {
        sendTake(session, token, call, frames);
        return session.receive();
    }

    void sendDone(Session session, long token, long call, Object... triples) {
        byte[][] args = new byte[6 + triples.length][];
        System.arraycopy(args(run, token, worker, call, 0, 0), 0, args, 0, 6);
        System.arraycopy(args(triples), 0, args, 6, triples.length);
        session.send(Script.DONE, keys("f d m o h"), args);
    }

    /** Stores URLs of one host as done, in a run of the crawl. */
    long doneOf(Session session, long token, long call, String crawlRun, String host, int urls, Object... triples) {
        List<byte[]> all = new ArrayList<>(List.of(args(run, token, worker, call, 0, 1, crawlRun, host, urls)));
        all.addAll(List.of(args(triples)));
        session.send(Script.DONE, keys("f d m o h"), all.toArray(byte[][]::new));
        return (Long) session.receive();
    }

    long done(Session session, long token, long call, Object... triples) {
        sendDone(session, token, call, triples);
        return (Long) session.receive();
    }

    Object renew(Session session, long token, boolean idle, long seen) {
        session.send(Script.RENEW, keys("o q f m"), args(run, token, worker, 15_000, idle ? 1 : 0, seen));
        return session.receive();
    }

    List<?> look(Session session) {
        byte[][] keys = {keys("m")[0], keys("o")[0], keys("q")[0], keys("f")[0], settings()};
        session.send(Script.LOOK, keys, args(run));
        return (List<?>) session.receive();
    }

    long release(Session session, long token) {
        session.send(Script.RELEASE, keys("o"), args(run, token, worker));
        return (Long) session.receive();
    }

    /** Returns the URLs in a frame that {@link #sendPush} sent, when each has a length of its own. */
    static String texts(Object frame) {
        byte[] bytes = (byte[]) frame;
        return new String(bytes, 6, bytes.length - 6, StandardCharsets.UTF_8);
    }
}
