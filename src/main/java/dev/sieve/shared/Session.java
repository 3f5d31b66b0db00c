package dev.sieve.shared;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.InvalidAlgorithmParameterException;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertPathBuilderException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
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
import redis.clients.jedis.Protocol;
import redis.clients.jedis.commands.ProtocolCommand;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.IOUtils;

/** A connection to the engine, used by one thread at a time. It is opened again after a failure. */
final class Session {
    private static final Pattern ERROR_CODE = Pattern.compile("^([A-Z]+) ");
    /** The place in a script where an error was: before the message in Redis 6.2, after it in later versions. */
    private static final Pattern SCRIPT = Pattern.compile("ERR Error running script \\(call to f_[0-9a-f]+\\): "
            + "|@?user_script: ?[0-9]+: -?|,? script: [0-9a-f]{40}, on @user_script:[0-9]+\\.?");

    private final EngineAddress address;
    private final int timeoutMillis;
    private final String lane;
    private volatile @Nullable Connection connection;
    private @Nullable Run run;
    private int pending;
    private boolean isLoading;

    /** When it was used last, by the clock of the engine's client. */
    long usedNanos;

    Session(EngineAddress address, Duration timeout, String lane) {
        this.address = address;
        timeoutMillis = (int) timeout.toMillis();
        this.lane = lane;
    }

    /** Returns the run of the engine that this connection was opened in. */
    Run run() {
        return Objects.requireNonNull(run, "not connected");
    }

    void setRun(Run run) {
        this.run = run;
    }

    /** Returns its name, by which the engine remembers the last answer to it; the same after a reconnection. */
    String lane() {
        return lane;
    }

    /** Returns whether it is connected, and was in a run of the engine. */
    boolean isOf(@Nullable Run other) {
        return isConnected() && run == other;
    }

    boolean isConnected() {
        return connection != null;
    }

    /** Returns whether the last connection failed because the engine had just been started. */
    boolean isLoading() {
        return isLoading;
    }

    /** Returns how many responses are outstanding. */
    int pending() {
        return pending;
    }

    /**
     * Opens a new connection, makes the scripts available, and returns what the engine reports about itself.
     *
     * @throws IOException when the engine does not respond, or cannot be used; the message says why
     */
    Map<String, String> connect() throws IOException {
        disconnect();
        isLoading = false;
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
            connection = new Connection(() -> openSocket(config), config);
            send("INFO");
            for (Script script : Script.values()) {
                send("SCRIPT", ascii("LOAD"), script.text());
            }
            Map<String, String> info = Replies.info(receive());
            isLoading = "1".equals(info.get("loading"));
            if (isLoading) {
                throw new IOException("it is loading its data");
            }
            while (pending > 0) {
                receive();
            }
            return info;
        } catch (JedisException e) {
            throw new IOException(reason(e), e);
        } catch (EngineException e) {
            throw new IOException(e.reason, e);
        } catch (EngineAwayException | ClassCastException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private Socket openSocket(JedisClientConfig config) {
        HostAndPort place = new HostAndPort(address.host(), address.port());
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
        SSLSocket encrypted = (SSLSocket) factory.createSocket(socket, address.host(), address.port(), true);
        SSLParameters parameters = encrypted.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        encrypted.setSSLParameters(parameters);
        encrypted.startHandshake();
        return encrypted;
    }

    /** Sends a script; several may be sent before as many responses are received, in the same order. */
    void send(Script script, byte[][] keys, byte[][] args) {
        byte[][] all = new byte[2 + keys.length + args.length][];
        all[0] = script.hash();
        all[1] = ascii(String.valueOf(keys.length));
        System.arraycopy(keys, 0, all, 2, keys.length);
        System.arraycopy(args, 0, all, 2 + keys.length, args.length);
        send(Protocol.Command.EVALSHA, all);
    }

    /** Sends a command. */
    void send(String command, byte[]... args) {
        byte[] name = ascii(command);
        send(() -> name, args);
    }

    private void send(ProtocolCommand command, byte[]... args) {
        try {
            open().sendCommand(command, args);
            pending++;
        } catch (JedisException e) {
            throw away(e);
        }
    }

    private Connection open() {
        Connection open = connection;
        if (open == null) {
            throw new EngineAwayException("the connection was closed", false, null);
        }
        return open;
    }

    /**
     * Receives the response to the first command that has none: a Long, a byte[], a List of them, or null.
     *
     * @throws EngineFullException when the engine has no memory for the command
     * @throws EngineException when the engine refuses it for another reason that stays
     */
    Object receive() {
        try {
            Object response = open().getOne();
            pending--;
            return response;
        } catch (JedisConnectionException e) {
            throw away(e);
        } catch (JedisDataException e) {
            pending--;
            throw refusal(e);
        }
    }

    private RuntimeException refusal(JedisDataException e) {
        String message = SCRIPT.matcher(e.getMessage()).replaceAll("");
        Matcher code = ERROR_CODE.matcher(message);
        return switch (code.find() ? code.group(1) : "") {
            case "OOM" -> new EngineFullException(address);
            case "NOSCRIPT",
                    "READONLY",
                    "LOADING",
                    "MASTERDOWN",
                    "CLUSTERDOWN",
                    "TRYAGAIN",
                    "MISCONF",
                    "NOREPLICAS",
                    "BUSY" -> new EngineAwayException(message, false, e);
            case "MOVED", "ASK", "CROSSSLOT" ->
                new EngineException(address, "it is a node of a cluster, which is not supported: " + message);
            case "WRONGTYPE" ->
                new EngineException(
                        address, message + " ('sieve state' names the key, and 'sieve repair' puts it aside)");
            default -> new EngineException(address, message);
        };
    }

    private static EngineAwayException away(JedisException e) {
        return new EngineAwayException(reason(e), e.getCause() instanceof SocketTimeoutException, e);
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

    /** Closes the connection, also from another thread; the next use opens another one. */
    void disconnect() {
        Connection old = connection;
        connection = null;
        pending = 0;
        if (old != null) {
            try {
                old.forceDisconnect();
            } catch (IOException e) {
                // It is closed as far as this process is concerned.
            }
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
