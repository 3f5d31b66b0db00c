package webmagic;

import dev.sieve.durable.DurableSieve;
import java.io.IOException;
import java.nio.file.Path;
import java.util.regex.Pattern;
import us.codecraft.webmagic.Page;
import us.codecraft.webmagic.Site;
import us.codecraft.webmagic.downloader.HttpClientDownloader;
import us.codecraft.webmagic.processor.PageProcessor;

/** Visits the pages below a URL; the folder {@code crawl} keeps what is known, so that the next start goes on. */
public final class Main implements PageProcessor {
    private final Pattern scope;

    private Main(String start) {
        scope = Pattern.compile(Pattern.quote(start) + ".*");
    }

    @Override
    public void process(Page page) {
        page.putField("url", page.getUrl());
        page.getHtml().links().all().stream()
                .filter(link -> scope.matcher(link).matches())
                .forEach(page::addTargetRequest);
    }

    @Override
    public Site getSite() {
        return Site.me().setSleepTime(1000);
    }

    public static void main(String[] args) throws IOException {
        try (DurableSieve frontier = DurableSieve.open(Path.of("crawl"), 1_000_000)) {
            Crawl.spider(new Main(args[0]), new HttpClientDownloader(), frontier)
                    .addUrl(args[0])
                    .thread(4)
                    .run();
        }
    }
}
