package dev.sieve.durable;

import dev.sieve.UrlBatch;
import dev.sieve.fuzz.Fuzzer;
import dev.sieve.io.DiskFiles;
import dev.sieve.io.FakeDisk;
import java.io.IOException;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Any bytes are frames or damage: a frame that is read has a right checksum, and its contents are read within it. */
@Tag("hostile")
public class FrameFuzzTest {
    private static final String NAME = "frames";

    @Test
    void everyFileIsFramesOrDamage() {
        Fuzzer.run(FrameFuzzTest::fuzzerTestOneInput, 2_400, written(), Arrays.copyOf(written(), 40));
    }

    /** Frames of URLs with and without keys, referrers and labels. */
    private static byte[] written() {
        FrameWriter out = new FrameWriter();
        UrlFrameWriter urls = new UrlFrameWriter(out);
        for (int label = 0; label < 3; label++) {
            UrlBatch batch = new UrlBatch(label, 1, label == 1 ? null : "http://h/page", label);
            batch.add("http://h/page/a");
            batch.add("http://h/page/%7Eb", "http://h/page/~b");
            batch.add("http://other/");
            int end = batch.size();
            urls.write(3L * label, batch, 0, (1L << end) - 1);
        }
        out.begin(FrameKind.FORCED);
        out.putNumbers(1, 300);
        out.end();
        return Arrays.copyOf(out.bytes(), out.size());
    }

    public static void fuzzerTestOneInput(byte[] input) throws IOException {
        read(input, input.length);
        read(Sealed.frames(input, 0), input.length);
    }

    private static void read(byte[] file, int length) throws IOException {
        FakeDisk disk = new FakeDisk();
        DiskFiles.write(disk, NAME, file);
        UrlFrameReader urls = new UrlFrameReader();
        long urlBytes = 0;
        try (FrameReader in = new FrameReader(NAME, disk.read(NAME), 0, 256)) {
            boolean isRead = in.next();
            while (isRead || (in.damage() != null && in.skipDamage() && in.next())) {
                checkChecksum(file, in.position(), in.nextPosition());
                try {
                    urls.read(in);
                    urlBytes += urls.batch().maxBytes();
                    if (in.kind() == FrameKind.FORCED) {
                        LogPosition.read(in);
                    }
                } catch (DamageException e) {
                    urls = new UrlFrameReader();
                }
                isRead = in.next();
            }
        }
        if (urlBytes > 4L * UrlBatch.MAX_TEXT * (1 + length)) {
            throw new AssertionError(urlBytes + " bytes of URLs");
        }
    }

    private static void checkChecksum(byte[] file, long from, long to) {
        CRC32C crc = new CRC32C();
        crc.update(file, (int) from, 4);
        crc.update(file, (int) from + FrameWriter.HEADER_BYTES, (int) (to - from) - FrameWriter.HEADER_BYTES);
        int at = (int) from + 4;
        int stored = (file[at] & 0xff)
                | (file[at + 1] & 0xff) << 8
                | (file[at + 2] & 0xff) << 16
                | (file[at + 3] & 0xff) << 24;
        if (stored != (int) crc.getValue()) {
            throw new AssertionError("a frame with a wrong checksum at " + from);
        }
    }
}
