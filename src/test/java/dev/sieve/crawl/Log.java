package dev.sieve.crawl;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.util.List;
import org.slf4j.LoggerFactory;

/** The lines that a crawl logs. */
public final class Log {
    /** A crawl. */
    public interface Run {
        /** Crawls. */
        void run() throws IOException;
    }

    private Log() {}

    /** Returns the messages from INFO on. */
    public static List<String> of(Run crawl) throws IOException {
        Logger logger = (Logger) LoggerFactory.getLogger("dev.sieve.crawl");
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        Level before = logger.getLevel();
        log.start();
        logger.addAppender(log);
        logger.setLevel(Level.INFO);
        try {
            crawl.run();
        } finally {
            logger.detachAppender(log);
            logger.setLevel(before);
        }
        return log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }
}
