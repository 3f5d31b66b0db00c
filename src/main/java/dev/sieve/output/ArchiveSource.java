package dev.sieve.output;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.OptionalLibrary;
import dev.sieve.bloom.Murmur3;
import dev.sieve.fetch.LocalSource;
import dev.sieve.fetch.Response;
import dev.sieve.io.GzipMembers;
import dev.sieve.io.LongTable;
import dev.sieve.url.Printable;
import dev.sieve.url.UrlNormalizer;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;
import org.netpreserve.jwarc.HttpResponse;
import org.netpreserve.jwarc.ParsingException;
import org.netpreserve.jwarc.WarcReader;
import org.netpreserve.jwarc.WarcRecord;
import org.netpreserve.jwarc.WarcResponse;
import org.netpreserve.jwarc.WarcRevisit;
import org.netpreserve.jwarc.WarcTargetRecord;
import org.netpreserve.jwarc.WarcTruncationReason;

/**
 * The responses in an archive in the format WARC (ISO 28500), plain or with a gzip member per record, as the source of
 * all URLs: of several responses for a URL it has the last one. A {@code revisit} record stands for the response before
 * it with the same payload or, if it names no digest, for that of the URL to which it refers.
 *
 * <p>Opening it reads the archive once, and keeps 16 bytes or more per URL and payload; a response is read when it is
 * needed. Safe for use by many threads.
 */
public final class ArchiveSource implements LocalSource {
    /** Longest head of a record or of a response accepted. */
    private static final int MAX_HEAD = 1 << 20;

    private static final int BUFFER_BYTES = 8 << 10;

    static {
        OptionalLibrary.require("org.netpreserve.jwarc.WarcWriter", "org.netpreserve:jwarc");
    }

    private final Path file;
    private final boolean isPacked;
    /** Where the record of the response for a URL, or with a payload, begins, plus 1, by their hashes. */
    private final LongTable starts;

    private long size;
    private @Nullable String problem;

    /** Receives a record and where it begins. */
    @FunctionalInterface
    private interface Receiver {
        void accept(WarcRecord record, long start) throws IOException;
    }

    /** The bytes of records, of which a head must not take too many. */
    private static final class Records implements ReadableByteChannel {
        private final ReadableByteChannel in;
        private final WarcReader reader;
        private boolean isBegun;
        private long left = MAX_HEAD;

        Records(InputStream in) throws IOException {
            this.in = Channels.newChannel(in);
            reader = new WarcReader(this);
            reader.setLenient(true);
        }

        @Nullable
        WarcRecord next() throws IOException {
            left = MAX_HEAD;
            WarcRecord record;
            try {
                record = reader.next().orElse(null);
            } catch (IllegalArgumentException e) {
                throw wrong(e);
            }
            left = Long.MAX_VALUE;
            return record;
        }

        HttpResponse http(WarcResponse record) throws IOException {
            left = MAX_HEAD;
            HttpResponse http = record.http();
            left = Long.MAX_VALUE;
            return http;
        }

        @Override
        public int read(ByteBuffer target) throws IOException {
            if (left <= 0) {
                throw new ProtocolException("a head of more than " + MAX_HEAD + " bytes");
            }
            int from = target.position();
            int count = in.read(target);
            if (!isBegun && count > 0) {
                isBegun = true;
                // The library would decompress what is compressed a second time.
                if (target.get(from) != 'W') {
                    throw new ProtocolException("not a record of WARC");
                }
            }
            left -= Math.max(0, count);
            return count;
        }

        @Override
        public boolean isOpen() {
            return in.isOpen();
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }

    /**
     * Opens an archive, and reads it to its end, or to the first record that cannot be read.
     *
     * @param maxBytes the heap that the places of responses may take
     * @throws IOException when it cannot be read, has no record, or more URLs than fit; the message names the file
     */
    public ArchiveSource(Path file, int maxBytes) throws IOException {
        this.file = file;
        isPacked = isPacked(file);
        starts = new LongTable(maxBytes);
        scan(this::add);
        if (size == 0) {
            throw new IOException(file + " is not an archive: " + (problem == null ? "it is empty" : problem));
        }
    }

    /** Returns whether a file has the name of an archive. */
    public static boolean isArchive(String name) {
        return name.toLowerCase(Locale.ROOT).matches("(?s).*\\.warc(\\.gz)?");
    }

    private static boolean isPacked(Path file) throws IOException {
        try (InputStream in = Channels.newInputStream(FileChannel.open(file))) {
            return in.read() == 0x1f;
        }
    }

    /** Returns what could not be read of the archive, and why; null if all was read. */
    public @Nullable String problem() {
        return problem;
    }

    /** Passes on the URLs of all records of responses, in their order, but not those of robots.txt. */
    public void urls(Consumer<String> urls) throws IOException {
        scan((record, start) -> {
            String url = url(record);
            if (url != null && !url.equals(UrlNormalizer.base(url).resolve("/robots.txt"))) {
                urls.accept(url);
            }
        });
    }

    /** Returns the URL whose response a record has, or has a part of; null for other records. */
    private static @Nullable String url(WarcRecord record) throws IOException {
        boolean isResponse = record instanceof WarcResponse || record instanceof WarcRevisit;
        return isResponse ? UrlNormalizer.parse(field(((WarcTargetRecord) record)::target)) : null;
    }

    /** Reads a field of a record, which the library checks only then. */
    private static <T> T field(Supplier<T> reading) throws IOException {
        try {
            return reading.get();
        } catch (IllegalArgumentException e) {
            throw wrong(e);
        }
    }

    private static IOException wrong(IllegalArgumentException cause) {
        ProtocolException problem =
                new ProtocolException("a field is wrong: " + Printable.of(String.valueOf(cause.getMessage())));
        problem.initCause(cause);
        return problem;
    }

    private static long hash(String text) {
        return Murmur3.hash(text, 0)[0];
    }

    private static long hashOf(String url) {
        return hash(UrlNormalizer.key(url));
    }

    private void add(WarcRecord record, long start) throws IOException {
        size++;
        String url = url(record);
        if (url == null) {
            return;
        }
        Optional<Long> payload =
                field(() -> ((WarcTargetRecord) record).payloadDigest().map(each -> hash("payload " + each)));
        long response = start + 1;
        if (record instanceof WarcRevisit revisit) {
            String referred = UrlNormalizer.parse(
                    field(revisit::refersToTargetURI).map(URI::toString).orElse(url));
            long same = payload.isPresent() ? starts.get(payload.get()) : 0;
            response = same != 0 || referred == null ? same : starts.get(hashOf(referred));
        }
        if (response != 0) {
            put(hashOf(url), response);
            if (payload.isPresent()) {
                put(payload.get(), response);
            }
        }
    }

    private void put(long hash, long value) throws IOException {
        if (!starts.put(hash, value)) {
            throw new IOException(
                    file + ": more than " + starts.entries() + " URLs and payloads; use a larger heap (-Xmx)");
        }
    }

    /** Reads all records, up to one that cannot be read. */
    private void scan(Receiver receiver) throws IOException {
        long start = 0;
        try (InputStream in = open(0)) {
            if (in instanceof GzipMembers members) {
                while (members.next()) {
                    start = members.start();
                    if (scan(new Records(members), receiver, start) > 1) {
                        throw new IOException(file + ": several records in one member of gzip, at byte " + start);
                    }
                }
            } else {
                scan(new Records(in), receiver, start);
            }
        } catch (EOFException | ZipException | ProtocolException | ParsingException e) {
            problem = "the record after byte " + start + " cannot be read: "
                    + (e.getMessage() == null ? "it ends early" : e.getMessage());
        }
    }

    /** Reads the records of a file, or of a member that begins somewhere; returns how many there are. */
    private static int scan(Records records, Receiver receiver, long start) throws IOException {
        int count = 0;
        for (WarcRecord record = records.next(); record != null; record = records.next()) {
            receiver.accept(record, start + record.position());
            record.body().consume();
            count++;
        }
        return count;
    }

    private InputStream open(long start) throws IOException {
        FileChannel channel = FileChannel.open(file);
        channel.position(start);
        InputStream in = Channels.newInputStream(channel);
        return isPacked ? new GzipMembers(in, false, BUFFER_BYTES) : in;
    }

    @Override
    public boolean has(String url) {
        return true;
    }

    @Override
    public @Nullable Response respond(String url) throws IOException {
        long start = starts.get(hashOf(url));
        if (start == 0) {
            return null;
        }
        InputStream in = open(start - 1);
        try {
            return respond(in);
        } catch (IOException | RuntimeException e) {
            in.close();
            throw e;
        }
    }

    private static Response respond(InputStream in) throws IOException {
        if (in instanceof GzipMembers members) {
            members.next();
        }
        Records records = new Records(in);
        if (!(records.next() instanceof WarcResponse record)) {
            throw new ProtocolException("the archive has changed");
        }
        HttpResponse http = records.http(record);
        Map<String, List<String>> headers = new LinkedHashMap<>();
        http.headers()
                .map()
                .forEach((name, values) -> headers.put(
                        name.toLowerCase(Locale.ROOT),
                        values.stream()
                                .map(value -> new String(value.getBytes(ISO_8859_1), UTF_8))
                                .toList()));
        // The library undoes it.
        headers.remove("transfer-encoding");
        boolean isWhole = field(record::truncated) == WarcTruncationReason.NOT_TRUNCATED;
        InputStream body = new FilterInputStream(http.body().stream()) {
            @Override
            public int read(byte[] target, int from, int length) throws IOException {
                int count = super.read(target, from, length);
                if (count < 0 && !isWhole) {
                    throw new EOFException("truncated in the archive");
                }
                return count;
            }

            @Override
            public void close() throws IOException {
                in.close();
            }
        };
        return new Response(http.status(), headers, body, isWhole ? http.body().size() : -1);
    }
}
