package loop;

import dev.sieve.durable.DurableSieve;
import dev.sieve.url.UrlNormalizer;
import java.nio.file.Path;
import okhttp3.OkHttpClient;

/** Visits the pages below a URL; the folder {@code crawl} keeps what is known, so that the next start goes on. */
public final class Main {
    private Main() {}

    public static void main(String[] args) throws Exception {
        String start = UrlNormalizer.key(args[0]);
        OkHttpClient client = new OkHttpClient.Builder().followRedirects(false).build();
        try (DurableSieve frontier = DurableSieve.open(Path.of("crawl"), 1_000_000)) {
            frontier.push(start);
            new Loop(
                            frontier,
                            client,
                            url -> url.startsWith(start),
                            page -> System.out.println(page.location() + " " + page.title()))
                    .run(4);
        }
    }
}
