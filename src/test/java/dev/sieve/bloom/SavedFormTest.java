package dev.sieve.bloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.SequenceInputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SavedFormTest {
    private static final long SEED = 0x5eed_5eed_5eed_5eedL;

    @ParameterizedTest
    @EnumSource
    void savedSetComesBackAsItWas(Kind kind) throws IOException {
        Membership saved = kind.create(10_000, 0.01, SEED);
        Keys.add(saved, 0, 30_000);
        Membership read = read(save(saved));
        assertThat(read).hasSameClassAs(saved);
        assertThat(read.seed()).isEqualTo(SEED);
        assertThat(read.capacity()).isEqualTo(saved.capacity());
        assertThat(read.estimatedSize()).isEqualTo(saved.estimatedSize());
        assertThat(read.falsePositiveRate()).isEqualTo(saved.falsePositiveRate());
        assertThat(read.memoryBytes()).isEqualTo(saved.memoryBytes());
        assertThat(Keys.count(read, 0, 30_000)).isEqualTo(30_000);
        assertThat(Keys.count(read, -10_000, 0)).isEqualTo(Keys.count(saved, -10_000, 0));
        assertThat(Keys.add(read, 30_000, 60_000)).isEqualTo(Keys.add(saved, 30_000, 60_000));
    }

    @ParameterizedTest
    @EnumSource
    void emptySetComesBackEmpty(Kind kind) throws IOException {
        Membership read = read(save(kind.create(1, 0.5, SEED)));
        assertThat(read.estimatedSize()).isZero();
        assertThat(read.add("a")).isTrue();
    }

    @Test
    void countsComeBackToo() throws IOException {
        CountingBloomFilter saved = CountingBloomFilter.create(1000, 1e-6, 0);
        saved.add("a");
        saved.add("a");
        CountingBloomFilter read = (CountingBloomFilter) read(save(saved));
        assertThat(read.remove("a")).isTrue();
        assertThat(read.remove("a")).isTrue();
        assertThat(read.remove("a")).isFalse();
    }

    /** One thread adds while another one saves. */
    @ParameterizedTest
    @EnumSource
    void keysAddedBeforeSavingAreSaved(Kind kind) throws Exception {
        Membership membership = kind.create(2_000, 0.001, SEED);
        AtomicLong added = new AtomicLong();
        Thread adder = new Thread(() -> {
            for (int i = 0; i < 100_000; i++) {
                Keys.add(membership, i, i + 1);
                added.set(i + 1);
            }
        });
        adder.start();
        do {
            long before = added.get();
            assertThat(Keys.count(read(save(membership)), 0, before)).isEqualTo(before);
        } while (adder.isAlive());
        adder.join();
    }

    /** Larger than what is read at one time, so that the words come in by stages. */
    @Test
    void largeSetComesBack() throws IOException {
        BloomFilter saved = BloomFilter.of(300_000_001, 3, 0);
        Keys.add(saved, 0, 1000);
        Membership read = read(save(saved));
        assertThat(read.estimatedSize()).isEqualTo(saved.estimatedSize());
        assertThat(read.memoryBytes()).isEqualTo(saved.memoryBytes());
        assertThat(Keys.count(read, 0, 1000)).isEqualTo(1000);
    }

    @ParameterizedTest
    @EnumSource
    void nothingAfterTheFormIsRead(Kind kind) throws IOException {
        byte[] form = save(filled(kind));
        var in =
                new SequenceInputStream(new ByteArrayInputStream(form), new ByteArrayInputStream(new byte[] {1, 2, 3}));
        Memberships.read(in);
        assertThat(in.readAllBytes()).containsExactly(1, 2, 3);
    }

    @ParameterizedTest
    @EnumSource
    void formThatEndsEarlyIsRefusedWithTheOffset(Kind kind) throws IOException {
        byte[] form = save(filled(kind));
        for (int length = 0; length < form.length; length++) {
            byte[] cut = Arrays.copyOf(form, length);
            assertThatThrownBy(() -> read(cut))
                    .as("%d of %d bytes", length, form.length)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("offset " + length);
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyFlippedBitIsNoticed(Kind kind) throws IOException {
        byte[] form = save(filled(kind));
        for (int bit = 0; bit < 8 * form.length; bit++) {
            byte[] damaged = form.clone();
            damaged[bit / 8] ^= (byte) (1 << (bit % 8));
            assertThatThrownBy(() -> read(damaged))
                    .as("bit %d", bit)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("offset");
        }
    }

    @Test
    void forgedNumbersAreRefusedByFieldAndOffset() {
        refused("magic at offset 0", 1, 1, BloomFilter.KIND, 0);
        refused("version at offset 8 must be from 1 to 1: 2", SavedFormWriter.MAGIC, 2, BloomFilter.KIND, 0);
        refused("kind at offset 16", SavedFormWriter.MAGIC, 1, 0, 0);
        refused("kind at offset 16: 200", SavedFormWriter.MAGIC, 1, 200, 0);
        refused("capacity at offset 32 must be from 1", header(BloomFilter.KIND, -1, 64, 1, 0));
        refused("bits at offset 40", header(BloomFilter.KIND, 1, 1L << 63, 1, 0));
        refused("bits at offset 40", header(BloomFilter.KIND, 1, Long.MAX_VALUE, 1, 0));
        refused("bits at offset 40", header(BloomFilter.KIND, 1, 0, 1, 0));
        refused("hashes at offset 48 must be from 1 to 255: 0", header(BloomFilter.KIND, 1, 64, 0, 0));
        refused("hashes at offset 48", header(BloomFilter.KIND, 1, 64, 1L << 32, 0));
        refused("bits after the last before offset 64", header(BloomFilter.KIND, 1, 63, 1, -1));
        refused("counters at offset 40", header(CountingBloomFilter.KIND, 1, 1L << 40, 1, 0));
        refused("counters after the last", header(CountingBloomFilter.KIND, 1, 15, 1, -1));
        refused("rate at offset 40", header(GrowingBloomFilter.KIND, 1, Double.doubleToLongBits(Double.NaN), 1, 0));
        refused("layers at offset 48", header(GrowingBloomFilter.KIND, 1, Double.doubleToLongBits(0.1), 1L << 40, 0));
        refused("lines at offset 40", header(SplitBlockFilter.KIND, 1, Integer.MAX_VALUE, 1, 0));
        refused("lines at offset 40", header(SplitBlockFilter.KIND, 1, 0, 1, 0));
        refused("bits per word at offset 48", header(SplitBlockFilter.KIND, 1, 1, 3, 0));
        refused("digests at offset 32", header(ExactSet.KIND, -1));
    }

    /** Each asks for gigabytes and sends nothing. */
    @Test
    void hugeSizesWithoutTheirBytesTakeNoMemory() {
        refused("ends within words at offset 60", header(BloomFilter.KIND, 1, 64L * ArrayFilter.MAX, 1));
        refused("ends within words at offset 60", header(CountingBloomFilter.KIND, 1, 16L * ArrayFilter.MAX, 1));
        refused("ends within words at offset 60", header(SplitBlockFilter.KIND, 1, ArrayFilter.MAX / 8 - 1, 1));
        refused("ends within digests at offset 44", header(ExactSet.KIND, ArrayFilter.MAX / 2));
    }

    private static long[] header(int kind, long... rest) {
        long[] numbers = new long[4 + rest.length];
        numbers[0] = SavedFormWriter.MAGIC;
        numbers[1] = SavedFormWriter.VERSION;
        numbers[2] = kind;
        System.arraycopy(rest, 0, numbers, 4, rest.length);
        return numbers;
    }

    private static void refused(String message, long... numbers) {
        ByteBuffer form = ByteBuffer.allocate(8 * numbers.length + 4).order(ByteOrder.LITTLE_ENDIAN);
        form.asLongBuffer().put(numbers);
        CRC32C crc = new CRC32C();
        crc.update(form.array(), 0, 8 * numbers.length);
        form.putInt(8 * numbers.length, (int) crc.getValue());
        assertThatThrownBy(() -> read(form.array()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(message);
    }

    private static Membership filled(Kind kind) {
        Membership membership = kind.create(20, 0.1, SEED);
        Keys.add(membership, 0, 50);
        return membership;
    }

    private static byte[] save(Membership membership) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        membership.writeTo(out);
        return out.toByteArray();
    }

    private static Membership read(byte[] form) throws IOException {
        return Memberships.read(new ByteArrayInputStream(form));
    }
}
