package dev.sieve.fetch;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A SOCKS 5 proxy (RFC 1928) on loopback without authentication that connects to one port of it, whatever it is told. */
final class SocksServer implements AutoCloseable {
    private static final int IPV4 = 1;
    private static final int NAME = 3;

    private final ServerSocket socket;
    private final int targetPort;
    private final Queue<String> targets = new ConcurrentLinkedQueue<>();

    SocksServer(int targetPort) {
        this.targetPort = targetPort;
        try {
            socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(this::accept);
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "socks-server");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!socket.isClosed()) {
            try {
                Socket client = socket.accept();
                start(() -> serve(client));
            } catch (IOException e) {
                // The test is over.
            }
        }
    }

    private void serve(Socket client) {
        try (client;
                Socket target = new Socket(InetAddress.getLoopbackAddress(), targetPort)) {
            DataInputStream in = new DataInputStream(client.getInputStream());
            OutputStream out = client.getOutputStream();
            in.readByte();
            in.readNBytes(in.readUnsignedByte());
            out.write(new byte[] {5, 0});
            in.readNBytes(3);
            String host = host(in);
            targets.add(host + ":" + in.readUnsignedShort());
            out.write(new byte[] {5, 0, 0, IPV4, 0, 0, 0, 0, 0, 0});
            start(() -> copy(client, target));
            copy(target, client);
        } catch (IOException e) {
            // The client has gone.
        }
    }

    private static String host(DataInputStream in) throws IOException {
        int type = in.readByte();
        byte[] host = in.readNBytes(type == NAME ? in.readUnsignedByte() : type == IPV4 ? 4 : 16);
        return type == NAME
                ? new String(host, StandardCharsets.US_ASCII)
                : InetAddress.getByAddress(host).getHostAddress();
    }

    private static void copy(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
            to.shutdownOutput();
        } catch (IOException e) {
            // One of them has gone.
        }
    }

    int port() {
        return socket.getLocalPort();
    }

    /** The hosts and ports to which connections were requested, as they were named. */
    List<String> targets() {
        return List.copyOf(targets);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
