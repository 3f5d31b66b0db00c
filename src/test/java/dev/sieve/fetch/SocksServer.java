package dev.sieve.fetch;

import dev.sieve.LocalServer;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A SOCKS 5 proxy (RFC 1928) on loopback without authentication that connects to one port of it, whatever it is told. */
public final class SocksServer implements AutoCloseable {
    private static final int IPV4 = 1;
    private static final int NAME = 3;

    private final LocalServer server = new LocalServer(this::serve);
    private final int targetPort;
    private final Queue<String> targets = new ConcurrentLinkedQueue<>();

    public SocksServer(int targetPort) {
        this.targetPort = targetPort;
    }

    private void serve(Socket client) throws IOException {
        try (Socket target = new Socket(InetAddress.getLoopbackAddress(), targetPort)) {
            DataInputStream in = new DataInputStream(client.getInputStream());
            OutputStream out = client.getOutputStream();
            in.readByte();
            in.readNBytes(in.readUnsignedByte());
            out.write(new byte[] {5, 0});
            in.readNBytes(3);
            String host = host(in);
            targets.add(host + ":" + in.readUnsignedShort());
            out.write(new byte[] {5, 0, 0, IPV4, 0, 0, 0, 0, 0, 0});
            LocalServer.start(() -> copy(client, target));
            copy(target, client);
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

    public int port() {
        return server.port();
    }

    /** The hosts and ports to which connections were requested, as they were named. */
    public List<String> targets() {
        return List.copyOf(targets);
    }

    @Override
    public void close() {
        server.close();
    }
}
