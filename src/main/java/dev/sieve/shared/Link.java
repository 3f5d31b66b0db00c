package dev.sieve.shared;

import static dev.sieve.shared.CrawlKeys.utf8;

import dev.sieve.shared.EngineAddress.Server;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.InvalidAlgorithmParameterException;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertPathBuilderException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.ClientSetInfoConfig;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.DefaultJedisSocketFactory;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.JedisSocketFactory;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.commands.ProtocolCommand;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.IOUtils;

/** A connection to one node of the engine, used by one thread at a time. A simulation replaces all that it does. */
class Link {
    /** The setting that says when the log is synchronized. */
    static final String APPENDFSYNC = "appendfsync";

    private static final Pattern ERROR_CODE = Pattern.compile("^([A-Z]+) ");
    /** The place in a script where an error was: before the message in Redis 6.2, after it in later versions. */
    private static final Pattern SCRIPT = Pattern.compile("ERR Error running script \\(call to f_[0-9a-f]+\\): "
            + "|@?user_script: ?[0-9]+: -?|,? script: [0-9a-f]{40}, on @user_script:[0-9]+\\.?");

    /** What happens to a connection without TLS to a port that requires it. */
    private static final Pattern MAY_NEED_TLS = Pattern.compile(
            "Connection reset.*|Unexpected end of stream.*|Broken pipe.*|it does not use the protocol of Redis");

    private final EngineAddress address;
    private final Server server;
    private final int timeoutMillis;
    private volatile @Nullable Wire wire;

    /** The connection of the library, which sends what is collected only when it receives. */
    private static final class Wire extends Connection {
        Wire(JedisSocketFactory sockets, JedisClientConfig config) {
            super(sockets, config);
        }

        @Override
        protected void flush() {
            super.flush();
        }
    }

    Link(EngineAddress address, Server server, Duration timeout) {
        this.address = address;
        this.server = server;
        timeoutMillis = (int) timeout.toMillis();
    }

    Server server() {
        return server;
    }

    /** Returns the address of the node, as messages contain it. */
    private String name() {
        return address.scheme() + "://" + server;
    }

    /**
     * Opens the connection, makes the scripts available, and returns what the node reports about itself: the fields of
     * INFO, and {@link #APPENDFSYNC}.
     *
     * @throws PassingException when it has just been started
     * @throws IOException when it does not respond, or cannot be used; the message says why
     */
    Map<String, String> connect() throws IOException {
        JedisClientConfig config = DefaultJedisClientConfig.builder()
                .serverDefaultProtocol()
                .connectionTimeoutMillis(timeoutMillis)
                .socketTimeoutMillis(timeoutMillis)
                .user(address.user())
                .password(address.password())
                .database(address.database())
                .clientSetInfoConfig(ClientSetInfoConfig.DISABLED)
                .build();
        try {
            wire = new Wire(() -> openSocket(config), config);
            send("INFO");
            for (Script script : Script.values()) {
                send("SCRIPT", utf8("LOAD"), script.text());
            }
            sendSetting(APPENDFSYNC);
            Map<String, String> info = Replies.info(receive());
            if ("1".equals(info.get("loading"))) {
                throw new PassingException("it is loading its data", null);
            }
            for (int i = 0; i < Script.values().length; i++) {
                receive();
            }
            info.put(APPENDFSYNC, receiveSetting());
            return info;
        } catch (JedisException e) {
            throw unusable(reason(e), e);
        } catch (EngineException e) {
            throw new IOException(e.reason, e);
        } catch (EngineException.Away | ClassCastException e) {
            throw unusable(e.getMessage(), e);
        }
    }

    private IOException unusable(@Nullable String reason, RuntimeException cause) {
        boolean mayNeedTls =
                !address.tls() && MAY_NEED_TLS.matcher(String.valueOf(reason)).matches();
        return new IOException(
                reason + (mayNeedTls ? "; if the port requires TLS, use valkeys:// in the address" : ""), cause);
    }

    /** Returns a setting of the node; an empty text when the user may not read it. */
    String setting(String name) {
        sendSetting(name);
        return receiveSetting();
    }

    private void sendSetting(String name) {
        send("CONFIG", utf8("GET"), utf8(name));
    }

    private String receiveSetting() {
        try {
            List<?> pair = Replies.list(receive());
            return pair.size() == 2 ? Replies.text(pair.get(1)) : "";
        } catch (EngineException e) {
            return "";
        }
    }

    /** Thrown when an engine responds that cannot be used for a while: it loads its data, or a replica takes a node's place. */
    static final class PassingException extends IOException {
        PassingException(@Nullable String reason, @Nullable Throwable cause) {
            super(reason, cause);
        }
    }

    private Socket openSocket(JedisClientConfig config) {
        HostAndPort place = new HostAndPort(server.host(), server.port());
        Socket socket = new DefaultJedisSocketFactory(place, config).createSocket();
        try {
            // The library ends connections with a reset.
            socket.setSoLinger(false, 0);
            return address.tls() ? encrypted(socket) : socket;
        } catch (IOException | NoSuchAlgorithmException e) {
            IOUtils.closeQuietly(socket);
            String reason = e instanceof SocketTimeoutException ? "no response to the handshake" : e.getMessage();
            throw new JedisConnectionException(e instanceof SSLException ? e : new SSLException(reason, e));
        }
    }

    private Socket encrypted(Socket socket) throws IOException, NoSuchAlgorithmException {
        SSLSocketFactory factory = SSLContext.getDefault().getSocketFactory();
        SSLSocket encrypted = (SSLSocket) factory.createSocket(socket, server.host(), server.port(), true);
        SSLParameters parameters = encrypted.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        encrypted.setSSLParameters(parameters);
        encrypted.startHandshake();
        return encrypted;
    }

    /** Sends a script with the next {@link #flush} or {@link #receive}. */
    void send(Script script, byte[][] keys, byte[][] args) {
        byte[][] all = new byte[2 + keys.length + args.length][];
        all[0] = script.hash();
        all[1] = utf8(keys.length);
        System.arraycopy(keys, 0, all, 2, keys.length);
        System.arraycopy(args, 0, all, 2 + keys.length, args.length);
        send(Protocol.Command.EVALSHA, all);
    }

    void send(String command, byte[]... args) {
        byte[] name = utf8(command);
        send(() -> name, args);
    }

    private void send(ProtocolCommand command, byte[]... args) {
        try {
            open().sendCommand(command, args);
        } catch (JedisException e) {
            throw away(e);
        }
    }

    void flush() {
        try {
            open().flush();
        } catch (JedisException e) {
            throw away(e);
        }
    }

    private Wire open() {
        Wire open = wire;
        if (open == null) {
            throw new EngineException.Away("the connection was closed", false, null);
        }
        return open;
    }

    /**
     * Receives the response to the first command that has none: a Long, a byte[], a List of them, or null. An {@link
     * EngineException} says that the engine refuses it, {@link EngineException.Full} that it has no memory for it.
     */
    Object receive() {
        try {
            return open().getOne();
        } catch (JedisConnectionException e) {
            throw away(e);
        } catch (JedisDataException e) {
            throw refusal(e);
        }
    }

    private RuntimeException refusal(JedisDataException e) {
        String message = SCRIPT.matcher(e.getMessage()).replaceAll("");
        Matcher code = ERROR_CODE.matcher(message);
        return switch (code.find() ? code.group(1) : "") {
            case "OOM" -> new EngineException.Full(name());
            case "NOSCRIPT",
                    "READONLY",
                    "LOADING",
                    "MASTERDOWN",
                    "CLUSTERDOWN",
                    "MISCONF",
                    "NOREPLICAS",
                    "UNBLOCKED",
                    "BUSY" -> new EngineException.Away(message, false, e);
            case "MOVED" -> new EngineException.Away("a slot is on another node now", false, true, e);
            case "ASK", "TRYAGAIN" -> new EngineException.Away("a slot is being moved from " + server, false, true, e);
            case "WRONGTYPE" -> refused(message + " ('sieve state' names the key, and 'sieve repair' puts it aside)");
            default -> refused(message);
        };
    }

    private EngineException refused(String reason) {
        return new EngineException("the engine " + name() + " refuses a command: " + reason, reason);
    }

    private static EngineException.Away away(JedisException e) {
        return new EngineException.Away(reason(e), e.getCause() instanceof SocketTimeoutException, e);
    }

    private static String reason(JedisException e) {
        // The failures of the addresses of a host are suppressed ones.
        Throwable first = e.getSuppressed().length > 0 ? e.getSuppressed()[0] : e;
        Throwable cause = e.getCause() == null ? first : e.getCause();
        if (cause instanceof SocketTimeoutException) {
            return "no response in time";
        }
        if (cause instanceof UnknownHostException) {
            return "unknown host";
        }
        if (cause instanceof SSLException) {
            return "TLS failed: " + tlsReason(cause);
        }
        String message = String.valueOf(cause.getMessage());
        return message.startsWith("Unknown reply") ? "it does not use the protocol of Redis" : message;
    }

    private static @Nullable String tlsReason(Throwable cause) {
        String store = "-Djavax.net.ssl.trustStore=FILE -Djavax.net.ssl.trustStorePassword=PASSWORD";
        if (hasCause(cause, CertPathBuilderException.class)) {
            return "its certificate is not trusted; it must be in the trust store of Java (" + store + ")";
        }
        if (hasCause(cause, InvalidAlgorithmParameterException.class)) {
            return "the trust store of Java is empty, or cannot be read without its password (" + store + ")";
        }
        return cause.getMessage();
    }

    private static boolean hasCause(@Nullable Throwable e, Class<?> type) {
        return e != null && (type.isInstance(e) || hasCause(e.getCause(), type));
    }

    /** Closes the connection, also from another thread. */
    void disconnect() {
        Wire old = wire;
        wire = null;
        if (old != null) {
            try {
                old.forceDisconnect();
            } catch (IOException e) {
                // It is closed as far as this process is concerned.
            }
        }
    }
}
