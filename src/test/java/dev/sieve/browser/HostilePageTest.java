package dev.sieve.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.Resolver;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Pages that would hang, fill or leave the browser: each ends by its deadline, nothing is requested that is forbidden, nothing is left. */
@Tag("browser")
@Tag("slow")
@Timeout(120)
@ExtendWith(BrowserExtension.class)
class HostilePageTest {
    /** How many kinds share a browser. */
    private static final int GROUP = 25;

    /** How many of their pages are rendered at once. */
    private static final int AT_ONCE = 4;

    private static final RenderWait WAIT = new RenderWait(Duration.ofMillis(200), Duration.ofSeconds(3));

    /** Kinds of hostile pages. FORBIDDEN is the place of a server that may not be requested, on loopback. */
    enum Kind {
        ENDLESS_LOOP("while (true) {}"),
        ENDLESS_LOOP_LATER("setTimeout(() => { while (true) {} }, 50)"),
        ENDLESS_PROMISES("const f = () => Promise.resolve().then(f); f()"),
        WORKER_LOOPS("for (let i = 0; i < 8; i++) new Worker(URL.createObjectURL(new Blob(['while (true) {}'])))"),
        ALERTS("while (true) { alert('x') }"),
        PROMPTS("setInterval(() => { confirm('x'); prompt('y') }, 0)"),
        BEFORE_UNLOAD("window.onbeforeunload = () => 'stay'; document.body.click()"),
        UNLOAD_LOOP("window.addEventListener('pagehide', () => { while (true) {} })"),
        PRINT("while (true) { print() }"),
        POPUPS("setInterval(() => { window.open('/other'); window.open('http://FORBIDDEN/') }, 1)"),
        BLANK_LINKS("setInterval(() => { const a = document.createElement('a'); a.href = 'http://FORBIDDEN/';"
                + " a.target = '_blank'; document.body.append(a); a.click() }, 1)"),
        DOWNLOADS(
                "setInterval(() => { const a = document.createElement('a'); a.href = 'data:application/zip;base64,AAAA';"
                        + " a.download = 'x.zip'; document.body.append(a); a.click(); location.href = '/file.zip' }, 1)"),
        ALLOCATION("const all = []; while (true) { all.push(new Array(1e6).fill(1.5)) }"),
        BUFFERS("const all = []; setInterval(() => { const b = new Uint8Array(1 << 28); b.fill(1); all.push(b) }, 0)"),
        DEEP_DOCUMENT("let e = document.body; for (let i = 0; i < 1e5; i++) { const d = document.createElement('div');"
                + " e.append(d); e = d }"),
        LARGE_DOCUMENT("document.body.innerHTML = '<p>' + 'word '.repeat(2e7)"),
        GROWING_DOCUMENT("setInterval(() => document.body.append('x'.repeat(1e6)), 0)"),
        MANY_REQUESTS(
                "setInterval(() => { for (let i = 0; i < 100; i++) fetch('/n' + Math.random()).catch(e => 0) }, 0)"),
        DATA_REQUESTS("const u = 'data:,' + 'x'.repeat(1e7); setInterval(() => fetch(u), 0)"),
        REDIRECT("location.href = '/other'"),
        REDIRECT_LOOP("setInterval(() => location.href = '/other' + Math.random(), 0)"),
        RELOAD("location.reload()"),
        REDIRECT_AWAY("location.href = 'http://FORBIDDEN/'"),
        HISTORY("let i = 0; setInterval(() => history.pushState(0, '', '/p' + i++), 0)"),
        CRASH_URL("location.href = 'chrome://crash'"),
        FILE("location.href = 'file:///etc/passwd'; fetch('file:///etc/passwd').then(r => r.text())"
                + ".then(t => document.body.append(t)).catch(e => 0); const f = document.createElement('iframe');"
                + " f.src = 'file:///etc/passwd'; document.body.append(f)"),
        VIEW_SOURCE("location.href = 'view-source:file:///etc/passwd'"),
        DEVTOOLS(
                "fetch('http://127.0.0.1:9222/json').catch(e => 0); location.href = 'devtools://devtools/bundled/x.html'"),
        FETCH("fetch('http://FORBIDDEN/').catch(e => 0); fetch('https://FORBIDDEN/').catch(e => 0)"),
        FETCH_BY_NAME(
                "fetch('http://rebind.test:PORT/').catch(e => 0); fetch('http://localhost:PORT/').catch(e => 0);"
                        + " fetch('http://[::1]:PORT/').catch(e => 0); fetch('http://0.0.0.0:PORT/').catch(e => 0);"
                        + " fetch('http://2130706433:PORT/').catch(e => 0); fetch('http://[::ffff:127.0.0.1]:PORT/').catch(e => 0)"),
        POST("fetch('http://FORBIDDEN/', {method: 'POST', mode: 'no-cors', body: 'x'}).catch(e => 0);"
                + " const f = document.createElement('form'); f.action = 'http://FORBIDDEN/'; f.method = 'post';"
                + " document.body.append(f); f.submit()"),
        WEB_SOCKET("new WebSocket('ws://FORBIDDEN/'); new WebSocket('wss://FORBIDDEN/')"),
        EVENT_SOURCE("new EventSource('http://FORBIDDEN/')"),
        WEB_RTC("const f = document.createElement('iframe'); document.body.append(f);"
                + " const C = window.RTCPeerConnection || f.contentWindow.RTCPeerConnection;"
                + " const c = new C({iceServers: [{urls: 'stun:FORBIDDEN'},"
                + " {urls: 'turn:FORBIDDEN?transport=tcp', username: 'a', credential: 'b'}]});"
                + " c.createDataChannel('x'); c.createOffer().then(o => c.setLocalDescription(o))"),
        WEB_TRANSPORT("const f = document.createElement('iframe'); document.body.append(f);"
                + " new (window.WebTransport || f.contentWindow.WebTransport)('https://FORBIDDEN/')"),
        IFRAME("const f = document.createElement('iframe'); f.src = 'http://FORBIDDEN/'; document.body.append(f)"),
        FRAME_OF_FRAMES("const f = document.createElement('iframe'); f.src = location.href; document.body.append(f)"),
        IMAGE("new Image().src = 'http://FORBIDDEN/x.png'; const v = document.createElement('video');"
                + " v.src = 'http://FORBIDDEN/v.mp4'; document.body.append(v)"),
        STYLE("const s = document.createElement('style'); s.textContent = '@import url(http://FORBIDDEN/);"
                + " body { background: url(http://FORBIDDEN/b) } @font-face { font-family: x; src: url(http://FORBIDDEN/f) }"
                + " p { font-family: x }'; document.head.append(s); document.body.innerHTML = '<p>text'"),
        BEACON(
                "navigator.sendBeacon('http://FORBIDDEN/', 'x'); fetch('http://FORBIDDEN/', {keepalive: true}).catch(e => 0);"
                        + " addEventListener('pagehide', () => navigator.sendBeacon('http://FORBIDDEN/bye', 'x'))"),
        PREFETCH("document.head.innerHTML += '<link rel=prefetch href=\"http://FORBIDDEN/\"><link rel=preconnect"
                + " href=\"http://FORBIDDEN/\"><link rel=dns-prefetch href=\"//rebind.test\"><link rel=preload as=fetch"
                + " href=\"http://FORBIDDEN/\"><link rel=prerender href=\"http://FORBIDDEN/\">';"
                + " const s = document.createElement('script'); s.type = 'speculationrules';"
                + " s.textContent = JSON.stringify({prefetch: [{urls: ['http://FORBIDDEN/']}], prerender: [{urls: ['/other']}]});"
                + " document.head.append(s)"),
        WORKER_FETCH(
                "new Worker(URL.createObjectURL(new Blob([\"fetch('http://FORBIDDEN/'); importScripts('http://FORBIDDEN/')\"])))"),
        SHARED_WORKER("new SharedWorker(URL.createObjectURL(new Blob([\"fetch('http://FORBIDDEN/')\"])))"),
        SERVICE_WORKER("navigator.serviceWorker.register('/worker.js')"),
        SERVICE_WORKER_OF_FRAME("const f = document.createElement('iframe'); document.body.append(f);"
                + " f.contentWindow.navigator.serviceWorker.register('/worker.js')"),
        NOTIFICATIONS("Notification.requestPermission(); navigator.geolocation.getCurrentPosition(() => 0);"
                + " navigator.mediaDevices.getUserMedia({video: true}).catch(e => 0)"),
        CLOSE("window.close(); document.open(); document.close()"),
        EMPTY("document.documentElement.remove()");

        private final String script;

        Kind(String script) {
            this.script = script;
        }
    }

    /** A server on loopback that counts who connects. */
    private static final class Forbidden implements AutoCloseable {
        private final ServerSocket tcp;
        private final DatagramSocket udp;
        private final AtomicInteger contacts = new AtomicInteger();

        Forbidden() throws IOException {
            tcp = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            udp = new DatagramSocket(tcp.getLocalPort(), InetAddress.getLoopbackAddress());
            daemon(() -> {
                tcp.accept().close();
                contacts.incrementAndGet();
            });
            daemon(() -> {
                udp.receive(new DatagramPacket(new byte[100], 100));
                contacts.incrementAndGet();
            });
        }

        private interface Step {
            void run() throws IOException;
        }

        private void daemon(Step step) {
            Thread thread = new Thread(() -> {
                while (!tcp.isClosed()) {
                    try {
                        step.run();
                    } catch (IOException e) {
                        // The test is over.
                    }
                }
            });
            thread.setDaemon(true);
            thread.start();
        }

        String place() {
            return "127.0.0.1:" + tcp.getLocalPort();
        }

        @Override
        public void close() throws IOException {
            tcp.close();
            udp.close();
        }
    }

    /** A site with a hostile page, and the server that it tries to reach. */
    private static final class Attack implements AutoCloseable {
        private final Kind kind;
        private final Forbidden forbidden = new Forbidden();
        private final ScriptedSite site = new ScriptedSite();

        Attack(Kind kind) throws IOException {
            this.kind = kind;
            String place = forbidden.place();
            String script = kind.script.replace("FORBIDDEN", place).replace("PORT", place.replaceFirst(".*:", ""));
            site.page("/bad", script)
                    .page("/good", "document.body.innerHTML = '<h1>fi' + 'ne</h1>'")
                    .page("/other", "document.body.innerHTML = '<h1>other</h1>'")
                    .on("/worker.js", "text/javascript", "fetch('http://" + place + "/')");
        }

        /** Renders its hostile page, and then another one of its site. */
        void run(Rendered rendered) {
            Page bad = rendered.page(site.url("/bad"));
            assertThat(bad.status()).as("%s", kind).isEqualTo(200);
            assertThat(Rendered.text(bad)).as("%s", kind).doesNotContain("root:");

            assertThat(Rendered.text(rendered.page(site.url("/good"))))
                    .as("%s", kind)
                    .contains("<h1>fine</h1>");
        }

        void check() {
            assertThat(site.requests())
                    .as("%s", kind)
                    .doesNotContain("GET /other", "GET /worker.js", "GET /file.zip", "GET /favicon.ico");
            assertThat(forbidden.contacts).as("%s", kind).hasValue(0);
        }

        @Override
        public void close() throws IOException {
            site.close();
            forbidden.close();
        }
    }

    /** Returns the kinds in groups that share a browser. */
    static Stream<List<Kind>> groups() {
        List<Kind> all = List.of(Kind.values());
        return IntStream.range(0, (all.size() + GROUP - 1) / GROUP)
                .mapToObj(i -> all.subList(i * GROUP, Math.min(all.size(), (i + 1) * GROUP)));
    }

    /** Several pages at once, as in a crawl. */
    private static void inParallel(List<Attack> attacks, Consumer<Attack> work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
        try {
            List<Future<?>> all = new ArrayList<>();
            attacks.forEach(each -> all.add(threads.submit(() -> work.accept(each))));
            for (Future<?> each : all) {
                each.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @ParameterizedTest
    @MethodSource("groups")
    void eachEndsAndReachesNothing(List<Kind> kinds, Browser unused) throws Exception {
        List<Path> before = Rendered.folders();
        List<Path> profiles = new ArrayList<>();
        List<Attack> attacks = new ArrayList<>();
        Resolver resolver = host -> List.of(InetAddress.getLoopbackAddress());
        Path program = Browser.program().orElseThrow();
        try (Rendered rendered = new Rendered("all", program, resolver, WAIT, System::nanoTime)) {
            for (Kind kind : kinds) {
                Attack attack = new Attack(kind);
                attacks.add(attack);
                rendered.open(attack.site);
            }
            inParallel(attacks, attack -> attack.run(rendered));
            profiles.addAll(Rendered.folders());
            profiles.removeAll(before);
            attacks.forEach(Attack::check);
        } finally {
            for (Attack attack : attacks) {
                attack.close();
            }
        }
        assertThat(Rendered.folders()).doesNotContainAnyElementsOf(profiles);
        for (ProcessHandle each : Rendered.processes(profiles)) {
            each.onExit().get(20, TimeUnit.SECONDS);
        }
    }
}
