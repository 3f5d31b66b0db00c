package dev.sieve.cli;

import dev.sieve.Sieve;
import dev.sieve.crawl.Counter;
import dev.sieve.crawl.Counts;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.crawl.CrawlReport;
import dev.sieve.crawl.Crawler;
import dev.sieve.stage.AllStages;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/** Reports of crawls that were never run. */
final class Reports {
    private Reports() {}

    /** The report of a new crawl, except for the counters and the components with these names. */
    static CrawlReport with(Map<String, Object> components) throws IOException, ReflectiveOperationException {
        try (Crawler crawler = new Crawler(new CrawlOptions(), new Sieve(100), AllStages::of)) {
            return with(crawler.report(), components);
        }
    }

    /** A copy of a report, except for the counters with these names, each a number or its parts, and the components. */
    static CrawlReport with(CrawlReport report, Map<String, Object> components) throws ReflectiveOperationException {
        Map<String, Long> sums = new HashMap<>(report.counts().sums());
        Map<String, Map<String, Long>> parts = new HashMap<>(report.counts().parts());
        for (Counter counter : Counter.values()) {
            if (components.get(counter.name()) instanceof Long number) {
                sums.put(counter.key(), number);
            } else if (components.get(counter.name()) instanceof Map<?, ?> map) {
                Map<String, Long> each = new HashMap<>();
                map.forEach((part, number) -> each.put((String) part, (Long) number));
                parts.put(counter.key(), each);
                sums.put(
                        counter.key(),
                        each.values().stream().mapToLong(Long::longValue).sum());
            }
        }
        Map<String, Object> all = new HashMap<>(components);
        all.put("counts", new Counts(sums, parts));
        all.put("pending", copy(report.pending(), components));
        all.put("load", copy(report.load(), components));
        return copy(report, all);
    }

    /** A copy of a record, except for the components with these names. */
    static <T extends Record> T copy(T record, Map<String, Object> components) throws ReflectiveOperationException {
        @SuppressWarnings("unchecked")
        Class<T> type = (Class<T>) record.getClass();
        RecordComponent[] all = type.getRecordComponents();
        Object[] values = new Object[all.length];
        for (int i = 0; i < all.length; i++) {
            Object value = components.get(all[i].getName());
            values[i] = value == null ? all[i].getAccessor().invoke(record) : value;
        }
        Class<?>[] types = Stream.of(all).map(RecordComponent::getType).toArray(Class<?>[]::new);
        return type.getDeclaredConstructor(types).newInstance(values);
    }
}
