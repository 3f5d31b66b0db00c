package dev.sieve.durable;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.Await;
import dev.sieve.CapturedLog;
import dev.sieve.FilterKind;
import dev.sieve.FrontierContract;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A lock file that is not what was written into it, while another process holds the folder and when none does. */
@Tag("process")
class DirectoryLockIT {
    private static final List<String> URLS = FrontierContract.urls(20);

    @TempDir
    private Path temporary;

    private final CapturedLog log = new CapturedLog();
    private Path directory;
    private Path file;
    private byte[] written;
    private Process holder;

    /** A process that holds a folder until it is killed. */
    static final class Holder {
        /** Argument: the folder. */
        public static void main(String[] args) throws IOException {
            DurableSieve frontier = DirectoryLockIT.open(Path.of(args[0]));
            frontier.pushAll(URLS);
            System.out.println(frontier.pending());
            System.in.read();
        }
    }

    /** A process that holds the lock by which it is tried whether a folder has an owner, until its input ends. */
    static final class Reader {
        /** Argument: the lock file. */
        public static void main(String[] args) throws IOException {
            try (RandomAccessFile file = new RandomAccessFile(args[0], "rw");
                    FileLock lock = file.getChannel().tryLock(1 << 30, 1, true)) {
                System.out.println(lock.isShared());
                System.in.read();
            }
        }
    }

    private static DurableSieve open(Path directory) throws IOException {
        return DurableSieve.builder(directory)
                .capacity(100)
                .filter(FilterKind.EXACT)
                .open();
    }

    @BeforeEach
    void hold() throws IOException {
        directory = temporary.resolve("frontier");
        file = directory.resolve("lock");
        holder = start(Holder.class, directory, Integer.toString(URLS.size()));
        written = Files.readAllBytes(file);
    }

    private static Process start(Class<?> main, Path argument, String firstLine) throws IOException {
        Process child =
                ChildJvm.start(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"), main, argument.toString());
        BufferedReader out = new BufferedReader(new InputStreamReader(child.getInputStream(), US_ASCII));
        assertThat(out.readLine()).isEqualTo(firstLine);
        return child;
    }

    @AfterEach
    void kill() throws InterruptedException {
        holder.destroyForcibly().waitFor();
        log.close();
    }

    /** Every single bit flipped; then what an editor or a file system may leave behind. */
    private List<byte[]> damaged() {
        List<byte[]> all = new ArrayList<>();
        for (int bit = 0; bit < 8 * written.length; bit++) {
            byte[] flipped = written.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            all.add(flipped);
        }
        all.add(new byte[0]);
        all.add(new byte[1 << 20]);
        all.add("1234\n".getBytes(US_ASCII));
        return all;
    }

    @Test
    void theHolderIsNamedAndAFileThatIsDamagedNamesNobody() throws IOException {
        assertThat(DurableFolder.inspect(directory).owner()).hasValue(holder.pid());
        assertThatThrownBy(() -> open(directory))
                .isInstanceOf(IOException.class)
                .hasMessageEndingWith("in use by process " + holder.pid());

        for (byte[] bytes : damaged()) {
            Files.write(file, bytes);

            assertThatThrownBy(() -> open(directory))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("in use by another process");
            assertThat(DurableFolder.inspect(directory).owner()).hasValue(0);
        }
    }

    @Test
    void anInspectionDelaysAnOpenAndNeverMakesItFail() throws Exception {
        holder.destroyForcibly().waitFor();
        holder = start(Reader.class, file, "true");
        assertThat(DurableFolder.inspect(directory).owner()).isEmpty();
        FutureTask<DurableSieve> opening = new FutureTask<>(() -> open(directory));
        Thread opener = new Thread(opening);
        opener.start();
        Await.until(() -> !opener.isAlive() || isLocking(opener));
        assertThat(opener.isAlive()).isTrue();

        holder.getOutputStream().close();

        try (DurableSieve frontier = opening.get()) {
            assertThat(frontier.pending()).isEqualTo(URLS.size());
        }
    }

    /** Whether a thread waits for the second part of the lock. */
    private static boolean isLocking(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getClassName().endsWith("FileChannelImpl")
                        && frame.getMethodName().equals("lock"));
    }

    @Test
    void aDamagedFileOfAProcessThatIsGoneDoesNotMatter() throws Exception {
        holder.destroyForcibly().waitFor();

        for (byte[] bytes : damaged()) {
            Files.write(file, bytes);

            assertThat(DurableFolder.inspect(directory).owner()).isEmpty();
            try (DurableSieve frontier = open(directory)) {
                assertThat(frontier.pending()).isEqualTo(URLS.size());
                assertThat(DurableFolder.inspect(directory).owner())
                        .hasValue(ProcessHandle.current().pid());
            }
        }
        assertThat(log.lines()).isEmpty();
    }
}
