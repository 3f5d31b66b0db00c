package dev.sieve.polite;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpillQueuesTest {
    @TempDir
    private Path directory;

    private static byte[] record(int length) {
        return "x".repeat(length).getBytes(UTF_8);
    }

    @Test
    void recordsOfEveryLengthComeOutInOrder() throws IOException {
        try (SpillQueues queues = new SpillQueues(new BlockFile(directory))) {
            Host a = new Host(0, 0);
            for (int length = 0; length < 2200; length++) {
                queues.addLast(a, record(length));
            }
            queues.addLast(a, record(1 << 20));
            for (int length = 0; length < 2200; length++) {
                assertThat(queues.removeFirst(a)).hasSize(length);
            }
            assertThat(queues.removeFirst(a)).hasSize(1 << 20);
            assertThat(a.itemsSpilled).isZero();
            assertThat(queues.file.blocksInUse()).isZero();
        }
    }

    /** Every length, so that a record ends at, before and behind each end of a block. */
    @Test
    void aQueueThatRunsEmptyBeginsAnewWhereverItEnded() throws IOException {
        try (SpillQueues queues = new SpillQueues(new BlockFile(directory))) {
            Host a = new Host(0, 0);
            for (int length = 990; length < 1040; length++) {
                queues.addLast(a, record(length));
                assertThat(queues.removeFirst(a)).hasSize(length);
                assertThat(queues.file.blocksInUse()).isZero();
            }
        }
    }

    @Test
    void queuesOfHostsDoNotMixAndBlocksAreUsedAgain() throws IOException {
        long seed = 42;
        Random random = new Random(seed);
        List<Host> hosts = new ArrayList<>();
        List<Queue<String>> expected = new ArrayList<>();
        try (SpillQueues queues = new SpillQueues(new BlockFile(directory))) {
            for (int i = 0; i < 50; i++) {
                hosts.add(new Host(0, 0));
                expected.add(new ArrayDeque<>());
            }
            int most = 0;
            for (int step = 0; step < 50_000; step++) {
                int number = random.nextInt(hosts.size());
                Host host = hosts.get(number);
                Queue<String> model = expected.get(number);
                if (random.nextInt(100) < (step < 25_000 ? 60 : 40)) {
                    String item = number + ":" + step + "y".repeat(random.nextInt(300));
                    queues.addLast(host, item.getBytes(UTF_8));
                    model.add(item);
                } else if (!model.isEmpty()) {
                    assertThat(new String(queues.removeFirst(host), UTF_8)).isEqualTo(model.remove());
                }
                assertThat(host.itemsSpilled == 0).isEqualTo(model.isEmpty());
                most = Math.max(most, queues.file.blocksInUse());
            }
            for (int i = 0; i < hosts.size(); i++) {
                while (!expected.get(i).isEmpty()) {
                    assertThat(new String(queues.removeFirst(hosts.get(i)), UTF_8))
                            .isEqualTo(expected.get(i).remove());
                }
            }
            assertThat(queues.file.blocksInUse()).isZero();
            assertThat(most).isLessThan(2000);
        }
    }

    @Test
    void whatIsAtHandIsReadWithoutTheDisk() throws IOException {
        try (SpillQueues queues = new SpillQueues(new BlockFile(directory))) {
            Host a = new Host(0, 0);
            Host b = new Host(0, 0);
            for (int i = 0; i < 9; i++) {
                queues.addLast(a, record(100));
            }
            queues.addLast(b, record(100));
            assertThat(queues.isAtHand(a)).isFalse();
            queues.removeFirst(a);
            assertThat(queues.isAtHand(a)).isTrue();
            assertThat(queues.isAtHand(b)).isFalse();
            queues.removeFirst(b);
            assertThat(queues.isAtHand(a)).isFalse();
        }
    }

    @Test
    void nothingIsLeftBehindWhenClosed() throws IOException {
        try (SpillQueues queues = new SpillQueues(new BlockFile(directory))) {
            Host a = new Host(0, 0);
            queues.addLast(a, record(5000));
        }
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void whatCouldNotBeWrittenWasNotAdded() throws IOException {
        FailingFile file = new FailingFile(directory);
        try (SpillQueues queues = new SpillQueues(file)) {
            Host a = new Host(0, 0);
            Host b = new Host(0, 0);
            queues.addLast(a, record(700));
            for (int failAfter = 0; failAfter < 3; failAfter++) {
                file.writesLeft = failAfter;
                assertThatThrownBy(() -> queues.addLast(a, record(5000))).isInstanceOf(IOException.class);
                file.writesLeft = failAfter;
                assertThatThrownBy(() -> queues.addLast(b, record(5000))).isInstanceOf(IOException.class);
            }
            file.writesLeft = Integer.MAX_VALUE;
            queues.addLast(a, record(701));
            assertThat(b.itemsSpilled).isZero();
            assertThat(queues.removeFirst(a)).hasSize(700);
            assertThat(queues.removeFirst(a)).hasSize(701);
            assertThat(queues.file.blocksInUse()).isZero();
        }
    }

    /** Every bit of three records and of the pointers between their blocks. */
    @Test
    void aFlippedBitIsNamedWithItsPlaceAndNeverHandedOut() throws IOException {
        int bits = 4 * BlockFile.BLOCK * Byte.SIZE;
        int silent = 0;
        for (int bit = 0; bit < bits; bit += 3) {
            FailingFile file = new FailingFile(directory);
            try (SpillQueues queues = new SpillQueues(file)) {
                Host a = new Host(0, 0);
                for (int i = 0; i < 3; i++) {
                    queues.addLast(a, record(1100 + i));
                }
                file.flippedBit = bit;
                try {
                    for (int i = 0; i < 3; i++) {
                        assertThat(queues.removeFirst(a)).isEqualTo(record(1100 + i));
                    }
                    silent++;
                } catch (IOException e) {
                    assertThat(e).hasMessageContaining("hosts-").hasMessageContaining("at offset ");
                }
            }
        }
        assertThat(silent).isBetween(1, bits / 3 / 4);
    }

    /** A disk on which some writes fail, and from which a bit is read wrong. */
    private static final class FailingFile extends BlockFile {
        private int writesLeft = Integer.MAX_VALUE;
        private int flippedBit = -1;

        private FailingFile(Path directory) throws IOException {
            super(directory);
        }

        @Override
        void write(int block, int offset, byte[] source, int length) throws IOException {
            if (writesLeft == 0) {
                throw new IOException("no space left on device");
            }
            writesLeft--;
            super.write(block, offset, source, length);
        }

        @Override
        void read(int block, byte[] target, int length) throws IOException {
            super.read(block, target, length);
            int at = flippedBit / Byte.SIZE - block * BLOCK;
            if (at >= 0 && at < length) {
                target[at] ^= (byte) (1 << flippedBit % Byte.SIZE);
            }
        }
    }
}
