package dev.sieve.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Relays the connections to the nodes of a {@link TestCluster}, and cuts those of chosen nodes or of the clients. Node i listens
 * on 127.0.0.(i + 2), and its outgoing connections have that source address, which tells them from those of clients. It
 * announces 127.0.0.1, where this class listens at the same port and at the port of its bus.
 */
final class ClusterRelays implements AutoCloseable {
    /** The offset of the port of the bus. */
    private static final int BUS = 10_000;

    private final Map<Integer, List<ServerSocket>> listeners = new ConcurrentHashMap<>();
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "test-cluster");
        thread.setDaemon(true);
        return thread;
    });

    // The state below is that of this object's monitor.
    private final Map<Socket, Way> relays = new HashMap<>();
    private Set<Integer> side = Set.of();
    private final Set<Integer> withoutClients = new HashSet<>();

    /** From which node, or -1 for a client, to which node a connection goes. */
    private record Way(int from, int to) {}

    /** The address of a node. */
    static String host(int i) {
        return "127.0.0." + (i + 2);
    }

    synchronized void partition(Set<Integer> nodes) {
        side = Set.copyOf(nodes);
        cut();
    }

    synchronized void cutClients(int i) {
        withoutClients.add(i);
        cut();
    }

    synchronized void heal() {
        side = Set.of();
        withoutClients.clear();
    }

    private synchronized void cut() {
        relays.forEach((socket, way) -> {
            if (!isOpen(way)) {
                close(socket);
            }
        });
    }

    private synchronized boolean isOpen(Way way) {
        return way.from < 0 ? !withoutClients.contains(way.to) : side.contains(way.from) == side.contains(way.to);
    }

    /** Listens for a node at its port and its bus; returns false when one of these is not free. */
    boolean listen(int i, int port) {
        List<ServerSocket> both = new ArrayList<>();
        try {
            for (int each : new int[] {port, port + BUS}) {
                both.add(new ServerSocket(each, 500, InetAddress.getLoopbackAddress()));
            }
        } catch (IOException e) {
            both.forEach(ClusterRelays::close);
            return false;
        }
        listeners.put(i, both);
        both.forEach(listener -> threads.execute(() -> accept(listener, i)));
        return true;
    }

    private void accept(ServerSocket listener, int to) {
        while (true) {
            try {
                Socket near = listener.accept();
                threads.execute(() -> relay(near, to, listener.getLocalPort()));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void relay(Socket near, int to, int port) {
        Socket far = new Socket();
        try (near;
                far) {
            Way way = new Way(near.getInetAddress().getAddress()[3] - 2, to);
            synchronized (this) {
                if (!isOpen(way)) {
                    return;
                }
                relays.put(near, way);
                relays.put(far, way);
            }
            near.setTcpNoDelay(true);
            far.setTcpNoDelay(true);
            far.connect(new InetSocketAddress(host(to), port));
            threads.execute(() -> pump(far, near));
            pump(near, far);
        } catch (IOException e) {
            // The node does not run.
        } finally {
            synchronized (this) {
                relays.keySet().removeAll(List.of(near, far));
            }
        }
    }

    private static void pump(Socket from, Socket to) {
        try (from;
                to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // It was cut, or one of both has ended.
        }
    }

    private static void close(Closeable socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Refuses connections to a node, until it listens again. */
    void stop(int i) {
        listeners.get(i).forEach(ClusterRelays::close);
    }

    @Override
    public void close() {
        listeners.keySet().forEach(this::stop);
        synchronized (this) {
            relays.keySet().forEach(ClusterRelays::close);
        }
        threads.shutdownNow();
        try {
            assertThat(threads.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
