package dev.sieve.stage;

import dev.sieve.crawl.Stage;
import dev.sieve.crawl.StageVisit;
import dev.sieve.crawl.Target;
import dev.sieve.crawl.VisitContext;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.io.LruMap;
import dev.sieve.output.VisitField;
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

    /** Whether the robots.txt of any origin says something, so that most crawls need no lock. */
    private volatile boolean hasRobots;

    @Override
    public void rules(Target target, RobotsRules rules) {
        Map<String, String> signals = rules.signals(target.url());
        if (!signals.isEmpty()) {
            ofRobots.put(target.url(), signals);
            hasRobots = true;
        }
    }

    @Override
    public StageVisit visit(VisitContext visit) {
        return new StageVisit() {
            @Override
            public void visited() {
                add(visit);
            }
        };
    }

    private void add(VisitContext visit) {
        Map<String, String> robots = hasRobots ? taken(visit.target().url()) : Map.of();
        Map<String, String> headers = visit.result() instanceof Page page ? headers(page) : Map.of();
        if (visit.result() instanceof Page && !(robots.isEmpty() && headers.isEmpty())) {
            Map<String, Object> signals = new LinkedHashMap<>();
            if (!robots.isEmpty()) {
                signals.put("robots", robots);
            }
            if (!headers.isEmpty()) {
                signals.put("headers", headers);
            }
            visit.add(VisitField.SIGNALS, signals);
        }
    }

    private Map<String, String> taken(String url) {
        Map<String, String> signals = ofRobots.get(url);
        ofRobots.remove(url);
        return signals == null ? Map.of() : signals;
    }

    private static Map<String, String> headers(Page page) {
        Map<String, String> found = Map.of();
        for (String name : RobotsRules.SIGNALS) {
            List<String> values = page.headers().get(name);
            if (values != null) {
                found = found.isEmpty() ? new LinkedHashMap<>() : found;
                String all = String.join(", ", values);
                found.put(name, all.substring(0, Math.min(all.length(), MAX_LENGTH)));
            }
        }
        return found;
    }
}
