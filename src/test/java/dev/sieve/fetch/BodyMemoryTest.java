package dev.sieve.fetch;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.Await;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** All bodies together take no more memory than was set, and a slow one does not keep it from others. */
@Timeout(60)
class BodyMemoryTest {
    private static final int MIB = 1 << 20;
    private static final long NEVER = SECONDS.toNanos(1_000_000);

    private final AtomicBoolean isCancelled = new AtomicBoolean();

    /** With a share of 1 MiB for each of four requests, and 4 MiB of room. */
    private static BodyMemory memory(long patienceNanos) {
        return new BodyMemory(8 * MIB, 4, MIB, patienceNanos);
    }

    private BodyMemory.Body body(BodyMemory memory, long most) {
        BodyMemory.Body body = memory.new Body(() -> isCancelled.set(true), isCancelled::get);
        body.expect(most);
        return body;
    }

    /** Returns the memory of a body of 2 MiB that is not cancelled. */
    private static BodyMemory.Body steadyBody(BodyMemory memory) {
        BodyMemory.Body body = memory.new Body(() -> {}, () -> false);
        body.expect(2 * MIB);
        return body;
    }

    private CompletableFuture<Void> grow(BodyMemory.Body body, long length) {
        CompletableFuture<Void> grown = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                body.grow(length);
                grown.complete(null);
            } catch (IOException e) {
                grown.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return grown;
    }

    private static void await(BodyMemory memory, int waiting) {
        Await.until(() -> memory.waiting() == waiting);
    }

    @Test
    void aLargeDecoderTakesRoomBeforeItsBody() throws IOException {
        BodyMemory memory = memory(NEVER);
        try (BodyMemory.Body body = body(memory, MIB / 4)) {
            body.decode(MIB / 2);
            assertThat(memory.taken()).isZero();
        }
        try (BodyMemory.Body body = body(memory, MIB / 4)) {
            body.decode(2 * MIB);
            assertThat(memory.taken()).isEqualTo(3 * MIB / 2);
        }
        assertThat(memory.taken()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"0x0c, 64", "0x01, 128", "0x71, 32", "0x0b, 4096", "0x0f, 16384"})
    void theWindowOfABodyInBrTakesRoomBeforeItIsRead(String first, long kibibytes) throws IOException {
        BodyMemory memory = new BodyMemory(64 * MIB, 64, MIB, NEVER);
        byte[] packed = {(byte) (int) Integer.decode(first), 0, 0, 0};
        Map<String, List<String>> inBr = Map.of("content-encoding", List.of("br"));
        try (BodyMemory.Body room = memory.new Body(() -> {}, () -> false);
                Response response = new Response(200, inBr, new ByteArrayInputStream(packed), -1);
                InputStream body = ContentCoding.decoded(response, room)) {
            // The share of a request is half a MiB.
            assertThat(memory.taken()).isEqualTo(7 * MIB / 2 + (kibibytes << 10) * 3 / 2);
            assertThat(body).isNotNull();
        }
    }

    @Test
    void whatFitsIntoItsShareTakesNoRoom() throws IOException {
        BodyMemory memory = memory(NEVER);
        try (BodyMemory.Body body = body(memory, 10 * MIB)) {
            body.grow(MIB / 2);

            assertThat(memory.taken()).isZero();
            body.keep(new byte[MIB / 2]);
        }
        assertThat(memory.taken()).isZero();
    }

    @Test
    void aBodyAndItsBytesAsTheyArriveTakeRoomTogether() throws IOException {
        BodyMemory memory = memory(NEVER);
        byte[] decoded = new byte[MIB];
        byte[] raw = new byte[MIB];
        try (BodyMemory.Body body = body(memory, MIB)) {
            body.expect(MIB);
            body.growRaw(MIB / 4);
            body.grow(MIB / 4);
            assertThat(memory.taken()).isZero();

            body.growRaw(MIB / 2);

            assertThat(memory.taken()).isEqualTo(3 * MIB);
            body.keep(decoded);
            body.keep(raw);
        }
        assertThat(memory.taken()).isEqualTo(MIB);
        memory.release(decoded);
        assertThat(memory.taken()).isEqualTo(MIB);
        memory.release(raw);
        assertThat(memory.taken()).isZero();
    }

    @Test
    void anUnreadBodyTakesRoomForItsLargestSize() throws IOException {
        BodyMemory memory = memory(NEVER);
        byte[] read = new byte[MIB + 5];
        try (BodyMemory.Body body = body(memory, 2 * MIB)) {
            body.grow(MIB / 2 + 1);

            assertThat(memory.taken()).isEqualTo(3 * MIB);
            body.grow(2 * MIB);
            assertThat(memory.taken()).isEqualTo(3 * MIB);
            body.keep(read);
        }
        assertThat(memory.taken()).isEqualTo(5);
        memory.release(read.clone());
        assertThat(memory.taken()).isEqualTo(5);
        memory.release(read);
        memory.release(read);
        assertThat(memory.taken()).isZero();
    }

    @Test
    void oneBodyCanBeReadHoweverLittleMemoryThereIs() throws IOException {
        BodyMemory memory = new BodyMemory(1, 100, 8 * MIB, NEVER);
        try (BodyMemory.Body body = body(memory, 8 * MIB + 1)) {
            body.grow(8 * MIB + 1);

            assertThat(memory.taken()).isBetween(15L * MIB, 16L * MIB + 2);
        }
        assertThat(memory.taken()).isZero();
    }

    @Test
    void thoseThatWaitGetRoomInTheirOrder() throws IOException {
        BodyMemory memory = memory(NEVER);
        BodyMemory.Body first = body(memory, 2 * MIB);
        first.grow(MIB);
        BodyMemory.Body second = body(memory, 2 * MIB);
        CompletableFuture<Void> secondGrown = grow(second, MIB);
        await(memory, 1);
        // There would be room for the third.
        CompletableFuture<Void> third = grow(body(memory, 3 * MIB / 4), 3 * MIB / 4);
        await(memory, 2);

        assertThat(secondGrown).isNotDone();
        assertThat(third).isNotDone();
        first.close();
        secondGrown.join();
        third.join();
        assertThat(memory.taken()).isEqualTo(3 * MIB + MIB / 2);
    }

    @Test
    void aSlowBodyIsCancelledForOneThatWaits() throws IOException {
        BodyMemory memory = memory(1);
        BodyMemory.Body slow = steadyBody(memory);
        slow.grow(MIB);
        CompletableFuture<Void> other = grow(body(memory, 2 * MIB), MIB);

        IOException failure = new IOException("Canceled");
        Await.until(() -> slow.reason(failure) != failure);
        assertThat(slow.reason(failure)).isInstanceOf(InterruptedIOException.class);
        assertThat(other).isNotDone();
        slow.close();
        other.join();
    }

    @Test
    void aBodyThatWasReadIsNotCancelledButAwaited() throws IOException {
        BodyMemory memory = memory(1);
        byte[] read = new byte[4 * MIB];
        try (BodyMemory.Body body = body(memory, read.length)) {
            body.grow(read.length);
            body.keep(read);
        }
        CompletableFuture<Void> other = grow(body(memory, 2 * MIB), MIB);
        await(memory, 1);

        assertThat(isCancelled).isFalse();
        memory.release(read);
        other.join();
        assertThat(isCancelled).isFalse();
    }

    @Test
    void aRequestThatIsCancelledWaitsNoLonger() throws IOException {
        BodyMemory memory = memory(1);
        steadyBody(memory).grow(MIB);
        BodyMemory.Body second = body(memory, 2 * MIB);
        CompletableFuture<Void> grown = grow(second, MIB);
        await(memory, 1);

        isCancelled.set(true);
        grown.join();
        assertThat(memory.waiting()).isZero();
        second.close();
        assertThat(memory.taken()).isEqualTo(3 * MIB);
    }

    @Test
    void aThreadThatIsInterruptedWaitsNoLonger() throws IOException {
        BodyMemory memory = memory(NEVER);
        steadyBody(memory).grow(MIB);
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> body(memory, 2 * MIB).grow(MIB)).isInstanceOf(InterruptedIOException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(memory.waiting()).isZero();
    }
}
