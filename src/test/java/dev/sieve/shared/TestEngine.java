package dev.sieve.shared;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.Await;
import dev.sieve.TestFolders;
import dev.sieve.Tier;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.embedded.core.ExecutableProvider;

/** A real engine on a free port of this machine, with a folder of its own. */
public final class TestEngine implements TestNodes {
    private static File embedded;

    private final File program;
    private final List<String> settings;
    private final Path folder;
    private final String host;
    private final int port;
    private Process process;

    private TestEngine(File program, String host, int port, List<String> settings) throws IOException {
        this.program = program;
        this.host = host;
        this.port = port;
        this.settings = settings;
        folder = TestFolders.create("sieve-engine-");
        try {
            restart();
        } catch (Throwable e) {
            close();
            throw e;
        }
    }

    /**
     * Starts the engine of the system property {@code sieve.engine}, else Redis 6.2.
     *
     * @param settings of its command line, such as {@code "--maxmemory", "20mb"}
     */
    public static TestEngine start(String... settings) {
        return start(program(), settings);
    }

    public static TestEngine start(File program, String... settings) {
        return start(program, "127.0.0.1", freePort(), List.of(settings));
    }

    static TestEngine start(File program, String host, int port, List<String> settings) {
        try {
            return new TestEngine(program, host, port, settings);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The engines of this machine: Redis 6.2, and those on the path; or the one of the system property alone. */
    public static List<File> all() {
        if (System.getProperty("sieve.engine") != null) {
            return List.of(program());
        }
        List<File> all = new ArrayList<>(List.of(program()));
        onPath("redis-server").ifPresent(all::add);
        onPath("valkey-server").ifPresent(all::add);
        return all;
    }

    /** All of them in a long proof, else one. */
    static List<File> ofTier() {
        return Tier.IS_PROOF ? all() : List.of(program());
    }

    private static Optional<File> onPath(String name) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .map(folder -> new File(folder, name))
                .filter(File::canExecute)
                .findFirst();
    }

    static synchronized File program() {
        String given = System.getProperty("sieve.engine");
        if (given != null) {
            return new File(given);
        }
        try {
            if (embedded == null) {
                embedded = ExecutableProvider.newJarResourceProvider().get();
                // Deleted in the reverse order.
                embedded.getParentFile().deleteOnExit();
                embedded.deleteOnExit();
            }
            return embedded;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public int port() {
        return port;
    }

    public Path folder() {
        return folder;
    }

    @Override
    public EngineAddress address(String name) {
        return EngineAddress.parse("redis://127.0.0.1:" + port + "/" + name);
    }

    @Override
    public TestEngine nodeOf(String key) {
        return this;
    }

    @Override
    public String slice(String crawl, int index) {
        return "{" + crawl + "}" + index;
    }

    /** Starts it again after {@link #kill} or {@link #stop}, with what its log still holds. */
    public void restart() {
        launch();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        Await.until(() -> {
            if (!process.isAlive() || System.nanoTime() > deadline) {
                throw new AssertionError("the engine did not start:\n" + output());
            }
            return responds();
        });
    }

    /** As {@link #restart}, but returns while it starts. */
    public void launch(String... more) {
        List<String> command = new ArrayList<>(List.of(program.getPath()));
        command.addAll(List.of("--bind", host, "--port", String.valueOf(port), "--dir", folder.toString()));
        command.addAll(List.of("--save", "", "--appendonly", "yes", "--appendfsync", "everysec"));
        command.addAll(List.of("--maxmemory-policy", "noeviction", "--daemonize", "no"));
        command.addAll(settings);
        command.addAll(List.of(more));
        try {
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("output").toFile())
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean responds() {
        // A bare socket: one that the library opens waits longer when the port is closed.
        try (Socket socket = new Socket(host, port)) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            String line = new String(in.readNBytes(5), StandardCharsets.US_ASCII);
            return !line.equals("-LOAD");
        } catch (IOException e) {
            return false;
        }
    }

    private String output() {
        try {
            return Files.readString(folder.resolve("output"));
        } catch (IOException e) {
            return "";
        }
    }

    /** Ends it as {@code kill -9} does. */
    public void kill() {
        List<ProcessHandle> rewrites = process.descendants().toList();
        process.destroyForcibly();
        rewrites.forEach(ProcessHandle::destroyForcibly);
        process.onExit().join();
    }

    /** Ends it in order, with all of its log on the disk. */
    public void stop() {
        process.destroy();
        process.onExit().join();
    }

    /** Stops its process, so that it accepts connections and does not respond, until {@link #resume}. */
    public void suspend() {
        signal("-STOP");
    }

    public void resume() {
        signal("-CONT");
    }

    private void signal(String signal) {
        try {
            int exit = new ProcessBuilder("kill", signal, String.valueOf(process.pid()))
                    .inheritIO()
                    .start()
                    .waitFor();
            assertThat(exit).isZero();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** The file with the last commands, to which it appends. */
    public Path log() {
        Path old = folder.resolve("appendonly.aof");
        if (Files.isRegularFile(old)) {
            return old;
        }
        try (Stream<Path> files = Files.list(folder.resolve("appendonlydir"))) {
            return files.filter(file -> file.toString().endsWith(".incr.aof"))
                    .max(Comparator.comparingInt(TestEngine::number))
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int number(Path incremental) {
        String[] parts = incremental.getFileName().toString().split("\\.", -1);
        return Integer.parseInt(parts[parts.length - 3]);
    }

    /** Returns how long {@link #log} is. */
    public long logLength() {
        return log().toFile().length();
    }

    /** Cuts {@link #log} to a length; only while it is not running. */
    public void cutLog(long length) {
        assertThat(process.isAlive()).isFalse();
        try (RandomAccessFile file = new RandomAccessFile(log().toFile(), "rw")) {
            file.setLength(length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Removes all that it stored; only while it is not running. */
    public void empty() {
        assertThat(process.isAlive()).isFalse();
        delete(folder);
        folder.toFile().mkdirs();
    }

    public void config(String setting, String value) {
        command("CONFIG", "SET", setting, value);
    }

    /** Sends one command on a connection of its own. */
    public Object command(String... command) {
        try (Connection connection = new Connection(new HostAndPort(host, port))) {
            String[] args = List.of(command).subList(1, command.length).toArray(String[]::new);
            byte[] name = command[0].getBytes(StandardCharsets.US_ASCII);
            connection.sendCommand(() -> name, args);
            return connection.getOne();
        }
    }

    /** Returns a text, as of a field of a hash, or null. */
    public String text(String... command) {
        Object response = command(command);
        return response == null
                ? null
                : response instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : response.toString();
    }

    /** Returns a number that INFO reports, such as used_memory. */
    public String info(String field) {
        return text("INFO", "all")
                .lines()
                .filter(line -> line.startsWith(field + ":"))
                .map(line -> line.substring(field.length() + 1))
                .findFirst()
                .orElseThrow();
    }

    @Override
    public void close() {
        if (process != null) {
            kill();
        }
        delete(folder);
    }

    private static void delete(Path folder) {
        // A process that rewrites the log may end a little later than the engine, and create a file until then.
        while (Files.exists(folder)) {
            deleteAll(folder.toFile());
        }
    }

    private static void deleteAll(File file) {
        File[] files = file.listFiles();
        if (files != null) {
            for (File each : files) {
                deleteAll(each);
            }
        }
        file.delete();
    }
}
