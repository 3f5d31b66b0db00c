package dev.sieve.shared;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Forwards connections to an engine, and loses responses or refuses connections on request. */
public final class LossyWire implements AutoCloseable {
    private final ServerSocket listener;
    private final int target;
    private final AtomicInteger toLose = new AtomicInteger();
    private final Queue<Socket> clients = new ConcurrentLinkedQueue<>();
    private volatile boolean isCut;

    public LossyWire(TestEngine engine) throws IOException {
        listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        target = engine.port();
        start(this::accept);
    }

    public EngineAddress address(String name) {
        return EngineAddress.parse("redis://127.0.0.1:" + listener.getLocalPort() + "/" + name);
    }

    /** The next response is read and thrown away, and its connection is closed. */
    void loseNextResponse() {
        toLose.set(1);
    }

    boolean hasLost() {
        return toLose.get() == 0;
    }

    /** Ends all connections, and each new one at once, until {@link #restore}. */
    public void cut() throws IOException {
        isCut = true;
        for (Socket client = clients.poll(); client != null; client = clients.poll()) {
            client.close();
        }
    }

    public void restore() {
        isCut = false;
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                clients.add(client);
                if (isCut) {
                    client.close();
                    continue;
                }
                Socket engine = new Socket(InetAddress.getLoopbackAddress(), target);
                engine.setTcpNoDelay(true);
                client.setTcpNoDelay(true);
                start(() -> forward(client, engine, false));
                start(() -> forward(engine, client, true));
            }
        } catch (IOException e) {
            // The listener was closed.
        }
    }

    private void forward(Socket from, Socket to, boolean responses) {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[100_000];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                if (responses && toLose.compareAndSet(1, 0)) {
                    return;
                }
                out.write(buffer, 0, n);
            }
        } catch (IOException e) {
            // One side was closed.
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
