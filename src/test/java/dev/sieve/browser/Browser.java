package dev.sieve.browser;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.WebSocket;
import okhttp3.WebSocketListener;

/**
 * A headless Chromium with a new profile, controlled through the DevTools protocol
 * (https://chromedevtools.github.io/devtools-protocol/). Closing it ends the process and deletes the profile.
 */
public final class Browser implements AutoCloseable {
    static final ObjectMapper JSON = new ObjectMapper();
    private static final String LISTENING = "DevTools listening on ";
    private static final int SECONDS = 60;

    private final Path profile;
    private final Process process;
    private final OkHttpClient client;
    private final WebSocket socket;
    private final AtomicInteger lastId = new AtomicInteger();
    private final Map<Integer, CompletableFuture<JsonNode>> calls = new ConcurrentHashMap<>();
    private final Map<String, Tab> tabs = new ConcurrentHashMap<>();

    private Browser(Path profile, Process process, String url) {
        this.profile = profile;
        this.process = process;
        client = new OkHttpClient.Builder().readTimeout(0, TimeUnit.SECONDS).build();
        socket = client.newWebSocket(new Request.Builder().url(url).build(), new Listener());
    }

    /** Returns the program, if this machine has it. */
    public static Optional<Path> program() {
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Stream.of("chromium", "chromium-browser", "google-chrome")
                .flatMap(name -> Stream.of(path.split(File.pathSeparator)).map(folder -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Starts a browser. */
    public static Browser open(Path program) throws IOException {
        Path profile = Files.createTempDirectory("sieve-browser");
        // Without a sandbox it runs as root and in containers as well; it opens only what the tests wrote.
        Process process = new ProcessBuilder(
                        program.toString(),
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--disable-quic",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                        "--no-first-run",
                        "--no-default-browser-check",
                        "--hide-scrollbars",
                        "--force-color-profile=srgb",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + profile)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            return new Browser(profile, process, endpoint(process));
        } catch (RuntimeException e) {
            end(process, profile);
            throw e;
        }
    }

    /** Returns the address that the browser prints; what it prints later is read and dropped. */
    private static String endpoint(Process process) {
        CompletableFuture<String> address = new CompletableFuture<>();
        Thread reader = new Thread(
                () -> {
                    StringBuilder before = new StringBuilder();
                    try (BufferedReader lines = process.errorReader(StandardCharsets.UTF_8)) {
                        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                            if (line.startsWith(LISTENING)) {
                                address.complete(line.substring(LISTENING.length()));
                            } else if (!address.isDone()) {
                                before.append(line).append('\n');
                            }
                        }
                    } catch (IOException e) {
                        before.append(e);
                    }
                    address.completeExceptionally(new IOException("the browser ended:\n" + before));
                },
                "browser-errors");
        reader.setDaemon(true);
        reader.start();
        return get(address, "the start of the browser");
    }

    /** Opens an empty tab that shares no cache or storage with others. */
    public Tab tab() {
        String context = call(null, "Target.createBrowserContext", args())
                .get("browserContextId")
                .asText();
        String target = call(
                        null,
                        "Target.createTarget",
                        args().put("url", "about:blank").put("browserContextId", context))
                .get("targetId")
                .asText();
        String session = call(
                        null,
                        "Target.attachToTarget",
                        args().put("targetId", target).put("flatten", true))
                .get("sessionId")
                .asText();
        Tab tab = new Tab(this, session, context);
        tabs.put(session, tab);
        tab.prepare();
        return tab;
    }

    void close(Tab tab, String session, String context) {
        call(null, "Target.disposeBrowserContext", args().put("browserContextId", context));
        tabs.remove(session, tab);
    }

    static ObjectNode args() {
        return JSON.createObjectNode();
    }

    JsonNode call(String session, String method, ObjectNode args) {
        return get(send(session, method, args), method);
    }

    CompletableFuture<JsonNode> send(String session, String method, ObjectNode args) {
        int id = lastId.incrementAndGet();
        ObjectNode message = args().put("id", id).put("method", method);
        message.set("params", args);
        if (session != null) {
            message.put("sessionId", session);
        }
        CompletableFuture<JsonNode> result = new CompletableFuture<>();
        calls.put(id, result);
        if (!socket.send(message.toString())) {
            result.completeExceptionally(new IOException("the connection to the browser is closed"));
        }
        return result;
    }

    static <T> T get(CompletableFuture<T> result, String what) {
        try {
            return result.get(SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new IllegalStateException(what + ": " + e.getCause().getMessage(), e);
        } catch (TimeoutException e) {
            throw new IllegalStateException(what + ": nothing happened within " + SECONDS + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(what + ": interrupted", e);
        }
    }

    @Override
    public void close() throws IOException {
        socket.cancel();
        client.dispatcher().executorService().shutdown();
        client.connectionPool().evictAll();
        end(process, profile);
    }

    private static void end(Process process, Path profile) throws IOException {
        List<ProcessHandle> processes = new ArrayList<>(process.descendants().toList());
        processes.add(process.toHandle());
        processes.forEach(ProcessHandle::destroyForcibly);
        processes.forEach(each -> get(each.onExit(), "the end of the browser"));
        delete(profile);
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (NoSuchFileException | UncheckedIOException e) {
            throw new IOException("cannot delete the profile of the browser: " + folder, e);
        }
    }

    private final class Listener extends WebSocketListener {
        @Override
        public void onMessage(WebSocket webSocket, String text) {
            JsonNode message;
            try {
                message = JSON.readTree(text);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            if (message.has("id")) {
                CompletableFuture<JsonNode> call =
                        calls.remove(message.get("id").asInt());
                if (message.has("error")) {
                    call.completeExceptionally(
                            new IOException(message.get("error").toString()));
                } else {
                    call.complete(message.get("result"));
                }
            } else if (message.has("sessionId")) {
                Tab tab = tabs.get(message.get("sessionId").asText());
                if (tab != null) {
                    tab.event(message.get("method").asText(), message.get("params"));
                }
            }
        }

        @Override
        public void onFailure(WebSocket webSocket, Throwable e, Response response) {
            calls.values().forEach(call -> call.completeExceptionally(e));
        }
    }
}
