package dev.sieve.fetch;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import javax.net.SocketFactory;

/** Makes sockets that look at the very address they are about to dial, and do not dial one that may not be asked. */
final class GuardedSockets extends SocketFactory {
    private final AddressPolicy policy;

    GuardedSockets(AddressPolicy policy) {
        this.policy = policy;
    }

    private static final class GuardedSocket extends Socket {
        private final AddressPolicy policy;

        GuardedSocket(AddressPolicy policy) {
            this.policy = policy;
        }

        @Override
        public void connect(SocketAddress endpoint, int timeoutMillis) throws IOException {
            InetAddress address = endpoint instanceof InetSocketAddress at ? at.getAddress() : null;
            String objection = address == null ? "not an address: " + endpoint : policy.objection(address);
            if (objection != null) {
                throw new AddressRefusedException(objection);
            }
            super.connect(endpoint, timeoutMillis);
        }
    }

    @Override
    public Socket createSocket() {
        return new GuardedSocket(policy);
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return createSocket(InetAddress.getByName(host), port);
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        return createSocket(InetAddress.getByName(host), port, localHost, localPort);
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return createSocket(host, port, null, 0);
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) throws IOException {
        Socket socket = createSocket();
        socket.bind(new InetSocketAddress(localHost, localPort));
        socket.connect(new InetSocketAddress(host, port));
        return socket;
    }
}
