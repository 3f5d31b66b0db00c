package dev.sieve.browser;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.Await;
import dev.sieve.Tier;
import dev.sieve.durable.ChildJvm;
import dev.sieve.fetch.Cookie;
import dev.sieve.fetch.FetchRequest;
import dev.sieve.fetch.FetchResult;
import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Reason;
import dev.sieve.fetch.FetchResult.Redirect;
import dev.sieve.fetch.Resolver;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@Tag("browser")
@Tag("slow")
@Timeout(120)
@ExtendWith(BrowserExtension.class)
class RenderStageTest {
    private static final String MAKE = "document.body.innerHTML = '<h1>made</h1><a href=next>next</a>'";

    /** Says what an earlier page has left, and leaves everything that a page can. */
    private static final String LEAVE = """
            const says = text => document.body.append(text + ';');
            says('at ' + innerWidth + 'x' + innerHeight);
            says('back ' + (history.length > 2) + ' name ' + name + ' session ' + sessionStorage.length);
            says('local ' + localStorage.length + ' cookie ' + document.cookie);
            indexedDB.databases().then(all => says('databases ' + all.length))
              .then(() => caches.keys()).then(all => says('caches ' + all.length))
              .then(() => navigator.storage.getDirectory())
              .then(root => root.getFileHandle('f')).then(() => says('a file'), () => says('no file'))
              .then(() => navigator.storage.getDirectory())
              .then(root => root.getFileHandle('f', {create: true}))
              .then(() => caches.open('c')).then(() => indexedDB.open('d'))
              .then(() => says('stored'));
            name = 'n'; sessionStorage.a = localStorage.a = 1; document.cookie = 'a=1; max-age=99';
            document.cookie = 'b=1; domain=' + location.hostname.replace(/^[^.]+./, ''); self.fetchLater?.('/late');
            history.pushState(0, '', '/moved'); onbeforeunload = () => 'stay';
            onpagehide = onunload = document.onvisibilitychange = () => fetch('/late', {keepalive: true});
            setInterval(() => { localStorage.b = sessionStorage.b = name = document.cookie = 'b' }, 0)""";

    private static final List<String> CLEAN = List.of(
            "back false name  session 0;", "local 0 cookie ;", "databases 0;", "caches 0;", "no file;", "stored;");

    private static final Resolver LOOPBACK = host -> List.of(InetAddress.getLoopbackAddress());

    private static Path browser() {
        return Browser.program().orElseThrow();
    }

    @Test
    void scriptsMakeThePage(Rendered rendered) {
        try (ScriptedSite site = rendered.site()) {
            site.page("/", "fetch('/data').then(r => r.text()).then(t => document.body.innerHTML = t)")
                    .on("/data", "text/plain", "<h1>caf\u00e9</h1>");

            Page page = rendered.page(site.url("/"));

            assertThat(Rendered.text(page)).contains("<h1>caf\u00e9</h1>");
            assertThat(page.header("content-type")).isEqualTo("text/html; charset=utf-8");
            assertThat(rendered.record).containsEntry("requests", 1).containsEntry("bytes", 14L);
            assertThat((Long) rendered.record.get("ms")).isPositive();
            assertThat(site.requests()).containsExactly("GET /", "GET /data");
        }
    }

    @Test
    void shadowTreesArePartOfThePageAndNoscriptIsNot(Rendered rendered) {
        try (ScriptedSite site = rendered.site()) {
            site.page(
                    "/",
                    "const a = document.body.appendChild(document.createElement('div')).attachShadow({mode: 'open'});"
                            + " const b = a.appendChild(document.createElement('p')).attachShadow({mode: 'open'});"
                            + " b.innerHTML = '<a href=/deep>deep</a>';"
                            + " document.body.insertAdjacentHTML('beforeend', '<noscript>with' + 'out</noscript>')");

            assertThat(Rendered.text(rendered.page(site.url("/"))))
                    .contains("<a href=\"/deep\">deep</a>")
                    .doesNotContain("without");
        }
    }

    @Test
    void whereAScriptLeadsIsALinkAndLinksStayRelativeToIt(Rendered rendered) {
        try (ScriptedSite site = rendered.site()) {
            site.page("/", "history.pushState(0, '', '/app/home'); " + MAKE).page("/go", "location.href = '/else'");

            Page moved = rendered.page(site.url("/"));
            Page gone = rendered.page(site.url("/go"));

            assertThat(Rendered.text(moved)).contains("<base href=\"" + site.url("/app/home") + "\">");
            assertThat(moved.header("refresh")).isEqualTo("0; url=" + site.url("/app/home"));
            assertThat(gone.header("refresh")).isEqualTo("0; url=" + site.url("/else"));
            assertThat(site.requests()).containsExactly("GET /", "GET /go");
        }
    }

    @Test
    void scriptsAreKeptIfTheyMayBeAndPagesShareNothingElse(Rendered rendered) {
        try (ScriptedSite site = rendered.site()) {
            String page = "<!DOCTYPE html><body><script src=/kept.js></script><script src=/other.js></script>";
            String script = "document.body.append(document.cookie || 'none'); document.cookie = 'a=1'";
            site.on("/1", "text/html", page)
                    .on("/2", "text/html", page)
                    .on("/kept.js", "text/javascript", script, "Cache-Control", "public, max-age=60")
                    .on("/other.js", "text/javascript", "", "Cache-Control", "no-cache, max-age=60");

            assertThat(Rendered.text(rendered.page(site.url("/1")))).contains("none");
            assertThat(Rendered.text(rendered.page(site.url("/2")))).contains("none");
            assertThat(rendered.record).containsEntry("requests", 1);
            assertThat(site.requests())
                    .containsExactlyInAnyOrder("GET /1", "GET /kept.js", "GET /other.js", "GET /2", "GET /other.js");
        }
    }

    @Test
    void aTabIsReusedForItsOriginAndLeftClean(Browser unused) {
        try (ScriptedSite site = new ScriptedSite();
                Rendered rendered = new Rendered("all", browser()).open(site)) {
            site.page("/1", LEAVE).page("/2", LEAVE);
            List<Path> before = Rendered.folders();

            for (String path : List.of("/1", "/2")) {
                assertThat(Rendered.text(rendered.page(site.url(path))))
                        .as(path)
                        .contains("at 1280x4000")
                        .contains(CLEAN);
            }
            List<Path> profile = new ArrayList<>(Rendered.folders());
            profile.removeAll(before);
            List<Long> tabs = renderers(profile);
            assertThat(tabs).hasSize(1);
            rendered.page(site.url("/1"));
            assertThat(renderers(profile)).isEqualTo(tabs);

            tabs.forEach(pid -> ProcessHandle.of(pid).orElseThrow().destroyForcibly());
            String last = Rendered.text(rendered.page(site.url("/1")));
            assertThat(last).as("%s", rendered.record).contains("stored;");
            assertThat(site.requests()).doesNotContain("GET /late");
        }
    }

    @Test
    void whatTheTabHasShownBeforeIsNoLink(Rendered rendered) {
        try (ScriptedSite site = rendered.site()) {
            site.page("/1", "").page("/2", "onload = () => setTimeout(() => { history.back(); " + MAKE + "}, 20)");
            rendered.page(site.url("/1"));

            Page page = rendered.page(site.url("/2"));

            assertThat(Rendered.text(page)).contains("made");
            assertThat(page.header("refresh")).isNull();
        }
    }

    @Test
    void promisesEndWithTheirPage(Rendered rendered) {
        String script = """
                const f = () => navigator.locks.query().then(() => {
                  document.cookie = 'late=1';
                  onpagehide = () => fetch('/late', {keepalive: true});
                }).then(f);
                f()""";
        try (ScriptedSite site = rendered.site()) {
            site.page("/1", script).page("/2", "document.body.append('has ' + document.cookie + ';')");
            for (int i = 0; i < Tier.of(2, 5); i++) {
                rendered.page(site.url("/1"));

                Page page = rendered.page(site.url("/2"));

                assertThat(Rendered.text(page)).contains("has ;");
                assertThat(rendered.record).containsEntry("requests", 0);
                assertThat(site.requests()).hasSize(2 * i + 2).endsWith("GET /1", "GET /2");
            }
        }
    }

    /** Far more origins than tabs. */
    @Test
    void aTabShowsPagesOfManyOriginsAndNothingIsLeftInIt(Rendered rendered) {
        try (ScriptedSite site = rendered.site()) {
            site.page("/", LEAVE);
            int pages = Tier.of(20, 30);
            for (int i = 0; i < pages; i++) {
                String url = "http://h" + (i * 7 % 25) + ".s" + (i % 3) + ".localhost:" + site.port() + "/";
                rendered.documents.open(url);

                Page page = rendered.page(url);

                assertThat(Rendered.text(page))
                        .as("%s: %s", url, rendered.record)
                        .contains(CLEAN);
                assertThat(page.header("refresh")).isEqualTo("0; url=" + url + "moved");
            }
            assertThat(site.requests()).hasSize(pages).containsOnly("GET /");
        }
    }

    @Test
    void scriptsSeeTheCookiesOfTheirDocument(Rendered rendered) {
        String page = "<!DOCTYPE html><body><script>document.body.append('has ' + document.cookie)</script>";
        try (ScriptedSite site = rendered.site()) {
            for (String name : List.of("one", "two")) {
                site.on("/" + name, "text/html", page, "Set-Cookie", name + "=1");

                assertThat(Rendered.text(rendered.page(site.url("/" + name)))).contains("has " + name + "=1<");
            }
        }
    }

    @Test
    void aPageThatIsNotShownInTimeIsNotTakenForTheLastOne(Browser unused) {
        AtomicLong hurry = new AtomicLong();
        AtomicLong jumps = new AtomicLong();
        LongSupplier clock = () -> System.nanoTime() + jumps.addAndGet(hurry.get());
        Resolver resolver = host -> List.of(InetAddress.getByName(host));
        try (ScriptedSite site = new ScriptedSite();
                Rendered rendered = new Rendered("all", browser(), resolver, RenderWait.DEFAULT, clock).open(site)) {
            site.page("/1", "document.body.append('first')").page("/2", "document.body.append('second')");
            rendered.page(site.url("/1"));
            assertThat(rendered.isRendered()).isTrue();

            hurry.set(TimeUnit.SECONDS.toNanos(6));
            Page page = rendered.page(site.url("/2"));

            assertThat(Rendered.text(page)).contains("second").doesNotContain("first");
            assertThat(page.header("refresh")).isNull();
        }
    }

    @Test
    void workersEndWithTheirPage(Browser unused) {
        String script = """
                const url = URL.createObjectURL(new Blob(["postMessage('gun'); for (;;);"]));
                new Worker(url).onmessage = event => document.body.append('be' + event.data)""";
        try (ScriptedSite site = new ScriptedSite();
                Rendered rendered = new Rendered("all", browser()).open(site)) {
            site.page("/", script);
            List<Path> before = Rendered.folders();

            assertThat(Rendered.text(rendered.page(site.url("/")))).contains("begun");

            List<Path> profile = new ArrayList<>(Rendered.folders());
            profile.removeAll(before);
            assertThat(profile).hasSize(1);
            for (long pid : renderers(profile)) {
                ProcessHandle.of(pid)
                        .ifPresent(each ->
                                each.onExit().orTimeout(20, TimeUnit.SECONDS).join());
            }
        }
    }

    private static List<Long> renderers(List<Path> profile) {
        return Rendered.processes(profile).stream()
                .flatMap(ProcessHandle::descendants)
                .map(ProcessHandle::pid)
                .filter(pid -> arguments(pid).contains("--type=renderer"))
                .distinct()
                .toList();
    }

    /** Returns the arguments of a process, which Java does not know if the process has renamed itself; empty when it has ended. */
    private static String arguments(long pid) {
        try {
            return Files.readString(Path.of("/proc/" + pid + "/cmdline"));
        } catch (IOException e) {
            return "";
        }
    }

    /** More of them at once than there are tabs. */
    @Test
    void pagesThatAreNotReadyInTimeDoNotDelayOthers(Browser unused) throws Exception {
        RenderWait wait = new RenderWait(Duration.ofMillis(200), Duration.ofSeconds(2));
        try (ScriptedSite site = new ScriptedSite();
                Rendered rendered = new Rendered("all", browser(), LOOPBACK, wait, System::nanoTime).open(site)) {
            site.page("/slow", "fetch('/never')").silent("/never").page("/", MAKE);
            String slow = site.url("/slow");
            String quick = site.url("/").replace("127.0.0.1", "localhost");
            rendered.documents.open(quick);
            rendered.page(quick);
            // Late once, which may have been the fault of others.
            rendered.page(quick + "slow");
            rendered.page(slow);
            List<CompletableFuture<Page>> pages = IntStream.range(0, 40)
                    .mapToObj(i -> CompletableFuture.supplyAsync(() -> rendered.page(slow), task -> {
                        Thread thread = new Thread(task);
                        thread.setDaemon(true);
                        thread.start();
                    }))
                    .toList();

            assertThat(Rendered.text(rendered.page(quick))).contains("<h1>made</h1>");
            assertThat(pages.get(39)).isNotDone();
        }
    }

    @Test
    void onlyDocumentsThatNeedItAreRendered(Browser unused) {
        try (ScriptedSite site = new ScriptedSite();
                Rendered rendered = new Rendered("auto", browser()).open(site)) {
            site.on("/static", "text/html", "<p>" + "word ".repeat(60) + "<a href=/>x</a><script>1</script>")
                    .on("/text", "text/plain", "<script>1</script>")
                    .redirect("/moved", "/app")
                    .page("/app", MAKE);

            for (String path : List.of("/static", "/text", "/missing")) {
                rendered.page(site.url(path));
                assertThat(rendered.record).as(path).isNull();
            }
            assertThat(rendered.fetch(new FetchRequest(site.url("/moved")))).isInstanceOf(Redirect.class);
            rendered.fetch(new FetchRequest(site.url("/app")).reading(FetchRequest.Body.NONE));
            assertThat(rendered.record).isNull();
            rendered.page(site.url("/app"));
            assertThat(rendered.isRendered()).isTrue();
        }
    }

    @Test
    void theWatchOfAPageDecidesOnItsPartsAndCountsThem(Rendered rendered) {
        Queue<String> sent = new ConcurrentLinkedQueue<>();
        FetchRequest.Watch watch = new FetchRequest.Watch() {
            @Override
            public boolean maySend(String host) {
                sent.add(host);
                return true;
            }

            @Override
            public boolean allows(String url, boolean obeysRobots, Consumer<Runnable> cancels) {
                return !url.endsWith("/secret");
            }
        };
        try (ScriptedSite site = rendered.site()) {
            site.page(
                            "/",
                            "for (const p of ['/a', '/b', '/secret']) fetch(p).catch(e => document.body.append('no ' + p));"
                                    + " const old = new XMLHttpRequest(); old.open('GET', '/secret');"
                                    + " old.onerror = () => document.body.append('an error'); old.send()")
                    .on("/a", "text/plain", "a")
                    .on("/b", "text/plain", "b");

            Page page = (Page) rendered.fetch(new FetchRequest(site.url("/")).watchedBy(watch));

            assertThat(Rendered.text(page)).contains("no /secret", "an error");
            assertThat(sent).containsExactly("127.0.0.1", "127.0.0.1", "127.0.0.1");
            assertThat(site.requests()).containsExactlyInAnyOrder("GET /", "GET /a", "GET /b");
        }
    }

    private static FetchResult answer(String type, String body, String... headers) {
        Map<String, List<String>> all = new HashMap<>(Map.of("content-type", List.of(type)));
        for (int i = 0; i < headers.length; i += 2) {
            all.put(headers[i], List.of(headers[i + 1]));
        }
        byte[] bytes = body.getBytes(UTF_8);
        return new Page(200, all, type, bytes, bytes.length, false);
    }

    @Test
    void secureOriginsNeedNoServerAndAreKeptApart(Rendered rendered) {
        Map<String, FetchResult> web = Map.of(
                "https://h.test/",
                answer("text/html", "<body><script src=https://cdn.test/a.js></script>"),
                "http://plain.test/",
                answer("text/html", "<body><script>document.body.append('at ' + location.href)</script>"),
                "https://cdn.test/a.js",
                answer("text/javascript", """
                        for (const url of ['/', 'https://open.test/', 'https://closed.test/']) {
                          fetch(url).then(r => r.text()).then(t => document.body.append(url + ' ' + t.length + ';'))
                            .catch(e => document.body.append('not ' + url + ';'));
                        }
                        document.body.append('secure ' + isSecureContext + ';')"""),
                "https://open.test/",
                answer("text/plain", "abc", "access-control-allow-origin", "*"),
                "https://closed.test/",
                answer("text/plain", "abc"));

        Page page = rendered.page("https://h.test/", request -> web.get(request.url()));

        assertThat(Rendered.text(page))
                .contains("secure true;", "/ 49;", "https://open.test/ 3;", "not https://closed.test/;");
        assertThat(Rendered.text(rendered.page("http://plain.test/", request -> web.get(request.url()))))
                .contains("at http://plain.test/");
    }

    /** The fetcher has the cookies of the crawl; the browser decides which of them belong to what scripts request. */
    @Test
    void partsReceiveTheCookiesThatAreForThem(Rendered rendered) {
        List<Cookie> cookies = Stream.of(
                        "#HttpOnly_h.test FALSE / FALSE 0 session 1",
                        "h.test FALSE /private FALSE 0 private 1",
                        "h.test FALSE /api FALSE 0 api 1",
                        "h.test TRUE / TRUE 0 secure 1",
                        "h.test TRUE / FALSE 0 site 1")
                .map(line -> Cookie.of(line.replace(' ', '\t')))
                .toList();
        Map<String, String> sent = new ConcurrentHashMap<>();

        Page page = (Page) rendered.stage.fetch(
                new FetchRequest("http://h.test/private/").with(cookies),
                part -> {
                    sent.put(part.url(), part.fields().getOrDefault("Cookie", ""));
                    return part.url().endsWith("/private/")
                            ? answer("text/html", """
                            <body><script>document.cookie = 'own=1; path=/api';
                              document.body.append('sees ' + document.cookie + ';');
                              fetch('/api/a').then(() => fetch('/api/b')); fetch('/api/none', {credentials: 'omit'});
                              const s = document.createElement('script'); s.src = 'http://www.h.test/s.js';
                              document.body.append(s)</script>""")
                            : answer("text/plain", "", "set-cookie", "later=1; path=/api/b");
                },
                made -> {});

        assertThat(Rendered.text(page)).contains("sees private=1; site=1;");
        assertThat(sent)
                .containsEntry("http://h.test/api/a", "api=1; own=1; session=1; site=1")
                .containsEntry("http://h.test/api/b", "later=1; api=1; own=1; session=1; site=1")
                .containsEntry("http://h.test/api/none", "")
                .containsEntry("http://www.h.test/s.js", "site=1");
        rendered.stage.fetch(
                new FetchRequest("https://h.test/private/").with(cookies),
                part -> {
                    sent.put(part.url(), part.fields().getOrDefault("Cookie", ""));
                    return answer("text/html", "<body><script>fetch('/api')</script>");
                },
                made -> {});
        assertThat(sent).containsEntry("https://h.test/api", "api=1; session=1; secure=1; site=1");
    }

    @Test
    void manyThreadsRenderManyPages(Rendered rendered) {
        try (ScriptedSite site = rendered.site()) {
            IntStream.range(0, 20)
                    .forEach(i -> site.page("/" + i, "document.body.innerHTML = '<h1>made " + i + "</h1>'"));

            List<CompletableFuture<String>> pages = IntStream.range(0, 20)
                    .mapToObj(i -> CompletableFuture.supplyAsync(() -> Rendered.text(rendered.page(site.url("/" + i)))))
                    .toList();

            for (int i = 0; i < 20; i++) {
                assertThat(pages.get(i).join()).contains("<h1>made " + i + "</h1>");
            }
        }
    }

    @Test
    void aBrowserThatIsKilledIsStartedAgain(Browser unused) {
        List<Path> before = Rendered.folders();
        try (ScriptedSite site = new ScriptedSite();
                Rendered rendered = new Rendered("all", browser()).open(site)) {
            site.page("/", MAKE);
            rendered.page(site.url("/"));
            assertThat(rendered.isRendered()).isTrue();
            List<Path> profile = new ArrayList<>(Rendered.folders());
            profile.removeAll(before);

            Rendered.processes(profile).stream()
                    .filter(each -> !each.info().command().orElse("").endsWith("sh"))
                    .forEach(ProcessHandle::destroyForcibly);

            rendered.page(site.url("/"));
            assertThat(rendered.isRendered()).isTrue();
        }
        assertThat(Rendered.folders()).isEqualTo(before);
    }

    @Test
    void aStopEndsWhatIsRendered(Browser unused) throws Exception {
        try (ScriptedSite site = new ScriptedSite();
                Rendered rendered = new Rendered("all", browser()).open(site)) {
            site.page("/", "setInterval(() => fetch('/a'), 50)").on("/a", "text/plain", "a");
            CompletableFuture<FetchResult> page =
                    CompletableFuture.supplyAsync(() -> rendered.fetch(new FetchRequest(site.url("/"))));
            Await.until(() -> site.requests().contains("GET /a"));

            rendered.stage.stop();

            assertThat(page.get(20, TimeUnit.SECONDS))
                    .isInstanceOfSatisfying(
                            Failed.class, failed -> assertThat(failed.reason()).isEqualTo(Reason.STOPPED));
        }
    }

    @Test
    void nothingIsLeftOfAProgramThatIsKilled(Browser unused) throws Exception {
        Process child = ChildJvm.start(List.of(), BrowserChild.class, browser().toString());
        List<Path> profiles;
        List<ProcessHandle> processes;
        try (BufferedReader out = child.inputReader()) {
            assertThat(out.readLine()).isEqualTo("true");
            profiles = Rendered.folders(child.pid());
            processes = Rendered.processes(profiles);
            assertThat(processes).isNotEmpty();
        } finally {
            child.destroyForcibly().waitFor();
        }

        for (ProcessHandle each : processes) {
            each.onExit().get(20, TimeUnit.SECONDS);
        }
        assertThat(Rendered.processes(profiles)).isEmpty();
        assertThat(Rendered.folders(child.pid())).isEmpty();
    }

    @Test
    void aBrowserThatDoesNotStartIsAnError(Browser unused, @TempDir Path folder) throws IOException {
        Path broken = Files.writeString(folder.resolve("broken"), "#!/bin/sh\necho it is broken >&2\nexit 1\n");
        Files.setPosixFilePermissions(broken, PosixFilePermissions.fromString("rwx------"));
        List<Path> before = Rendered.folders();
        try (ScriptedSite site = new ScriptedSite().page("/", MAKE);
                Rendered rendered = new Rendered("all", broken).open(site)) {
            for (int i = 0; i < 2; i++) {
                Page page = rendered.page(site.url("/"));

                assertThat(Rendered.text(page)).contains("document.body.innerHTML");
                assertThat((String) rendered.record.get("error")).contains(broken + " does not start");
            }
        }
        assertThatThrownBy(() -> RenderStage.check(broken))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(broken + " does not start");
        assertThat(Rendered.folders()).isEqualTo(before);
    }

    @Test
    void theBrowserIsFoundOrSaidToBeWrong(Browser unused, @TempDir Path folder) {
        RenderRule rule = new RenderRule("all");
        assertThat(RenderStage.of(rule, null, () -> "x", 1, false, RenderWait.DEFAULT))
                .isNotNull();
        for (Path wrong : List.of(Path.of(""), Path.of("nothing"), folder)) {
            assertThatThrownBy(() -> RenderStage.of(rule, wrong, () -> "x", 1, false, RenderWait.DEFAULT))
                    .hasMessage("not a program: " + wrong);
        }
    }

    /** Which is not a time limit of the test, but that a page does not wait for what never ends. */
    @Test
    void aPageThatPollsIsTakenAsItIs(Rendered rendered) {
        try (ScriptedSite site = rendered.site()) {
            site.page("/", MAKE + "; setInterval(() => fetch('/poll'), 20); fetch('/never')")
                    .on("/poll", "text/plain", "x")
                    .silent("/never");

            Page page = rendered.page(site.url("/"));

            assertThat(Rendered.text(page)).contains("<h1>made</h1>");
        }
    }

    @Test
    void aLongerWaitFindsWhatComesLater(Browser unused) {
        RenderWait longer = new RenderWait(Duration.ofSeconds(2), Duration.ofSeconds(60));
        try (ScriptedSite site = new ScriptedSite().page("/", "setTimeout(() => { " + MAKE + " }, 1000)");
                Rendered rendered = new Rendered("all", browser(), LOOPBACK, longer, System::nanoTime).open(site)) {
            assertThat(Rendered.text(rendered.page(site.url("/")))).contains("<a href=\"next\">next</a>");
            assertThat(rendered.record).doesNotContainKey("ready");
        }
    }
}
