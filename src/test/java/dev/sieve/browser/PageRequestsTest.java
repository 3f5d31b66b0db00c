package dev.sieve.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.sieve.fetch.FetchResult.Page;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What scripts may expect of the requests of a browser. */
@Tag("browser")
@Tag("slow")
@Timeout(120)
@ExtendWith(BrowserExtension.class)
class PageRequestsTest {
    @Test
    void whateverIsNotLoadedHasFailed(Rendered rendered) {
        try (ScriptedSite site = rendered.site()) {
            site.page("/", """
                    const says = text => document.body.append(text + ';');
                    const add = (name, attributes) => {
                      const e = Object.assign(document.createElement(name), attributes);
                      e.onload = () => says(name + ' loaded');
                      e.onerror = () => says(name + ' failed');
                      document.body.append(e);
                    };
                    add('img', {src: '/i.png'});
                    add('iframe', {src: '/f'});
                    add('object', {data: '/o.svg'});
                    add('video', {src: '/v.mp4'});
                    add('link', {rel: 'preload', as: 'image', href: '/p.png'});
                    new FontFace('x', 'url(/f.woff2)').load().catch(() => says('font failed'));
                    const image = new Image();
                    image.src = '/d.png';
                    image.decode().catch(() => says('decode failed'));
                    fetch('/post', {method: 'POST', body: 'x'}).catch(() => says('post failed'));
                    fetch('http://other.test/', {headers: {'X-A': '1'}}).catch(() => says('preflight failed'));
                    new EventSource('/events').onerror = () => says('stream failed')""");

            Page page = rendered.page(site.url("/"));

            assertThat(Rendered.text(page))
                    .contains("img failed;", "iframe loaded;", "object failed;", "video failed;", "link failed;")
                    .contains("font failed;", "decode failed;", "post failed;", "preflight failed;", "stream failed;");
            assertThat(site.requests()).containsExactly("GET /");
            // The frame and the object too, but nothing that is only seen or heard.
            assertThat(rendered.record).containsEntry("refused", 5);
        }
    }

    /** As htmx and its kin: the server has another response for them. */
    @Test
    void headerFieldsOfScriptsAreSent(Rendered rendered) {
        try (ScriptedSite site = rendered.site()) {
            site.page("/", """
                    fetch('/part', {headers: {'HX-Request': 'true', 'RSC': '1', apikey: 'k'}})""").on("/part", "text/plain", "part");
            rendered.page(site.url("/"));

            assertThat(site.fields("/part"))
                    .containsEntry("HX-Request", "true")
                    .containsEntry("RSC", "1")
                    .containsEntry("apikey", "k");
        }
    }

    @Test
    void aPageThatSetsACookieAndReloadsIsRequestedWithIt(Rendered rendered) {
        try (ScriptedSite site = rendered.site()) {
            site.page("/", """
                    if (document.cookie) { document.body.append('has ' + document.cookie) }
                    else { document.cookie = 'seen=1'; location.reload() }""");

            Page page = rendered.page(site.url("/"));

            assertThat(Rendered.text(page)).contains("has seen=1<");
            assertThat(site.cookies()).containsExactly("/ null", "/ seen=1");
            assertThat(rendered.record).containsEntry("requests", 1);
            rendered.page(site.url("/"));
            assertThat(site.cookies()).hasSize(4).endsWith("/ null", "/ seen=1");
        }
    }

    @Test
    void aReloadWithTheSameCookiesShowsTheSameDocument(Rendered rendered) {
        try (ScriptedSite site = rendered.site()) {
            site.page("/", """
                            if (sessionStorage.seen) { document.body.append('seen before') }
                            else { sessionStorage.seen = 1; location.reload() }""").page("/always", "document.body.append('shown'); location.reload()");

            assertThat(Rendered.text(rendered.page(site.url("/")))).contains("seen before<");
            assertThat(Rendered.text(rendered.page(site.url("/always")))).contains("shown<");
            assertThat(site.requests()).containsExactly("GET /", "GET /always");
        }
    }

    @Test
    void cookiesOfRequestsAreSentInTheNextOnes(Rendered rendered) {
        try (ScriptedSite site = rendered.site()) {
            site.on(
                            "/",
                            "text/html",
                            "<body><script>fetch('/a').then(() => fetch('/b'))</script>",
                            "Set-Cookie",
                            "own=1; HttpOnly")
                    .on("/a", "text/plain", "a", "Set-Cookie", "a=1")
                    .on("/b", "text/plain", "b");
            rendered.page(site.url("/"));

            assertThat(site.cookies()).containsExactly("/ null", "/a own=1", "/b own=1; a=1");
        }
    }

    @Test
    void aBodyThatIsNeverReadIsNotWaitedFor(Rendered rendered) {
        try (ScriptedSite site = rendered.site()) {
            site.page("/", "fetch('/large').then(r => document.body.append('status ' + r.status))")
                    .on("/large", "text/plain", "x".repeat(900_000));

            assertThat(Rendered.text(rendered.page(site.url("/")))).contains("status 200");
            assertThat(rendered.record).doesNotContainKey("ready").doesNotContainKey("error");
        }
    }

    @Test
    void refusalsOfFramesAreCounted(Rendered rendered) {
        String post = "fetch('/post', {method: 'POST'}).catch(e => 0)";
        try (ScriptedSite site = rendered.site()) {
            site.page(
                    "/",
                    "const add = () => document.body.appendChild(document.createElement('iframe'));"
                            + "add().contentWindow.eval(\"" + post + "\"); add().srcdoc = \"<script>" + post
                            + "</scr\" + \"ipt>\"");
            rendered.page(site.url("/"));

            assertThat(rendered.record).containsEntry("refused", 2);
            assertThat(site.requests()).containsExactly("GET /");
        }
    }

    /** More than a page may have requests, each of which is a message to the browser. */
    @Test
    void aPageWithTooManyRequestsEndsOnlyItself(Rendered rendered) {
        try (ScriptedSite site = rendered.site()) {
            site.page("/", "for (let i = 0; i < 12000; i++) { new Image().src = '/i' + i }")
                    .page("/next", "document.body.append('ma' + 'de')");
            rendered.page(site.url("/"));

            assertThat(rendered.record).containsAnyOf(entry("ready", false), entry("error", "no response in time"));
            assertThat(Rendered.text(rendered.page(site.url("/next")))).contains("made");
            assertThat(rendered.isRendered()).isTrue();
        }
    }
}
