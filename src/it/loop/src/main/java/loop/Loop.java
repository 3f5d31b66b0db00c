package loop;

import dev.sieve.*;
import dev.sieve.url.UrlNormalizer;
import java.util.concurrent.*;
import java.util.function.*;
import okhttp3.*;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;

/** Visits every page in scope once. The client must not follow redirects: their targets are links. */
record Loop(Frontier frontier, OkHttpClient client, Predicate<String> scope, Consumer<Document> sink) {
    void run(int requests) throws InterruptedException {
        CompletionService<Void> visits = new ExecutorCompletionService<>((Executor) threads(requests));
        for (int running = 0; running > 0 || frontier.pending() > 0; ) {
            Lease lease = running < requests ? frontier.take(System.nanoTime()) : null;
            if (lease != null) {
                visits.submit(() -> visit(lease, new UrlBatch(lease.depth() + 1, 0, lease.url())), null);
                running++;
            } else if (visits.poll(1, TimeUnit.SECONDS) != null) {
                running--;
            }
        }
    }

    private static Object threads(int most) {
        try { // virtual threads, since Java 21
            return Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (ReflectiveOperationException e) {
            return new ForkJoinPool(most);
        }
    }

    private void visit(Lease lease, UrlBatch links) {
        try (Response response =
                client.newCall(new Request.Builder().url(lease.url()).build()).execute()) {
            add(lease.url(), response.header("Location", ""), links); // a redirect, or the page itself, which is known
            if (response.isSuccessful() && response.header("Content-Type", "").startsWith("text/html")) {
                String charset = response.body().contentType().parameter("charset");
                Document page = Jsoup.parse(response.body().byteStream(), charset, lease.url());
                var elements = page.select("a, area, frame, iframe, link[rel~=next|prev]");
                elements.eachAttr("href").forEach(href -> add(page.baseUri(), href, links));
                elements.eachAttr("src").forEach(src -> add(page.baseUri(), src, links));
                sink.accept(page);
            }
            frontier.pushAll(links); // before done: if the process ends in between, the page is visited again
            frontier.done(lease);
        } catch (Exception e) {
            System.err.println(lease.url() + ": " + e); // after three attempts it waits for the next start
            if (lease.attempt() < 2) frontier.retry(lease, System.nanoTime() + 1_000_000_000L);
        }
    }

    private void add(String base, String reference, UrlBatch links) {
        String url = UrlNormalizer.base(base).resolve(reference);
        if (url != null && scope.test(url)) {
            links.add(url, UrlNormalizer.key(url));
        }
    }
}
