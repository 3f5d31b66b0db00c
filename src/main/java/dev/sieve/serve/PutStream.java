package dev.sieve.serve;

import crawlercommons.urlfrontier.Urlfrontier.AckMessage;
import crawlercommons.urlfrontier.Urlfrontier.URLItem;
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
 * One call of PutURLs: stores the URLs that arrive, as many at a time as have arrived, and acknowledges them in their
 * order.
 *
 * <p>Messages arrive on a thread of the network and are stored on a worker. A client may be {@link #WINDOW} messages ahead
 * of the acknowledgements; while it does not read these, nothing more is stored or read, and no thread waits.
 */
final class PutStream implements StreamObserver<URLItem>, Runnable {
    /** How many messages may be on their way and in memory. */
    static final int WINDOW = 512;

    /** How many are stored in one piece. */
    private static final int BATCH = 256;

    /** How many bytes of acknowledgements are sent before the client must read. */
    private static final int UNREAD_BYTES = 1 << 16;

    private final ServerCallStreamObserver<AckMessage> call;
    private final Crawls crawls;
    private final MemoryBudget memory;
    private final Executor workers;
    private final Supplier<Moment> clock;
    private final Consumer<PutStream> onEnd;

    // Guarded by this.
    private final ArrayDeque<URLItem> waiting = new ArrayDeque<>();
    private long waitingBytes;
    private boolean isScheduled;
    private boolean isComplete;
    /** Why the call ends as soon as what was read is acknowledged; null while it continues. */
    private @Nullable Status reason;

    private boolean isOver;

    PutStream(
            ServerCallStreamObserver<AckMessage> call,
            Crawls crawls,
            MemoryBudget memory,
            Executor workers,
            Supplier<Moment> clock,
            Consumer<PutStream> onEnd) {
        this.call = call;
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
        call.setOnReadyHandler(this::wake);
        call.setOnCancelHandler(this::cancel);
        call.request(WINDOW);
    }

    /** Receives a message; null is one that could not be read, see {@link QuietMarshaller}. */
    @Override
    public synchronized void onNext(URLItem item) {
        if (isOver || reason != null) {
            return;
        }
        if (item == null) {
            reason = Status.INVALID_ARGUMENT.withDescription("not a URLItem");
            schedule();
            return;
        }
        URLItem kept = item;
        if (item.getSerializedSize() > PutItem.MAX_MESSAGE) {
            String id = PutItem.ackId(item);
            if (id.length() > PutItem.MAX_URL) {
                reason = Status.INVALID_ARGUMENT.withDescription(
                        "a message with an ID or URL of " + id.length() + " characters; at most " + PutItem.MAX_URL);
                schedule();
                return;
            }
            kept = URLItem.newBuilder().setID(id).build(); // without content, so it is skipped
        }
        if (!memory.reserve(kept.getSerializedSize(), MemoryBudget.Use.MESSAGES)) {
            reason = Status.RESOURCE_EXHAUSTED.withDescription("no memory for more messages; send them again later");
            schedule();
            return;
        }
        waitingBytes += kept.getSerializedSize();
        waiting.add(kept);
        schedule();
    }

    @Override
    public synchronized void onCompleted() {
        isComplete = true;
        schedule();
    }

    @Override
    public void onError(Throwable t) {
        cancel();
    }

    /** Ends the call as soon as what was read is acknowledged. */
    synchronized void stop() {
        if (reason == null) {
            reason = Status.UNAVAILABLE.withDescription("the server is stopping");
        }
        schedule();
    }

    private synchronized void wake() {
        schedule();
    }

    private synchronized void cancel() {
        end();
    }

    private void schedule() {
        if (!isScheduled && !isOver) {
            isScheduled = true;
            workers.execute(this);
        }
    }

    private void end() {
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
        List<PutItem> items = new ArrayList<>(BATCH);
        while (takeNext(items)) {
            try {
                store(items);
                for (PutItem item : items) {
                    call.onNext(AckMessage.newBuilder()
                            .setID(item.ackId)
                            .setStatus(item.status)
                            .build());
                }
                call.request(items.size());
            } catch (IOException | RuntimeException | Error e) {
                fail(Replies.status(e));
            }
        }
    }

    /** Takes what is to be stored next; false when nothing can be done now. */
    private boolean takeNext(List<PutItem> items) {
        List<URLItem> next = new ArrayList<>(BATCH);
        synchronized (this) {
            if (isOver || (waiting.isEmpty() && !isComplete && reason == null) || !call.isReady()) {
                isScheduled = false;
                return false;
            }
            if (waiting.isEmpty()) {
                finish();
                return false;
            }
            long bytes = 0;
            while (next.size() < BATCH && !waiting.isEmpty()) {
                URLItem item = waiting.remove();
                bytes += item.getSerializedSize();
                next.add(item);
            }
            waitingBytes -= bytes;
            memory.release(bytes);
        }
        items.clear();
        next.forEach(item -> items.add(new PutItem(item)));
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
