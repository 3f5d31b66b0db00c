package dev.sieve.output;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.OptionalLibrary;
import dev.sieve.fetch.Exchange;
import dev.sieve.fetch.Exchange.Cut;
import dev.sieve.fetch.Exchange.Earlier;
import dev.sieve.fetch.Exchange.Rendered;
import dev.sieve.io.LruMap;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.net.URI;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.netpreserve.jwarc.MediaType;
import org.netpreserve.jwarc.MessageVersion;
import org.netpreserve.jwarc.WarcCaptureRecord;
import org.netpreserve.jwarc.WarcConversion;
import org.netpreserve.jwarc.WarcDigest;
import org.netpreserve.jwarc.WarcRecord;
import org.netpreserve.jwarc.WarcRequest;
import org.netpreserve.jwarc.WarcResponse;
import org.netpreserve.jwarc.WarcRevisit;
import org.netpreserve.jwarc.WarcTruncationReason;
import org.netpreserve.jwarc.WarcWriter;
import org.netpreserve.jwarc.Warcinfo;

/**
 * Writes what is sent and received to an archive in the format WARC 1.1, ISO 28500, compressed if its name ends in
 * {@code .gz}: per exchange a {@code request} record, and a {@code response} record, or a {@code revisit} record if the
 * same payload is in the archive already, or in that of an earlier round: with the same digest, or since the server
 * says that the page is not modified. What a browser has made of a page follows as a {@code conversion} record.
 *
 * <p>The first file has the name of the archive; when a flush finds a gigabyte in it, {@code NAME-00001.warc.gz}
 * follows, then {@code NAME-00002.warc.gz}. So what was written since a flush is in one file, whose end is stored
 * before. Each file begins with a {@code warcinfo} record and can be read alone. Each record is a gzip member of its
 * own. The records of an exchange are handed to the operating system together, before the method returns.
 */
public final class WarcSink implements PageSink {
    private static final long FILE_BYTES = 1_000_000_000;

    /** The size of the buffer: larger than most exchanges, so that each is one write. */
    private static final int BUFFER_BYTES = 1 << 20;

    /** The level of compression; the default of 6 takes more time for archives that are hardly smaller. */
    private static final int LEVEL = 4;

    /** A payload in {@link #payloads}, without the text of its URL. */
    private static final int PAYLOAD_BYTES = 160;

    private static final Pattern NOT_MODIFIED = Pattern.compile("HTTP/[\\d.]+ 304\\b");
    private static final Pattern CHUNKED = Pattern.compile("(?im)^transfer-encoding:.*\\bchunked\\b");

    /** What a reader might take for the beginning of a chunk. */
    private static final Pattern LIKE_CHUNK = Pattern.compile("[0-9a-fA-F]*[ \\t]*(?:[;\\r\\n].*)?", Pattern.DOTALL);

    private static final int CHUNK_SIZE_CHARS = 64;

    static {
        OptionalLibrary.require("org.netpreserve.jwarc.WarcWriter", "org.netpreserve:jwarc");
    }

    private final ArchiveFiles files;
    private final String software;
    private final long fileBytes;
    private final LruMap<Payload> payloads;
    private final MessageDigest digest;
    private OutputFile file;
    private Buffer buffer;
    private @Nullable URI info;

    /** The record that has a payload. */
    private record Payload(URI id, String url, Instant time) {}

    /** A buffer whose flush does not flush the file, which may force it to the disk. */
    private static final class Buffer extends BufferedOutputStream {
        Buffer(OutputStream file) {
            super(file, BUFFER_BYTES);
        }

        @Override
        public synchronized void flush() throws IOException {
            out.write(buf, 0, count);
            count = 0;
        }
    }

    /** A gzip member, after which the stream below stays open. */
    private static final class Member extends GZIPOutputStream {
        Member(OutputStream out) throws IOException {
            super(out, 8 << 10);
            def.setLevel(LEVEL);
        }

        @Override
        public void close() throws IOException {
            try {
                finish();
            } finally {
                def.end();
            }
        }
    }

    /**
     * Opens an archive.
     *
     * @param file the first file, whose name ends in {@code .warc} or {@code .warc.gz}
     * @param opening when files of the archive are continued, a file is added to them
     * @param memory the heap that digests of payloads may take; the least recently seen are forgotten, and their
     *     payloads written again
     */
    public WarcSink(Path file, OutputOpening opening, long memory) throws IOException {
        this(file, opening, memory, FILE_BYTES);
    }

    WarcSink(Path file, OutputOpening opening, long memory, long fileBytes) throws IOException {
        software = opening.software();
        this.fileBytes = fileBytes;
        payloads = new LruMap<>(memory, payload -> PAYLOAD_BYTES + payload.url.length());
        try {
            digest = MessageDigest.getInstance("SHA-1");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
        files = ArchiveFiles.of(file, opening);
        this.file = files.next();
        buffer = new Buffer(this.file);
    }

    /** Returns the files of an archive that exist, in their order. */
    public static List<Path> existing(Path file) throws IOException {
        return List.copyOf(ArchiveFiles.existing(file).values());
    }

    @Override
    public void accept(Visit visit) {
        // Its exchange is in the archive.
    }

    @Override
    public void exchanged(Exchange exchange) throws IOException {
        if (file.length() == 0) {
            write(info(exchange.time()));
        }
        URI response = newId();
        write(request(exchange, response));
        write(response(exchange, response));
        if (exchange.rendered() != null) {
            write(conversion(exchange, exchange.rendered(), response));
        }
        buffer.flush();
    }

    private Warcinfo info(Instant time) {
        String fields = "software: " + software + "\r\nformat: WARC File Format 1.1\r\n"
                + "conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n";
        byte[] block = fields.getBytes(UTF_8);
        info = newId();
        return new Warcinfo.Builder()
                .version(MessageVersion.WARC_1_1)
                .recordId(info)
                .date(time)
                .filename(files.file().getFileName().toString())
                .blockDigest(digest(block))
                .body(MediaType.WARC_FIELDS, block)
                .build();
    }

    private WarcRequest request(Exchange exchange, URI response) {
        return builder(
                        new WarcRequest.Builder(exchange.url()),
                        exchange,
                        newId(),
                        MediaType.HTTP_REQUEST,
                        exchange.request().getBytes(UTF_8))
                .concurrentTo(response)
                .build();
    }

    private WarcRecord response(Exchange exchange, URI id) {
        byte[] head = exchange.response().getBytes(UTF_8);
        byte[] body = exchange.body();
        if (isChunked(exchange) && isLikeChunk(body)) {
            byte[] size = (Integer.toHexString(body.length) + "\r\n").getBytes(ISO_8859_1);
            byte[] end = (body.length == 0 ? "\r\n" : "\r\n0\r\n\r\n").getBytes(ISO_8859_1);
            return response(exchange, id, head, size, body, end).build();
        }
        Earlier earlier = exchange.earlier();
        if (earlier != null && NOT_MODIFIED.matcher(exchange.response()).lookingAt()) {
            return revisit(exchange, id, WarcRevisit.SERVER_NOT_MODIFIED_1_1, head, earlier.time())
                    .build();
        }
        WarcDigest payload = digest(body);
        Payload known = exchange.cut() == Cut.NONE && body.length > 0 ? payloads.get(payload.base32()) : null;
        if (known == null) {
            if (exchange.cut() == Cut.NONE) {
                payloads.put(payload.base32(), new Payload(id, exchange.url(), exchange.time()));
            }
            return earlier != null && earlier.sha1().equals(payload.hex())
                    ? revisit(exchange, id, WarcRevisit.IDENTICAL_PAYLOAD_DIGEST_1_1, head, earlier.time())
                            .payloadDigest(payload)
                            .build()
                    : response(exchange, id, head, body).payloadDigest(payload).build();
        }
        return builder(
                        new WarcRevisit.Builder(exchange.url(), WarcRevisit.IDENTICAL_PAYLOAD_DIGEST_1_1),
                        exchange,
                        id,
                        MediaType.HTTP_RESPONSE,
                        head)
                .payloadDigest(payload)
                .refersTo(known.id, known.url, known.time)
                .build();
    }

    /** Returns a record that refers to one of the same URL, whose identity is not known, by its time. */
    private WarcRevisit.Builder revisit(Exchange exchange, URI id, URI profile, byte[] head, Instant time) {
        return builder(new WarcRevisit.Builder(exchange.url(), profile), exchange, id, MediaType.HTTP_RESPONSE, head)
                .setHeader("WARC-Refers-To-Target-URI", exchange.url())
                .setHeader("WARC-Refers-To-Date", time.toString());
    }

    private WarcResponse.Builder response(Exchange exchange, URI id, byte[]... block) {
        return builder(new WarcResponse.Builder(exchange.url()), exchange, id, MediaType.HTTP_RESPONSE, block)
                .truncated(reason(exchange.cut()));
    }

    private WarcConversion conversion(Exchange exchange, Rendered rendered, URI response) {
        WarcDigest payload = digest(rendered.html());
        return new WarcConversion.Builder()
                .version(MessageVersion.WARC_1_1)
                .recordId(newId())
                .date(exchange.time())
                .warcinfoId(info)
                .setHeader("WARC-Target-URI", exchange.url())
                .refersTo(response)
                .blockDigest(payload)
                .payloadDigest(payload)
                .truncated(reason(rendered.cut()))
                .body(MediaType.HTML_UTF8, rendered.html())
                .build();
    }

    private static WarcTruncationReason reason(Cut cut) {
        return switch (cut) {
            case NONE -> WarcTruncationReason.NOT_TRUNCATED;
            case LENGTH -> WarcTruncationReason.LENGTH;
            case TIME -> WarcTruncationReason.TIME;
            case DISCONNECT -> WarcTruncationReason.DISCONNECT;
            case OTHER -> WarcTruncationReason.UNSPECIFIED;
        };
    }

    private <R extends WarcCaptureRecord, B extends WarcCaptureRecord.AbstractBuilder<R, B>> B builder(
            B builder, Exchange exchange, URI id, MediaType type, byte[]... block) {
        List<InputStream> parts =
                Arrays.stream(block).<InputStream>map(ByteArrayInputStream::new).toList();
        long length = Arrays.stream(block).mapToLong(part -> part.length).sum();
        builder.version(MessageVersion.WARC_1_1)
                .recordId(id)
                .date(exchange.time())
                .warcinfoId(info)
                .blockDigest(digest(block))
                .body(type, Channels.newChannel(new SequenceInputStream(Collections.enumeration(parts))), length);
        return exchange.address() == null ? builder : builder.ipAddress(exchange.address());
    }

    private static boolean isChunked(Exchange exchange) {
        return CHUNKED.matcher(exchange.response()).find();
    }

    private static boolean isLikeChunk(byte[] body) {
        String start = new String(body, 0, Math.min(body.length, CHUNK_SIZE_CHARS), ISO_8859_1);
        return LIKE_CHUNK.matcher(start).matches();
    }

    private static URI newId() {
        return URI.create("urn:uuid:" + UUID.randomUUID());
    }

    private WarcDigest digest(byte[]... parts) {
        for (byte[] part : parts) {
            digest.update(part);
        }
        return new WarcDigest(digest);
    }

    private void write(WarcRecord record) throws IOException {
        if (!files.isCompressed()) {
            new WarcWriter(buffer).write(record);
            return;
        }
        try (Member member = new Member(buffer)) {
            new WarcWriter(member).write(record);
        }
    }

    @Override
    public void flush() throws IOException {
        file.flush();
        if (file.length() >= fileBytes) {
            file.close();
            file = files.next();
            buffer = new Buffer(file);
        }
    }

    /** Closes the archive, and deletes its last file if that is empty. */
    @Override
    public void close() throws IOException {
        file.close();
        if (file.length() == 0 && Files.isRegularFile(files.file())) {
            Files.delete(files.file());
        }
    }
}
