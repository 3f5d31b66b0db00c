package dev.sieve.bench;

import dev.sieve.demo.DemoWeb;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Collectors;

/** Serves a demo web of large pages until its standard input ends. */
final class CrawlServer {
    private static final int PAGE_BYTES = 26_000;

    private CrawlServer() {}

    /**
     * Prints where to start.
     *
     * @param args how many pages there are, and the file that the addresses of the hosts are written to
     */
    public static void main(String[] args) throws IOException {
        int pages = Integer.parseInt(args[0]);
        DemoWeb.Builder web = DemoWeb.builder()
                .hosts(Math.max(1, pages / 250))
                .pages(pages)
                .pageBytes(PAGE_BYTES)
                .slowPages(Duration.ZERO);
        try (DemoWeb served = web.open()) {
            String hosts = served.expected()
                    .map(page -> page.url().replaceAll("^http://([^/:]*).*", "$1"))
                    .distinct()
                    .map(host -> "127.0.0.1 " + host + "\n")
                    .collect(Collectors.joining());
            Files.writeString(Path.of(args[1]), hosts);
            System.out.println(served.start());
            System.in.transferTo(OutputStream.nullOutputStream());
        }
    }
}
