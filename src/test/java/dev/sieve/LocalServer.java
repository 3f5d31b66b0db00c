package dev.sieve;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** A server that does with each client what a test says, on a thread of its own, until it is closed. */
public final class LocalServer implements AutoCloseable {
    private final ServerSocket socket;
    private final Client client;

    /** What is done to a client, whose connection is closed when this returns or throws. */
    public interface Client {
        void serve(Socket client) throws IOException, InterruptedException;
    }

    /** Starts a server on a free port of loopback. */
    public LocalServer(Client client) {
        this(listen(InetAddress.getLoopbackAddress(), 0), client);
    }

    /** Starts a server on a socket. */
    public LocalServer(ServerSocket socket, Client client) {
        this.socket = socket;
        this.client = client;
        start(this::accept);
    }

    public static ServerSocket listen(InetAddress address, int port) {
        try {
            return new ServerSocket(port, 200, address);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts a thread that does not keep the process. */
    public static void start(Runnable task) {
        Thread thread = new Thread(task, "local-server");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!socket.isClosed()) {
            try {
                Socket next = socket.accept();
                start(() -> serve(next));
            } catch (IOException e) {
                // The test is over.
            }
        }
    }

    private void serve(Socket accepted) {
        try (accepted) {
            // Else a second packet waits until the client has acknowledged the first, for up to 40 ms.
            accepted.setTcpNoDelay(true);
            client.serve(accepted);
        } catch (IOException e) {
            // The client has gone.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public int port() {
        return socket.getLocalPort();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
