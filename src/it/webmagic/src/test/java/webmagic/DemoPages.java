package webmagic;

import dev.sieve.url.UrlNormalizer;
import java.nio.charset.Charset;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.http.client.config.RequestConfig;
import org.apache.http.client.methods.Configurable;
import org.apache.http.client.methods.RequestBuilder;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import us.codecraft.webmagic.Page;
import us.codecraft.webmagic.Request;
import us.codecraft.webmagic.Site;
import us.codecraft.webmagic.downloader.Downloader;
import us.codecraft.webmagic.downloader.HttpClientDownloader;
import us.codecraft.webmagic.downloader.HttpClientRequestContext;
import us.codecraft.webmagic.downloader.HttpUriRequestConverter;
import us.codecraft.webmagic.processor.PageProcessor;
import us.codecraft.webmagic.proxy.Proxy;
import us.codecraft.webmagic.proxy.SimpleProxyProvider;

/** Finds the links of a demo web, redirects included. */
final class DemoPages implements PageProcessor {
    private final Site site =
            Site.me().setSleepTime(0).setTimeOut(30_000).setAcceptStatCode(Set.of(200, 301, 302, 307, 308));
    private final Consumer<String> found;

    /** Calls back with the URL of each page. */
    DemoPages(Consumer<String> found) {
        this.found = found;
    }

    @Override
    public void process(Page page) {
        String url = page.getRequest().getUrl();
        if (page.getStatusCode() != 200) {
            header(page, "location").forEach(target -> add(page, UrlNormalizer.base(url), target));
            return;
        }
        if (header(page, "content-type").get(0).startsWith("text/html")) {
            // WebMagic leaves a byte order mark in the text, after which jsoup accepts no frames.
            Document html = Jsoup.parse(page.getRawText().replace("\ufeff", ""), url);
            var base = UrlNormalizer.base(html.baseUri(), Charset.forName(page.getCharset()));
            var elements = html.select("a, area, frame, iframe, link[rel~=next|prev]");
            elements.eachAttr("href").forEach(target -> add(page, base, target));
            elements.eachAttr("src").forEach(target -> add(page, base, target));
        }
        found.accept(url);
    }

    private static List<String> header(Page page, String name) {
        return page.getHeaders().entrySet().stream()
                .filter(header -> header.getKey().toLowerCase(Locale.ROOT).equals(name))
                .flatMap(header -> header.getValue().stream())
                .toList();
    }

    private static void add(Page page, UrlNormalizer.Base base, String target) {
        String url = base.resolve(target);
        if (url != null && !url.contains("/private/")) {
            page.addTargetRequest(UrlNormalizer.key(url));
        }
    }

    @Override
    public Site getSite() {
        return site;
    }

    /** WebMagic's own downloader, with the web as its proxy, that leaves redirects to the spider. */
    static Downloader downloader(int port) {
        HttpClientDownloader downloader = new HttpClientDownloader();
        downloader.setProxyProvider(SimpleProxyProvider.from(new Proxy("127.0.0.1", port)));
        downloader.setHttpUriRequestConverter(new HttpUriRequestConverter() {
            @Override
            public HttpClientRequestContext convert(Request request, Site site, Proxy proxy) {
                HttpClientRequestContext context = super.convert(request, site, proxy);
                RequestConfig config = ((Configurable) context.getHttpUriRequest()).getConfig();
                context.setHttpUriRequest(RequestBuilder.copy(context.getHttpUriRequest())
                        .setConfig(RequestConfig.copy(config)
                                .setRedirectsEnabled(false)
                                .build())
                        .build());
                return context;
            }
        });
        return downloader;
    }
}
