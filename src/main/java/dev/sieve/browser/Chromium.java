package dev.sieve.browser;

import dev.sieve.io.RepeatingThread;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A Chromium without a network, and with an empty profile in a temporary folder.
 *
 * <p>A shell starts it in a session of its own, so that Ctrl-C does not reach it, and deletes the profile after it:
 * twice, since a process that is being killed may still write a file. It ends when its pipes end: by {@link #close},
 * and also when this program is killed.
 */
final class Chromium implements Closeable {
    static final List<String> NAMES = List.of("chromium", "chromium-browser", "google-chrome", "chrome");

    /** The pipes are standard input and output here, and 3 and 4 in the browser; nothing else keeps them open. */
    private static final String SHELL = """
            trap '' INT HUP TERM
            command -v setsid >/dev/null && set -- setsid "$@"
            exec 3<&0 4>&1 </dev/null >/dev/null
            "$@" &
            exec 3<&- 4>&-
            wait $!
            kill -9 -- -$! 2>/dev/null
            rm -rf "$TMPDIR" || sleep 1
            exec rm -rf "$TMPDIR"
            """;

    /**
     * No name has an address, and everything is sent to a proxy that has a name; then what a document does not need.
     * The screen shows much, in few pixels: they are never seen.
     */
    private static final String OPTIONS = """
            proxy-server=socks5://proxy.invalid:1 proxy-bypass-list=<-loopback> dns-prefetch-disable disable-quic
            webrtc-ip-handling-policy=disable_non_proxied_udp force-webrtc-ip-handling-policy no-pings
            disable-background-networking disable-component-update disable-sync disable-breakpad disable-default-apps
            headless remote-debugging-pipe no-startup-window no-first-run no-default-browser-check disable-extensions
            disable-features=BackForwardCache,DialMediaRouteProvider,HttpsUpgrades,MediaRouter,OptimizationHints,\
            FetchLaterAPI,Prerender2,SpareRendererForSitePerProcess,Translate,WebUIOmniboxAimPopup,WebUIOmniboxPopup
            block-new-web-contents disable-gpu disable-dev-shm-usage mute-audio
            js-flags=-max-old-space-size=512 disable-background-timer-throttling disable-renderer-backgrounding
            disable-backgrounding-occluded-windows screen-info={640x2000} force-device-scale-factor=0.5""";

    private static final Duration START = Duration.ofSeconds(20);
    private static final long MAX_MEMORY = 2L << 30;

    private final Process shell;
    private final RepeatingThread watch =
            new RepeatingThread("sieve-browser-memory", Duration.ofMillis(250), this::limitMemory);

    final Cdp cdp;
    private final Path program;
    private final CompletableFuture<Cdp.Json> version;

    /** Returns a browser on the PATH; null without one. */
    static @Nullable Path find() {
        String[] folders = System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1);
        return NAMES.stream()
                .flatMap(name -> Stream.of(folders).map(folder -> Path.of(folder, name)))
                .filter(file -> Files.isExecutable(file) && Files.isRegularFile(file))
                .findFirst()
                .orElse(null);
    }

    /** Begins to start a browser, with further options, of which the last one of a name counts. */
    Chromium(Path program, List<String> more) throws IOException {
        this.program = program;
        Path profile = Files.createTempDirectory(
                "sieve-browser-" + ProcessHandle.current().pid() + "-");
        List<String> options = new ArrayList<>(List.of(OPTIONS.split("\\s+", -1)));
        options.add("host-resolver-rules=MAP * ~NOTFOUND");
        options.add("user-data-dir=" + profile);
        options.addAll(more);
        if (System.getProperty("user.name").equals("root")) {
            // It refuses to start with it.
            options.add("no-sandbox");
        }
        List<String> command = new ArrayList<>(List.of("sh", "-c", SHELL, "sh", program.toString()));
        options.forEach(each -> command.add("--" + each));
        ProcessBuilder builder = new ProcessBuilder(command);
        for (String folder : List.of("TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")) {
            builder.environment().put(folder, profile.toString());
        }
        shell = builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
        cdp = new Cdp(shell.getInputStream(), shell.getOutputStream(), this::kill);
        version = cdp.begin("", "Browser.getVersion", Map.of(), Cdp.NONE);
        watch.start();
    }

    /** Waits until it has started, for 20 seconds at most, and closes it if it has not. */
    void awaitStart() throws IOException {
        try {
            Cdp.get(version, START);
        } catch (IOException e) {
            close();
            throw new IOException(
                    program + " does not start; to see why, run it with -headless about:blank."
                            + " In a container without user namespaces its sandbox does not work: see docs/rendering.md",
                    e);
        }
    }

    /** Ends processes of pages if all together take too much memory, or the browser if that is not enough. */
    private void limitMemory() {
        Map<ProcessHandle, Long> sizes =
                shell.descendants().collect(Collectors.toMap(each -> each, each -> memory(each.pid())));
        long excess = sizes.values().stream().mapToLong(size -> size).sum() - MAX_MEMORY;
        shell.children().forEach(sizes::remove);
        for (ProcessHandle each : largest(sizes, excess)) {
            excess -= Objects.requireNonNull(sizes.get(each));
            each.destroyForcibly();
        }
        if (excess > 0) {
            cdp.fail("the browser takes too much memory");
        }
    }

    /** Returns the fewest that have a size together, as far as there are enough. */
    static <T> List<T> largest(Map<T, Long> sizes, long together) {
        List<T> largest = new ArrayList<>();
        long left = together;
        for (T each : sizes.keySet().stream()
                .sorted(Comparator.comparing(sizes::get, Comparator.reverseOrder()))
                .toList()) {
            if (left > 0) {
                largest.add(each);
                left -= Objects.requireNonNull(sizes.get(each));
            }
        }
        return largest;
    }

    /** Returns how many bytes of memory a process has for itself; 0 where this cannot be found out. */
    private static long memory(long pid) {
        try {
            String[] pages =
                    Files.readString(Path.of("/proc/" + pid + "/statm")).split(" ", -1);
            // In pages of this size nearly everywhere.
            return (Long.parseLong(pages[1]) - Long.parseLong(pages[2])) * 4096;
        } catch (IOException | RuntimeException e) {
            return 0;
        }
    }

    /** Ends its processes without waiting for them; the shell then deletes the profile. */
    private void kill() {
        shell.descendants().forEach(ProcessHandle::destroyForcibly);
    }

    @Override
    public void close() {
        cdp.fail("the browser was closed");
        watch.end();
        try {
            // Several times, since a process may have been started since the last one.
            for (int i = 0; i < 100 && !shell.waitFor(100, TimeUnit.MILLISECONDS); i++) {
                kill();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
