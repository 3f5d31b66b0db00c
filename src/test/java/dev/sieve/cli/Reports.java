package dev.sieve.cli;

import dev.sieve.Sieve;
import dev.sieve.crawl.CrawlOptions;
import dev.sieve.crawl.CrawlReport;
import dev.sieve.crawl.Crawler;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.util.Map;
import java.util.stream.Stream;

/** Reports of crawls that were never run. */
final class Reports {
    private Reports() {}

    /** The report of a new crawl, except for the components with these names. */
    static CrawlReport with(Map<String, Object> components) throws IOException, ReflectiveOperationException {
        try (Crawler crawler = new Crawler(new CrawlOptions(), new Sieve(100))) {
            return with(crawler.report(), components);
        }
    }

    /** A copy of a record, except for the components with these names. */
    static <T extends Record> T with(T record, Map<String, Object> components) throws ReflectiveOperationException {
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
