package dev.sieve.shared;

import dev.sieve.LocalServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Forwards connections to an engine, and loses responses or refuses connections on request. */
public final class LossyWire implements AutoCloseable {
    private final LocalServer server = new LocalServer(this::serve);
    private final int target;
    private final AtomicInteger toLose = new AtomicInteger();
    private final Queue<Socket> clients = new ConcurrentLinkedQueue<>();
    private volatile boolean isCut;
    private volatile boolean cutsWhenLost;
    /** The responses before the one that is lost, which are passed on together. */
    private volatile CountDownLatch before = new CountDownLatch(0);

    public LossyWire(TestEngine engine) {
        target = engine.port();
    }

    public EngineAddress address(String name) {
        return EngineAddress.parse("redis://127.0.0.1:" + server.port() + "/" + name);
    }

    /** The next response is read and thrown away, and its connection is closed. */
    void loseNextResponse() {
        toLose.set(1);
    }

    /**
     * After a number of responses, the next one is lost, and all connections are cut. Those before it are passed on together, so
     * that a request which waits for one of them is not answered before the others.
     */
    void cutAfter(int responses) {
        before = new CountDownLatch(responses);
        toLose.set(responses + 1);
        cutsWhenLost = true;
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

    private void serve(Socket client) throws IOException {
        clients.add(client);
        if (isCut) {
            return;
        }
        Socket engine = new Socket(InetAddress.getLoopbackAddress(), target);
        engine.setTcpNoDelay(true);
        client.setTcpNoDelay(true);
        LocalServer.start(() -> forward(client, engine, false));
        forward(engine, client, true);
    }

    private void forward(Socket from, Socket to, boolean responses) {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[100_000];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                int left = responses ? toLose.getAndUpdate(count -> Math.max(0, count - 1)) : 0;
                if (left == 1) {
                    if (cutsWhenLost) {
                        cut();
                    }
                    return;
                }
                if (left > 1) {
                    before.countDown();
                    before.await();
                }
                out.write(buffer, 0, n);
            }
        } catch (IOException e) {
            // One side was closed.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
