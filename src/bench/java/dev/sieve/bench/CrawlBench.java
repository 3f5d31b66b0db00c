package dev.sieve.bench;

import com.sun.management.OperatingSystemMXBean;
import dev.sieve.Sieve;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.crawl.Crawler;
import dev.sieve.demo.DemoWeb;
import dev.sieve.scope.Scope;
import dev.sieve.stage.AllStages;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import us.codecraft.webmagic.Page;
import us.codecraft.webmagic.Site;
import us.codecraft.webmagic.Spider;
import us.codecraft.webmagic.processor.PageProcessor;

/**
 * Whole crawls of one web by several crawlers, each in a cold process of its own, in turns. Where it can be, they are kept
 * to one processor and the server to another; with {@code -p processors=2}, they take what there is. {@code script} is the
 * sieve with the options for Java of the start script; {@code wget2} takes part if it is on the PATH.
 *
 * <p>{@code -p start=URL} is where a web begins that another program serves, and {@code -p prefix=} what all its URLs begin
 * with; without them, a demo web of {@code -p pages=10000} with {@code -p bytes=26000} each is served. {@code -p trust=FILE}
 * has the certificates that are trusted in place of Java's, in PKCS #12 with the password {@code changeit}. {@code -f} is the
 * number of rounds.
 */
final class CrawlBench {
    private static final int THREADS = 16;
    private static final long START = System.nanoTime();
    private static final AtomicInteger PAGES = new AtomicInteger();
    private static final AtomicLong BYTES = new AtomicLong();
    private static volatile long last = START;

    private CrawlBench() {}

    static void compare(CommandLineOptions line) throws IOException, InterruptedException {
        String start = Bench.parameter(line, "start", "");
        Path folder = Files.createTempDirectory("sieve-bench");
        // WebMagic logs each URL otherwise.
        List<String> jvm = new ArrayList<>(List.of(
                "-Xmx1g",
                "-Dlogback.configurationFile="
                        + Path.of("../test/resources/logback-test.xml").toRealPath()));
        String trust = Bench.parameter(line, "trust", "");
        if (!trust.isEmpty()) {
            jvm.addAll(List.of("-Djavax.net.ssl.trustStore=" + trust, "-Djavax.net.ssl.trustStorePassword=changeit"));
        }
        if (!start.isEmpty()) {
            String prefix = Bench.parameter(line, "prefix", start.substring(0, start.lastIndexOf('/') + 1));
            compare(line, start, prefix, folder, jvm);
            return;
        }
        Bench.pin(1);
        int pages = Integer.parseInt(Bench.parameter(line, "pages", "10000"));
        int bytes = Integer.parseInt(Bench.parameter(line, "bytes", "26000"));
        DemoWeb.Builder web = DemoWeb.builder().hosts(Math.max(1, pages / 250)).pages(pages);
        try (DemoWeb served = web.pageBytes(bytes).slowPages(Duration.ZERO).open()) {
            String hosts = served.expected()
                    .map(page -> page.url().replaceAll("^http://([^/:]*).*", "$1"))
                    .distinct()
                    .map(host -> "127.0.0.1 " + host + "\n")
                    .collect(Collectors.joining());
            // The hosts of the demo web have no addresses but these.
            jvm.add("-Djdk.net.hosts.file=" + Files.writeString(folder.resolve("hosts"), hosts));
            compare(line, served.start(), "http://", folder, jvm);
        }
    }

    /** Begins with a crawl that makes the list of pages, and lets the server warm up. */
    private static void compare(CommandLineOptions line, String start, String prefix, Path folder, List<String> jvm)
            throws IOException, InterruptedException {
        String processors = Bench.parameter(line, "processors", "1");
        List<String> script = new ArrayList<>(jvm);
        script.addAll(Bench.scriptOptions());
        Path list = folder.resolve("pages");
        Bench.fork(jvm, CrawlBench.class, "sieve", start, prefix, list.toString(), processors);
        Optional<String> wget = Program.find("wget2").filter(found -> !prefix.equals("http://"));
        for (int round = 0; round < line.getForkCount().orElse(3); round++) {
            for (String crawler : List.of("script", "sieve", "loop", "webmagic")) {
                List<String> options = crawler.equals("script") ? script : jvm;
                Bench.fork(options, CrawlBench.class, crawler, start, prefix, list.toString(), processors);
            }
            if (wget.isPresent()) {
                Bench.print(
                        "%-9s %s",
                        "wget2",
                        Program.run(
                                folder,
                                List.of(
                                        wget.get(),
                                        "-r",
                                        "-l",
                                        "inf",
                                        "-np",
                                        "-q",
                                        "--delete-after",
                                        "--no-check-certificate",
                                        "--max-threads=" + THREADS,
                                        start)));
            }
        }
    }

    /**
     * One crawl, from the start of its process to the last page.
     *
     * @param args the crawler, the URL to start from, what URLs that belong to the web begin with, the file with its
     *     pages, which the sieve writes where it does not exist, and the number of processors
     */
    public static void main(String[] args) throws Exception {
        if (args[4].equals("1")) {
            Bench.pin(0);
        }
        String start = args[1];
        String prefix = args[2];
        Path list = Path.of(args[3]);
        switch (args[0]) {
            case "sieve", "script" -> sieve(start, prefix, list);
            case "loop" -> loop(Files.readAllLines(list));
            case "webmagic" -> webMagic(start, prefix);
            default -> throw new IllegalArgumentException("not a crawler: " + args[0]);
        }
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        double cpuSeconds = system.getProcessCpuTime() / 1e9;
        Bench.print(
                "%-9s %,d pages: %.2f CPU seconds per 1,000; %.1f MB per CPU second; %.0f pages per second; %.0f MB at most",
                args[0],
                PAGES.get(),
                cpuSeconds * 1000 / PAGES.get(),
                BYTES.get() / 1e6 / cpuSeconds,
                PAGES.get() / ((last - START) / 1e9),
                Program.peakMegabytes(Path.of("/proc/self/status")));
    }

    private static void fetched(int bytes) {
        PAGES.incrementAndGet();
        BYTES.addAndGet(bytes);
        last = System.nanoTime();
    }

    private static void sieve(String start, String prefix, Path list) throws IOException {
        CrawlOptions options = new CrawlOptions()
                .scope(Scope.Kind.ANY)
                .include("^" + Pattern.quote(prefix))
                .delay(Duration.ZERO)
                .perHost(THREADS)
                .concurrency(THREADS);
        List<String> pages = new ArrayList<>();
        try (Crawler crawler = new Crawler(options, new Sieve(1_000_000), AllStages::of)) {
            crawler.open(start);
            crawler.seed(start);
            crawler.run(visit -> {
                if (visit.isSuccess() && visit.page().isHtml()) {
                    fetched(visit.page().body().length);
                    pages.add(visit.url());
                }
            });
        }
        if (Files.notExists(list)) {
            Files.write(list, pages);
        }
    }

    /** The least that a crawl can be: no queue and nothing remembered, since all pages are known beforehand. */
    private static void loop(List<String> urls) throws InterruptedException {
        OkHttpClient client = new OkHttpClient();
        ExecutorService workers = Executors.newFixedThreadPool(THREADS);
        for (String url : urls) {
            workers.execute(() -> read(client, url));
        }
        workers.shutdown();
        workers.awaitTermination(1, TimeUnit.DAYS);
        client.dispatcher().executorService().shutdown();
        client.connectionPool().evictAll();
    }

    private static void read(OkHttpClient client, String url) {
        Request request = new Request.Builder().url(url).build();
        try (Response response = client.newCall(request).execute()) {
            String html = response.body().string();
            Document document = Jsoup.parse(html, url);
            int links = 0;
            for (Element link : document.select("a[href]")) {
                links += link.absUrl("href").isEmpty() ? 0 : 1;
            }
            if (links >= 0) {
                fetched(html.length());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(url, e);
        }
    }

    /** WebMagic as it comes, told the charset, with no pauses; its links are cut at the fragment. */
    private static void webMagic(String start, String prefix) {
        Site site = Site.me().setCharset("UTF-8").setSleepTime(0).setTimeOut(30_000);
        PageProcessor processor = new PageProcessor() {
            @Override
            public void process(Page page) {
                for (String link : page.getHtml().links().all()) {
                    int fragment = link.indexOf('#');
                    String url = fragment < 0 ? link : link.substring(0, fragment);
                    if (url.startsWith(prefix)) {
                        page.addTargetRequest(url);
                    }
                }
                boolean isHtml = page.getHeaders().entrySet().stream()
                        .anyMatch(header -> header.getKey().equalsIgnoreCase("Content-Type")
                                && header.getValue().get(0).contains("html"));
                if (isHtml) {
                    fetched(page.getRawText().length());
                }
            }

            @Override
            public Site getSite() {
                return site;
            }
        };
        // Without a pipeline of ours it prints each page.
        Spider spider = Spider.create(processor)
                .addPipeline((items, task) -> {})
                .addUrl(start)
                .thread(THREADS);
        spider.setEmptySleepTime(1000);
        spider.run();
    }
}
