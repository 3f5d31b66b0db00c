package dev.sieve.shared;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The address of a crawl on an engine: {@code valkey://[user[:password]@]host[:port],...[/database]/NAME}. Its text
 * never contains the password.
 *
 * @param scheme valkey or redis, which mean the same; with TLS valkeys or rediss
 * @param user the user; null for the default user of the engine
 * @param password the password, or null
 * @param servers the server; of a cluster one or more of its nodes, which know the others
 * @param database the number of the database in the engine
 * @param name the name of the crawl
 */
public record EngineAddress(
        String scheme,
        @Nullable String user,
        @Nullable String password,
        List<Server> servers,
        int database,
        String name) {
    private static final String SYNTAX = "valkey://[user[:password]@]host[:port],...[/database]/NAME";
    private static final int DEFAULT_PORT = 6379;
    private static final int MAX_LENGTH = 2048;
    private static final Pattern SCHEME = Pattern.compile("(valkey|redis)s?");
    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._-]{1,253}|(?=.*:)[0-9A-Fa-f:.]{2,45}");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");
    private static final Pattern ADDRESS = Pattern.compile("(?<scheme>[a-z]+)://"
            + "((?<user>[^:@/]*)(:(?<password>[^@/]*))?@)?"
            + "(?<servers>[^@/]+)"
            + "(/(?<database>[0-9]{1,9}))?/(?<name>[^/]+)");

    private static final Pattern SERVER =
            Pattern.compile("(\\[(?<six>[^\\[\\]]*:[^\\[\\]]*)]|(?<host>[^:\\[\\]]+))(:(?<port>[0-9]{1,5}))?");

    /**
     * A server.
     *
     * @param host its name or IP address; an IPv6 address has no brackets
     * @param port the TCP port
     */
    public record Server(String host, int port) {
        /** Checks both parts. */
        public Server {
            require(HOST.matcher(host).matches(), "the host must be a name or an IP address");
            require(port >= 1 && port <= 65_535, "the port must be 1 to 65535");
        }

        private static Server parse(String text) {
            Matcher matcher = SERVER.matcher(text);
            require(matcher.matches(), "expected " + SYNTAX);
            String six = matcher.group("six");
            return new Server(six != null ? six : matcher.group("host"), number(matcher.group("port"), DEFAULT_PORT));
        }

        /** Returns {@code host:port}. */
        @Override
        public String toString() {
            return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
        }
    }

    /** Checks each part. */
    public EngineAddress {
        require(SCHEME.matcher(scheme).matches(), "the scheme must be valkey, redis, valkeys or rediss");
        servers = List.copyOf(servers);
        require(!servers.isEmpty(), "a server is required");
        require(database >= 0, "the database must be 0 or more");
        require(NAME.matcher(name).matches(), "the name of the crawl must be 1 to 64 of A-Z a-z 0-9 . _ -");
        user = user == null || user.isEmpty() ? null : user;
        password = password == null || password.isEmpty() ? null : password;
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }

    /**
     * Parses an address. In the user and the password, the characters {@code : / @ %} and those that are not ASCII are
     * written as {@code %XX}.
     *
     * @throws IllegalArgumentException when the text is not an address; its message does not contain the password
     */
    public static EngineAddress parse(String text) {
        try {
            require(text.length() <= MAX_LENGTH, "the address is longer than " + MAX_LENGTH + " characters");
            Matcher matcher = ADDRESS.matcher(text);
            require(matcher.matches(), "expected " + SYNTAX);
            String name = matcher.group("name");
            // redis://host/0 is how other programs write a database, and a crawl must not get that name by mistake.
            require(
                    matcher.group("database") != null || !name.matches("[0-9]+"),
                    "expected the name of a crawl after the database");
            return new EngineAddress(
                    matcher.group("scheme"),
                    decode(matcher.group("user")),
                    decode(matcher.group("password")),
                    Arrays.stream(matcher.group("servers").split(",", -1))
                            .map(Server::parse)
                            .toList(),
                    number(matcher.group("database"), 0),
                    name);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("'" + withoutSecrets(text) + "': " + e.getMessage());
        }
    }

    private static int number(String text, int otherwise) {
        return text == null ? otherwise : Integer.parseInt(text);
    }

    private static @Nullable String decode(@Nullable String text) {
        try {
            return text == null ? null : URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            // The message of the cause contains a part of the text, which may be the password.
            throw new IllegalArgumentException("a % in the user or the password must be followed by two digits");
        }
    }

    /** Everything up to the last @ may be part of a password, and so may anything if the text is not an address. */
    private static String withoutSecrets(String text) {
        String shown = text.substring(text.lastIndexOf('@') + 1);
        if (shown.length() < text.length()) {
            shown = "...@" + shown;
        }
        shown = shown.length() > 200 ? shown.substring(0, 200) + "..." : shown;
        return shown.replaceAll("[^\\x20-\\x7e]", "?");
    }

    /** Returns the address with another password; null or an empty text removes it. */
    public EngineAddress withPassword(@Nullable String other) {
        return new EngineAddress(scheme, user, other, servers, database, name);
    }

    public boolean tls() {
        return scheme.equals("valkeys") || scheme.equals("rediss");
    }

    /** Returns the address of the engine alone, as messages contain it: {@code valkey://host:port,...}. */
    public String server() {
        return scheme + "://" + servers.stream().map(Server::toString).collect(Collectors.joining(","));
    }

    /** Returns the address without user and password. */
    @Override
    public String toString() {
        return server() + (database == 0 ? "" : "/" + database) + "/" + name;
    }
}
