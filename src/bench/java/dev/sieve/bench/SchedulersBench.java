package dev.sieve.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sieve.Frontier;
import dev.sieve.Sieve;
import dev.sieve.durable.DurableSieve;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.slf4j.LoggerFactory;
import us.codecraft.webmagic.Page;
import us.codecraft.webmagic.Request;
import us.codecraft.webmagic.Site;
import us.codecraft.webmagic.Spider;
import us.codecraft.webmagic.processor.PageProcessor;
import us.codecraft.webmagic.scheduler.BloomFilterDuplicateRemover;
import us.codecraft.webmagic.scheduler.FileCacheQueueScheduler;
import us.codecraft.webmagic.scheduler.QueueScheduler;
import us.codecraft.webmagic.scheduler.Scheduler;
import webmagic.SieveScheduler;

/**
 * The schedulers of WebMagic beside the one in {@code src/it/webmagic}: bytes per seen URL, pages per second, and how many
 * pages are lost or processed again when crawls are killed at random moments and continued.
 *
 * <p>{@code -p urls=1000000} are pushed to measure memory; {@code -p pages=20000} are crawled, {@code -f} times; {@code -p
 * kills=20} crawls of 3,000 pages are killed, each response of which takes {@code -p millis=50}.
 */
final class SchedulersBench {
    private static final int THREADS = 8;
    private static final int CATEGORIES = 10;
    private static final int LISTED = 20;
    private static final int KILLED_PAGES = 3000;
    /** Filters of crawls are this much too large: that of a FileCacheQueueScheduler misses 1 % when full. */
    private static final int SPARE = 10;

    private static final double RATE = Sieve.DEFAULT_FALSE_POSITIVE_RATE;
    private static final String TEXT = "<p>Some text. " + "A page has some text. ".repeat(50);

    private enum Way {
        HASH_SET,
        BLOOM,
        FILE,
        SIEVE,
        DURABLE_SIEVE
    }

    private SchedulersBench() {}

    static void compare(CommandLineOptions line) throws Exception {
        Path folder = Files.createTempDirectory("sieve-bench");
        String urls = Bench.parameter(line, "urls", "1000000");
        for (Way way : Way.values()) {
            Bench.fork(
                    List.of("-Xmx1g"),
                    SchedulersBench.class,
                    "memory",
                    way.name(),
                    folder.resolve("memory-" + way).toString(),
                    urls);
        }
        int pages = Integer.parseInt(Bench.parameter(line, "pages", "20000"));
        try (Catalogue catalogue = new Catalogue(pages, 0)) {
            for (int round = 0; round < line.getForkCount().orElse(3); round++) {
                for (Way way : Way.values()) {
                    Path crawl = folder.resolve("crawl-" + way + round);
                    int exitCode = start(way, crawl, catalogue).waitFor();
                    Bench.print(
                            "%-14s %,8d of %,d pages%s",
                            way,
                            lines(crawl).stream().distinct().count(),
                            pages,
                            exitCode == 0 ? "" : ", exit code " + exitCode);
                }
            }
        }
        kill(folder, Integer.parseInt(Bench.parameter(line, "kills", "20")), Bench.parameter(line, "millis", "50"));
    }

    private static void kill(Path folder, int kills, String millis) throws Exception {
        try (Catalogue catalogue = new Catalogue(KILLED_PAGES, Integer.parseInt(millis))) {
            Random random = new Random(1);
            ExecutorService crawls = Executors.newCachedThreadPool();
            long[] lost = new long[2];
            long[] again = new long[2];
            int[] losing = new int[2];
            for (int kill = 0; kill < kills; kill++) {
                int after = 1 + random.nextInt(KILLED_PAGES - 1);
                List<Way> ways = List.of(Way.FILE, Way.DURABLE_SIEVE);
                List<Future<long[]>> results = new ArrayList<>();
                for (Way way : ways) {
                    Path crawl = folder.resolve("kill-" + way + kill);
                    Callable<long[]> both = () -> killed(way, crawl, catalogue, after);
                    results.add(crawls.submit(both));
                }
                for (int way = 0; way < ways.size(); way++) {
                    long[] result = results.get(way).get();
                    lost[way] += result[0];
                    again[way] += result[1];
                    losing[way] += result[0] > 0 ? 1 : 0;
                    Bench.print(
                            "%-14s killed after %,5d pages: %,5d of %,d pages lost, %,5d processed again",
                            ways.get(way), after, result[0], KILLED_PAGES, result[1]);
                }
            }
            crawls.shutdown();
            Bench.print(
                    "over %d kills: FILE lost %,d pages in %d crawls, %,d again; DURABLE_SIEVE lost %,d in %d, %,d"
                            + " again",
                    kills, lost[0], losing[0], again[0], lost[1], losing[1], again[1]);
        }
    }

    /** Returns how many pages a crawl lost that was killed and continued, and how many it processed again. */
    private static long[] killed(Way way, Path crawl, Catalogue catalogue, int after)
            throws IOException, InterruptedException {
        Process process = start(way, crawl, catalogue);
        while (!process.waitFor(10, TimeUnit.MILLISECONDS) && lines(crawl).size() < after) {
            // wait for the page
        }
        process.destroyForcibly().waitFor();
        removeUnfinishedLine(pages(crawl));
        start(way, crawl, catalogue).waitFor();
        List<String> processed = lines(crawl);
        long distinct = processed.stream().distinct().count();
        return new long[] {KILLED_PAGES - distinct, processed.size() - distinct};
    }

    /** The next process would continue it, and both pages would not be counted. */
    private static void removeUnfinishedLine(Path file) throws IOException {
        String text = Files.readString(file);
        Files.writeString(file, text.substring(0, text.lastIndexOf('\n') + 1));
    }

    private static Process start(Way way, Path crawl, Catalogue catalogue) throws IOException {
        Files.createDirectories(crawl);
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx512m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        SchedulersBench.class.getName(),
                        "crawl",
                        way.name(),
                        crawl.toString(),
                        Integer.toString(catalogue.pages),
                        catalogue.start())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .redirectOutput(
                        catalogue.millis > 0 ? ProcessBuilder.Redirect.DISCARD : ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static Path pages(Path crawl) {
        return crawl.resolve("pages.txt");
    }

    private static List<String> lines(Path crawl) throws IOException {
        return Files.exists(pages(crawl)) ? Files.readAllLines(pages(crawl)) : List.of();
    }

    // In a process of its own

    /** One measurement. Exits explicitly: WebMagic does not close a FileCacheQueueScheduler, whose thread would remain. */
    public static void main(String[] args) throws Exception {
        Way way = Way.valueOf(args[1]);
        Path folder = Path.of(args[2]);
        int urls = Integer.parseInt(args[3]);
        ((Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).setLevel(Level.WARN);
        if (args[0].equals("memory")) {
            memory(way, folder.resolve("warm-up"), 10_000);
            Bench.print("%s", memory(way, folder, urls));
        } else {
            crawl(way, folder, urls, args[4]);
        }
        System.exit(0);
    }

    /** Returns null for a scheduler of WebMagic. */
    private static Frontier frontier(Way way, Path folder, int urls) throws IOException {
        return switch (way) {
            case SIEVE -> new Sieve(urls, RATE);
            case DURABLE_SIEVE -> DurableSieve.open(folder.resolve("frontier"), urls);
            default -> null;
        };
    }

    private static Scheduler scheduler(Way way, Frontier frontier, Path folder, int urls) {
        return switch (way) {
            case HASH_SET -> new QueueScheduler();
            case BLOOM -> new QueueScheduler().setDuplicateRemover(new BloomFilterDuplicateRemover(urls, RATE));
            case FILE -> new FileCacheQueueScheduler(pathFor(urls, folder));
            case SIEVE, DURABLE_SIEVE -> new SieveScheduler(frontier);
        };
    }

    /** A FileCacheQueueScheduler takes the hash of its path for the capacity of its filter, so the path is made to fit. */
    private static String pathFor(int urls, Path folder) {
        for (int i = 0; ; i++) {
            String path = folder.resolve("file" + i) + "/";
            if (path.hashCode() >= urls && path.hashCode() < 2 * urls) {
                return path;
            }
        }
    }

    private static void close(Scheduler scheduler) throws IOException {
        if (scheduler instanceof FileCacheQueueScheduler file) {
            file.close();
        }
    }

    /** Pushes URLs and takes each from the queue at once, so that the memory is that of what was seen. */
    private static String memory(Way way, Path folder, int urls) throws IOException {
        long before = usedBytes();
        try (Frontier frontier = frontier(way, folder, urls)) {
            Scheduler scheduler = scheduler(way, frontier, folder, urls);
            Spider task = Spider.create(new Catalogue.Links(page -> {}));
            int taken = 0;
            for (int i = 0; i < urls; i++) {
                scheduler.push(new Request(url(i)), task);
                Request request = scheduler.poll(task);
                if (request != null) {
                    taken++;
                    if (scheduler instanceof SieveScheduler sieve) {
                        sieve.onSuccess(request);
                    }
                }
            }
            long bytes = usedBytes() - before;
            close(scheduler);
            return String.format(
                    Locale.ROOT,
                    "%-14s %6.1f bytes per seen URL of %d characters, %,d of %,d missed",
                    way,
                    (double) bytes / urls,
                    url(urls - 1).length(),
                    urls - taken,
                    urls);
        }
    }

    private static String url(int number) {
        return "https://www.example.org/catalogue/category-" + number % 1000 + "/item-" + number + ".html";
    }

    private static long usedBytes() {
        Runtime runtime = Runtime.getRuntime();
        for (int i = 0; i < 5; i++) {
            System.gc();
        }
        return runtime.totalMemory() - runtime.freeMemory();
    }

    private static void crawl(Way way, Path folder, int pages, String start) throws IOException {
        try (OutputStream found =
                        Files.newOutputStream(pages(folder), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                Frontier frontier = frontier(way, folder, SPARE * pages)) {
            PageProcessor processor = new Catalogue.Links(url -> append(found, url));
            Scheduler scheduler = scheduler(way, frontier, folder, SPARE * pages);
            Spider spider = Spider.create(processor).setScheduler(scheduler).addPipeline((items, task) -> {});
            if (scheduler instanceof SieveScheduler sieve) {
                spider.setSpiderListeners(List.of(sieve));
            }
            long before = System.nanoTime();
            spider.setEmptySleepTime(100).addUrl(start).thread(THREADS).run();
            double seconds = (System.nanoTime() - before) / 1e9;
            close(scheduler);
            Bench.print("%-14s %,8.0f pages per second", way, spider.getPageCount() / seconds);
        }
    }

    private static void append(OutputStream out, String line) {
        synchronized (out) {
            try {
                out.write((line + "\n").getBytes(UTF_8));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /**
     * A catalogue: its first page links to the first lists of all categories, a list to items and to the next list, all
     * pages to the first page. So new links are found until the end, and a page is linked from one other page only.
     */
    private static final class Catalogue implements AutoCloseable {
        private final int pages;
        private final int millis;
        private final HttpServer server;
        private final ExecutorService threads = Executors.newFixedThreadPool(4 * THREADS);

        Catalogue(int pages, int millis) throws IOException {
            System.setProperty("sun.net.httpserver.nodelay", "true");
            this.pages = pages;
            this.millis = millis;
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext("/", this::respond);
            server.setExecutor(threads);
            server.start();
        }

        String start() {
            return "http://127.0.0.1:" + server.getAddress().getPort() + "/0.html";
        }

        private void respond(HttpExchange exchange) throws IOException {
            try (exchange) {
                Thread.sleep(millis);
                long page = Long.parseLong(exchange.getRequestURI().getPath().replaceAll("\\D", ""));
                StringBuilder html = new StringBuilder("<!DOCTYPE html><a href='0.html'>first</a>");
                for (long link : links(page)) {
                    if (link < pages) {
                        html.append("<p><a href='").append(link).append(".html'>next</a>");
                    }
                }
                byte[] body = html.append(TEXT).toString().getBytes(UTF_8);
                exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private static long[] links(long page) {
            if (page == 0) {
                return LongStream.rangeClosed(1, CATEGORIES).toArray();
            }
            boolean isList = (page - 1) / CATEGORIES % LISTED == 0;
            return LongStream.rangeClosed(1, isList ? LISTED : 0)
                    .map(i -> page + i * CATEGORIES)
                    .toArray();
        }

        @Override
        public void close() {
            server.stop(0);
            threads.shutdownNow();
        }

        private record Links(Consumer<String> found) implements PageProcessor {
            private static final Site SITE = Site.me().setSleepTime(0).setTimeOut(30_000);

            @Override
            public void process(Page page) {
                page.addTargetRequests(page.getHtml().links().all());
                found.accept(page.getRequest().getUrl());
            }

            @Override
            public Site getSite() {
                return SITE;
            }
        }
    }
}
