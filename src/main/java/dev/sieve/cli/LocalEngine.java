package dev.sieve.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.bloom.Memberships;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A Valkey or Redis server on a free port of 127.0.0.1, with the settings that a shared frontier requires. It keeps its data
 * in a folder of the caller, and ends when this is closed.
 */
final class LocalEngine implements AutoCloseable {
    private static final List<String> PROGRAMS = List.of("valkey-server", "redis-server");
    private static final String READY = "Ready to accept connections";

    private final Process process;
    private final Path program;
    private final int port;
    private final Path passwordFile;

    private LocalEngine(Process process, Path program, int port, Path passwordFile) {
        this.process = process;
        this.program = program;
        this.port = port;
        this.passwordFile = passwordFile;
    }

    /**
     * Starts a server.
     *
     * @throws IOException when there is none on the path, or it does not start
     */
    static LocalEngine start(Path folder) throws IOException {
        Path program = find(System.getenv("PATH"))
                .orElseThrow(
                        () -> new IOException("neither valkey-server nor redis-server is in PATH; install one of the"
                                + " packages valkey-server, valkey, redis-server or redis"));
        int port = freePort();
        // Otherwise every user of this machine could use the server, and through it the files of this user.
        String password = Long.toHexString(Memberships.randomSeed()) + Long.toHexString(Memberships.randomSeed());
        Path passwordFile = Files.writeString(folder.resolve("password"), password);
        Process process = new ProcessBuilder(program.toString(), "-")
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        try {
            try (Writer settings = process.outputWriter(UTF_8)) {
                settings.write(settings(port, password));
            }
            awaitReady(process, program);
            return new LocalEngine(process, program, port, passwordFile);
        } catch (IOException | RuntimeException e) {
            process.destroyForcibly();
            throw e;
        }
    }

    static Optional<Path> find(String path) {
        String suffix = File.separatorChar == '\\' ? ".exe" : "";
        return PROGRAMS.stream()
                .flatMap(program -> Stream.of(path == null ? new String[0] : path.split(File.pathSeparator, -1))
                        .filter(folder -> !folder.isEmpty())
                        .map(folder -> Path.of(folder, program + suffix)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Not as arguments, which every user of the machine can read. */
    private static String settings(int port, String password) {
        return String.join(
                "\n",
                "bind 127.0.0.1",
                "port " + port,
                "requirepass " + password,
                "save \"\"",
                "appendonly yes",
                "appendfsync everysec",
                "maxmemory-policy noeviction",
                "");
    }

    @SuppressWarnings("resource") // the process owns its output, which is read as long as it runs
    private static void awaitReady(Process process, Path program) throws IOException {
        BufferedReader output = process.inputReader(UTF_8);
        String last = "no output";
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.contains(READY)) {
                Thread rest = new Thread(() -> discard(output), "sieve-engine-output");
                rest.setDaemon(true);
                rest.start();
                return;
            }
            last = line.isBlank() ? last : line;
        }
        throw new IOException(program + " does not start: " + last.strip());
    }

    private static void discard(BufferedReader output) {
        try {
            output.transferTo(Writer.nullWriter());
        } catch (IOException e) {
            // The process has been ended.
        }
    }

    /** Returns the address of a crawl on this server, without the password. */
    String address(String name) {
        return "redis://127.0.0.1:" + port + "/" + name;
    }

    /** Returns the file with the password, for the option --frontier-password-file. */
    Path passwordFile() {
        return passwordFile;
    }

    /** Returns the program, and where it listens. */
    @Override
    public String toString() {
        return program.getFileName() + " at 127.0.0.1:" + port;
    }

    @Override
    public void close() {
        // At once: what it has stored is deleted with its folder.
        process.destroyForcibly();
        process.onExit().join();
    }
}
