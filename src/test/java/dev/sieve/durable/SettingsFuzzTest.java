package dev.sieve.durable;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sieve.FilterKind;
import dev.sieve.bloom.BloomSize;
import dev.sieve.fuzz.Fuzzer;
import dev.sieve.io.DiskFiles;
import dev.sieve.io.FakeDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Settings come back as they were written, and a file with other bytes is refused, not misread. */
@Tag("hostile")
public class SettingsFuzzTest {
    private static final Settings SETTINGS = new Settings(0x123456789L, FilterKind.GROWING, 1000, 1e-4, -7);

    @Test
    void settingsComeBack() {
        Fuzzer.run(RoundTrip::fuzzerTestOneInput, 4_000, "0");
    }

    @Test
    void damagedSettingsAreRefused() throws IOException {
        Fuzzer.run(SettingsFuzzTest::fuzzerTestOneInput, 6_000, written());
    }

    private static byte[] written() throws IOException {
        FakeDisk disk = new FakeDisk();
        SETTINGS.write(disk);
        return DiskFiles.bytes(disk, Settings.NAME);
    }

    public static void fuzzerTestOneInput(byte[] input) throws IOException {
        FakeDisk disk = new FakeDisk();
        DiskFiles.write(disk, Settings.NAME, input);
        check(disk, new String(input, ISO_8859_1), false);
        // The same lines with a right checksum.
        FakeDisk sealed = new FakeDisk();
        String lines = new String(input, ISO_8859_1).replaceFirst("(?s)crc [^\n]*\n?$", "");
        DiskFiles.write(sealed, Settings.NAME, CheckedText.seal(lines));
        check(sealed, lines, true);
    }

    private static void check(FakeDisk disk, String text, boolean isSealed) throws IOException {
        Settings read;
        try {
            read = Settings.read(disk);
        } catch (IOException e) {
            if (!e.getMessage().startsWith(Settings.NAME)) {
                throw e;
            }
            return;
        }
        if (!isSealed && !read.equals(SETTINGS)) {
            throw new AssertionError(read + " from: " + text);
        }
        read.words();
    }

    /** Settings made from the input. */
    public static final class RoundTrip {
        private static final List<FilterKind> KINDS = List.of(FilterKind.values());

        private RoundTrip() {}

        public static void fuzzerTestOneInput(byte[] input) throws IOException {
            ByteBuffer bytes = ByteBuffer.wrap(Arrays.copyOf(input, 33));
            FilterKind kind = KINDS.get((bytes.get() & 0xff) % KINDS.size());
            Settings settings =
                    new Settings(bytes.getLong(), kind, bytes.getLong(), bytes.getDouble(), bytes.getLong());
            FakeDisk disk = new FakeDisk();
            settings.write(disk);
            Settings read;
            try {
                read = Settings.read(disk);
            } catch (DamageException e) {
                // A builder refuses these values.
                boolean isValid = settings.capacity() > 0
                        && settings.falsePositiveRate() >= BloomSize.MIN_RATE
                        && settings.falsePositiveRate() <= BloomSize.MAX_RATE;
                if (isValid) {
                    throw e;
                }
                return;
            }
            if (!settings.equals(read)) {
                throw new AssertionError(settings + " came back as " + read);
            }
        }
    }
}
