package dev.sieve.report;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * The clients that receive server-sent events.
 *
 * <p>Sending never waits for a client. A client that is still being sent an event when others follow receives only the last
 * of them, and it is dropped if that takes too long. So clients take at most one thread each, and they share the memory of
 * the events. Safe for use by many threads.
 */
final class EventStream {
    /** Follows the last event. */
    private static final byte[] END = {};

    private final int maxClients;
    private final int patience;
    private final ExecutorService writers;
    private final Set<Client> clients = new LinkedHashSet<>();
    private boolean hasEnded;

    /**
     * Creates a stream without clients.
     *
     * @param patience the number of events during the writing of another one after which a client is dropped
     * @param writers provides a thread for each client; closed with the stream
     */
    EventStream(int maxClients, int patience, ExecutorService writers) {
        this.maxClients = maxClients;
        this.patience = patience;
        this.writers = writers;
    }

    /** Adds a client, to which only the head of a response was sent; returns false when there are too many. */
    synchronized boolean add(HttpExchange exchange, byte[] first) {
        if (!hasRoom()) {
            return false;
        }
        Client client = new Client(exchange);
        clients.add(client);
        client.send(first);
        return true;
    }

    synchronized boolean hasRoom() {
        return !hasEnded && clients.size() < maxClients;
    }

    synchronized boolean isEmpty() {
        return clients.isEmpty();
    }

    private synchronized List<Client> clients() {
        return List.copyOf(clients);
    }

    private synchronized void remove(Client client) {
        clients.remove(client);
    }

    /** Sends an event to all clients. */
    void send(byte[] event) {
        clients().forEach(each -> each.send(event));
    }

    /** Sends the last event, waits until the clients have received it, but no longer than a time, and drops the others. */
    void end(byte[] event, Duration time) {
        synchronized (this) {
            hasEnded = true;
        }
        clients().forEach(each -> each.end(event));
        writers.shutdown();
        try {
            writers.awaitTermination(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        writers.shutdownNow();
    }

    /** A client; at most one thread writes to it. */
    private final class Client {
        private final HttpExchange exchange;
        private byte[] next;
        /** Null while nothing is being written. */
        private Future<?> writer;

        private int missed;
        private boolean isOver;

        Client(HttpExchange exchange) {
            this.exchange = exchange;
        }

        synchronized void send(byte[] event) {
            if (isOver) {
                return;
            }
            next = event;
            if (writer == null) {
                writer = writers.submit(this::write);
            } else if (++missed == patience) {
                drop();
            }
        }

        synchronized void end(byte[] event) {
            send(event);
            isOver = true;
        }

        /** An interrupt closes the connection, which ends the writer. */
        private void drop() {
            isOver = true;
            next = null;
            remove(this);
            writer.cancel(true);
        }

        private void write() {
            try {
                for (byte[] event = next(); event != END; event = next()) {
                    if (event == null) {
                        return;
                    }
                    exchange.getResponseBody().write(event);
                    exchange.getResponseBody().flush();
                }
            } catch (IOException e) {
                // The client has gone, or was dropped.
            }
            remove(this);
            exchange.close();
        }

        /** Returns the next event; null when there is none yet, which frees the thread. */
        private synchronized byte[] next() {
            byte[] event = next == null && isOver ? END : next;
            next = null;
            missed = 0;
            writer = event == null ? null : writer;
            return event;
        }
    }
}
