package dev.sieve.serve;

import static org.assertj.core.api.Assertions.assertThat;

import crawlercommons.urlfrontier.URLFrontierGrpc;
import crawlercommons.urlfrontier.URLFrontierGrpc.URLFrontierBlockingStub;
import crawlercommons.urlfrontier.Urlfrontier.AckMessage;
import crawlercommons.urlfrontier.Urlfrontier.URLInfo;
import crawlercommons.urlfrontier.Urlfrontier.URLItem;
import dev.sieve.demo.DemoRequest;
import dev.sieve.demo.DemoWeb;
import dev.sieve.judge.PolitenessJudge;
import dev.sieve.url.UrlNormalizer;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.select.Elements;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two crawlers on one server, made of the generated client of the protocol, OkHttp and jsoup. */
class TwoCrawlersTest {
    private static final OkHttpClient HTTP = new OkHttpClient.Builder()
            .followRedirects(false)
            .dns(host -> List.of(DemoWeb.resolve(host)))
            .build();

    @Test
    @Tag("slow")
    void togetherTheyRequestEachUrlOfAWebOnce(@TempDir Path folder) throws Exception {
        try (DemoWeb web = PolitenessJudge.web().recorded(10_000).open();
                Door door = new Door(folder);
                Crawler one = new Crawler(door);
                Crawler other = new Crawler(door)) {
            door.noDelay();
            door.discover(web.start());

            boolean isOver = false;
            while (!isOver) {
                List<URLInfo> ofOne = one.get();
                List<URLInfo> ofOther = other.get();
                one.visit(ofOne);
                other.visit(ofOther);
                isOver = ofOne.isEmpty() && ofOther.isEmpty();
            }

            assertThat(web.requests().stream().map(DemoRequest::url))
                    .containsExactlyInAnyOrderElementsOf(
                            web.expected().map(DemoWeb.Expected::url).toList());
            assertThat(one.visited).isGreaterThan(100);
            assertThat(other.visited).isGreaterThan(100);
            assertThat(door.numbers().subList(1, 4))
                    .containsExactly(0L, 0L, web.expected().count());
        } finally {
            HTTP.connectionPool().evictAll();
        }
    }

    private static final class Crawler implements AutoCloseable {
        private final ManagedChannel channel;
        private final URLFrontierBlockingStub frontier;
        private int visited;

        Crawler(Door door) {
            channel = ManagedChannelBuilder.forAddress("127.0.0.1", door.server.port())
                    .usePlaintext()
                    .build();
            frontier = URLFrontierGrpc.newBlockingStub(channel);
        }

        List<URLInfo> get() {
            List<URLInfo> urls = new ArrayList<>();
            frontier.getURLs(Door.request(5, 5).build()).forEachRemaining(urls::add);
            return urls;
        }

        /** Sends the links of each page before it reports that the page is known. */
        void visit(List<URLInfo> urls) throws Exception {
            Door.Collector<AckMessage> acks = new Door.Collector<>();
            StreamObserver<URLItem> stream = URLFrontierGrpc.newStub(channel).putURLs(acks);
            for (URLInfo url : urls) {
                links(url.getUrl()).forEach(link -> stream.onNext(Door.discovered(link)));
                stream.onNext(Door.known(url, 0));
                visited++;
            }
            stream.onCompleted();
            acks.await();
        }

        private static Set<String> links(String url) throws IOException {
            Set<String> links = new HashSet<>();
            try (Response response =
                    HTTP.newCall(new Request.Builder().url(url).build()).execute()) {
                add(links, url, response.header("Location", url));
                if (response.isSuccessful()
                        && response.header("Content-Type", "").startsWith("text/html")) {
                    String charset = response.body().contentType().parameter("charset");
                    Document page = Jsoup.parse(response.body().byteStream(), charset, url);
                    Elements found = page.select("a, area, frame, iframe, link[rel~=next|prev]");
                    found.eachAttr("href").forEach(href -> add(links, page.baseUri(), href));
                    found.eachAttr("src").forEach(src -> add(links, page.baseUri(), src));
                }
            }
            return links;
        }

        /** Adds a link that robots.txt does not disallow, as its key, by which the web knows it too. */
        private static void add(Set<String> links, String base, String reference) {
            String url = UrlNormalizer.base(base).resolve(reference);
            if (url != null && !url.contains("/private/")) {
                links.add(UrlNormalizer.key(url));
            }
        }

        @Override
        public void close() {
            channel.shutdownNow();
        }
    }
}
