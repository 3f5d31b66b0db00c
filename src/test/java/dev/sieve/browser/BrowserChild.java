package dev.sieve.browser;

import java.nio.file.Path;

/** Renders a page in a process of its own, which then waits to be killed. */
final class BrowserChild {
    private BrowserChild() {}

    public static void main(String[] args) throws Exception {
        ScriptedSite site = new ScriptedSite().page("/", "document.body.innerHTML = '<h1>made</h1>'");
        Rendered rendered = new Rendered("all", Path.of(args[0])).open(site);
        System.out.println(Rendered.text(rendered.page(site.url("/"))).contains("<h1>made</h1>"));
        System.out.flush();
        Thread.currentThread().join();
    }
}
