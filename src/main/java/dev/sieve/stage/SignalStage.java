package dev.sieve.stage;

import dev.sieve.crawl.Stage;
import dev.sieve.crawl.StageVisit;
import dev.sieve.crawl.Target;
import dev.sieve.crawl.VisitContext;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.io.LruMap;
import dev.sieve.robots.RobotsRules;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Adds to the record of a page how its content may be used, by its robots.txt and its header fields. Decides nothing. */
final class SignalStage implements Stage {
    private static final int MAX_LENGTH = 500;
    private static final long MAX_BYTES = 1 << 20;

    /** What robots.txt says of URLs that are being requested. */
    private final LruMap<Map<String, String>> ofRobots =
            new LruMap<>(MAX_BYTES, map -> 256L + 2L * String.valueOf(map).length());

    @Override
    public void rules(Target target, RobotsRules rules) {
        Map<String, String> signals = rules.signals(target.url());
        if (!signals.isEmpty()) {
            ofRobots.put(target.url(), signals);
        }
    }

    @Override
    public StageVisit visit(VisitContext visit) {
        return new StageVisit() {
            @Override
            public void visited() {
                String url = visit.target().url();
                Map<String, Object> signals = new LinkedHashMap<>();
                Map<String, String> robots = ofRobots.get(url);
                if (robots != null) {
                    ofRobots.remove(url);
                    signals.put("robots", robots);
                }
                Map<String, String> headers = visit.result() instanceof Page page ? headers(page) : Map.of();
                if (!headers.isEmpty()) {
                    signals.put("headers", headers);
                }
                if (visit.result() instanceof Page) {
                    visit.signals(signals);
                }
            }
        };
    }

    private static Map<String, String> headers(Page page) {
        Map<String, String> found = new LinkedHashMap<>();
        for (String name : RobotsRules.SIGNALS) {
            List<String> values = page.headers().getOrDefault(name, List.of());
            if (!values.isEmpty()) {
                String all = String.join(", ", values);
                found.put(name, all.substring(0, Math.min(all.length(), MAX_LENGTH)));
            }
        }
        return found;
    }
}
