package dev.sieve.browser;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.fetch.AddressPolicy;
import dev.sieve.fetch.FetchRequest;
import dev.sieve.fetch.FetchResult;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.Fetcher;
import dev.sieve.fetch.PageFetcher;
import dev.sieve.fetch.ProxySettings;
import dev.sieve.fetch.Resolver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/** A stage that renders the pages of a fetcher, and what is checked of it. */
final class Rendered implements AutoCloseable {
    /** For pages that make all by scripts that request the next part at once, or wait for nothing. */
    static final RenderWait SHORT = new RenderWait(Duration.ofMillis(200), Duration.ofSeconds(5));

    final Fetcher documents;
    final RenderStage stage;
    /** What the record of the last page says of its rendering; null if it was not rendered. */
    Map<String, Object> record;

    Rendered(String rule, Path browser) {
        this(rule, browser, Rendered::address);
    }

    /** All names below localhost are loopback, whatever the system says of them. */
    private static List<InetAddress> address(String host) throws UnknownHostException {
        return List.of(InetAddress.getByName(host.endsWith(".localhost") ? "localhost" : host));
    }

    Rendered(Path browser, RenderWait wait) {
        this("all", browser, Rendered::address, wait, System::nanoTime);
    }

    Rendered(String rule, Path browser, Resolver resolver) {
        this(rule, browser, resolver, RenderWait.DEFAULT, System::nanoTime);
    }

    Rendered(String rule, Path browser, Resolver resolver, RenderWait wait, LongSupplier nanoTime) {
        documents = new Fetcher(new Fetcher.Options(
                "sieve-test/1",
                Map.of("X-Secret", "yes"),
                Duration.ofSeconds(10),
                1 << 20,
                8,
                resolver,
                AddressPolicy.publicOnly(),
                32 << 20,
                ProxySettings.NONE,
                false));
        stage = new RenderStage(new RenderRule(rule), browser, "sieve-test/1", 1 << 20, false, wait, nanoTime);
    }

    /** Returns a new site whose pages can be rendered. */
    ScriptedSite site() {
        ScriptedSite site = new ScriptedSite();
        open(site);
        return site;
    }

    Rendered open(ScriptedSite site) {
        documents.open(site.url("/"));
        return this;
    }

    FetchResult fetch(FetchRequest request) {
        record = null;
        FetchResult result = stage.fetch(request, documents, made -> record = made);
        documents.release(result);
        return result;
    }

    Page page(String url) {
        return (Page) fetch(new FetchRequest(url));
    }

    /** Renders a page whose requests are answered by a fetcher of the test. */
    Page page(String url, PageFetcher web) {
        return (Page) stage.fetch(new FetchRequest(url), web, made -> record = made);
    }

    boolean isRendered() {
        return record != null && !record.containsKey("error");
    }

    static String text(Page page) {
        return new String(page.body(), UTF_8);
    }

    @Override
    public void close() {
        stage.stop();
        documents.close();
    }

    /** Returns the profiles of this program's browsers that were not deleted. */
    static List<Path> folders() {
        return folders(ProcessHandle.current().pid());
    }

    /** Returns those of the browsers that a program has started. */
    static List<Path> folders(long program) {
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return files.filter(file -> file.getFileName().toString().startsWith("sieve-browser-" + program + "-"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the processes of browsers with these profiles. */
    static List<ProcessHandle> processes(List<Path> profiles) {
        return ProcessHandle.allProcesses()
                .filter(process -> profiles.stream()
                        .anyMatch(profile ->
                                process.info().commandLine().orElse("").contains(profile.toString())))
                .toList();
    }
}
