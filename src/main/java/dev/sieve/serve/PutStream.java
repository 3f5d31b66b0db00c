package dev.sieve.serve;

import com.google.protobuf.MessageLite;
import crawlercommons.urlfrontier.Urlfrontier.AckMessage;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One call of PutURLs or PutDiscovered: stores the URLs that arrive, as many at a time as have arrived, and
 * acknowledges the messages in their order.
 *
 * <p>Messages arrive on a thread of the network and are stored on a worker. A client may be a {@linkplain
 * PutMessages#window window} ahead of the acknowledgements; while it does not read these, nothing more is stored or
 * read, and no thread waits.
 *
 * @param <M> the messages
 * @param <A> their acknowledgements
 */
final class PutStream<M extends MessageLite, A> implements StreamObserver<M>, Runnable {
    /** As soon as there are as many URLs, they are stored in one piece. */
    private static final int BATCH = 256;

    /** How many bytes of acknowledgements are sent before the client must read. */
    private static final int UNREAD_BYTES = 1 << 16;

    /** What a URL of a batch takes beyond its bytes. */
    private static final int URL_BYTES = 64;

    private final ServerCallStreamObserver<A> call;
    private final PutMessages<M, A> messages;
    private final Crawls crawls;
    private final MemoryBudget memory;
    private final Executor workers;
    private final Supplier<Moment> clock;
    private final Consumer<PutStream<?, ?>> onEnd;

    // Guarded by this.
    private final ArrayDeque<M> waiting = new ArrayDeque<>();
    private long waitingBytes;
    private boolean isScheduled;
    private boolean isComplete;
    /** Why the call ends as soon as what was read is acknowledged; null while it continues. */
    private @Nullable Status reason;

    private boolean isOver;

    PutStream(
            ServerCallStreamObserver<A> call,
            PutMessages<M, A> messages,
            Crawls crawls,
            MemoryBudget memory,
            Executor workers,
            Supplier<Moment> clock,
            Consumer<PutStream<?, ?>> onEnd) {
        this.call = call;
        this.messages = messages;
        this.crawls = crawls;
        this.memory = memory;
        this.workers = workers;
        this.clock = clock;
        this.onEnd = onEnd;
    }

    /** Begins to read; called once, while the call is being started. */
    void start() {
        call.disableAutoRequest();
        call.setOnReadyThreshold(UNREAD_BYTES);
        call.setOnReadyHandler(this::schedule);
        call.setOnCancelHandler(this::end);
        call.request(messages.window());
    }

    /** Receives a message; null is one that could not be read, see {@link QuietMarshaller}. */
    @Override
    public synchronized void onNext(M message) {
        if (isOver || reason != null) {
            return;
        }
        reason = refusal(message);
        schedule();
    }

    /** Keeps a message; returns the reason why it cannot, or null. */
    private @Nullable Status refusal(@Nullable M message) {
        if (message == null) {
            return Status.INVALID_ARGUMENT.withDescription("not a message of this call");
        }
        try {
            M kept = messages.kept(message);
            if (!memory.reserve(bytes(kept), MemoryBudget.Use.MESSAGES)) {
                return Status.RESOURCE_EXHAUSTED.withDescription("no memory for more messages; send them again later");
            }
            waitingBytes += bytes(kept);
            waiting.add(kept);
            return null;
        } catch (IllegalArgumentException e) {
            return Replies.status(e);
        }
    }

    /** Returns about how much memory a message takes. */
    private long bytes(M message) {
        return message.getSerializedSize() + (long) URL_BYTES * (messages.count(message) - 1);
    }

    @Override
    public synchronized void onCompleted() {
        isComplete = true;
        schedule();
    }

    @Override
    public void onError(Throwable t) {
        end();
    }

    /** Ends the call as soon as what was read is acknowledged. */
    synchronized void stop() {
        if (reason == null) {
            reason = Status.UNAVAILABLE.withDescription("the server is stopping");
        }
        schedule();
    }

    private synchronized void schedule() {
        if (!isScheduled && !isOver) {
            isScheduled = true;
            workers.execute(this);
        }
    }

    private synchronized void end() {
        if (!isOver) {
            isOver = true;
            waiting.clear();
            memory.release(waitingBytes);
            waitingBytes = 0;
            onEnd.accept(this);
        }
    }

    @Override
    public void run() {
        List<M> next = new ArrayList<>();
        while (takeNext(next)) {
            try {
                List<List<PutItem>> items = next.stream().map(messages::items).toList();
                store(items.stream().flatMap(List::stream).toList());
                for (int i = 0; i < items.size(); i++) {
                    call.onNext(messages.ack(next.get(i), items.get(i)));
                }
                call.request(items.size());
            } catch (IOException | RuntimeException | Error e) {
                fail(Replies.status(e));
            }
        }
    }

    /** Takes what is to be stored next; false when nothing can be done now. */
    private synchronized boolean takeNext(List<M> next) {
        next.clear();
        if (isOver || (waiting.isEmpty() && !isComplete && reason == null) || !call.isReady()) {
            isScheduled = false;
            return false;
        }
        if (waiting.isEmpty()) {
            finish();
            return false;
        }
        for (int urls = 0; urls < BATCH && !waiting.isEmpty(); urls += messages.count(next.get(next.size() - 1))) {
            M message = waiting.remove();
            next.add(message);
            waitingBytes -= bytes(message);
            memory.release(bytes(message));
        }
        return true;
    }

    private void finish() {
        end();
        if (reason != null) {
            call.onError(reason.asRuntimeException());
        } else {
            call.onCompleted();
        }
    }

    private synchronized void fail(Status status) {
        if (!isOver) {
            reason = status;
            waiting.clear();
            finish();
        }
    }

    /** Stores items, those of the same crawl that follow one another together. */
    private void store(List<PutItem> items) throws IOException {
        int from = 0;
        for (int to = 1; to <= items.size(); to++) {
            if (to == items.size() || !items.get(to).crawl.equals(items.get(from).crawl)) {
                store(items.get(from).crawl, items.subList(from, to));
                from = to;
            }
        }
    }

    private void store(String id, List<PutItem> items) throws IOException {
        boolean isStored = items.stream().allMatch(item -> item.status != null);
        while (!isStored) {
            Moment now = clock.get();
            ServedCrawl crawl = crawls.get(id, now);
            if (crawl == null) {
                items.stream()
                        .filter(item -> item.status == null)
                        .forEach(item -> item.status = AckMessage.Status.FAIL);
                return;
            }
            isStored = crawl.put(items, now);
        }
    }
}
