package dev.sieve;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.LoggerFactory;

/** Takes the warnings and errors of the frontier from the console, for a test that causes many of them. */
public final class CapturedLog extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.sieve");
    private final List<String> lines = new ArrayList<>();

    public CapturedLog() {
        start();
        logger.addAppender(this);
        logger.setAdditive(false);
        logger.setLevel(Level.WARN);
    }

    @Override
    protected void append(ILoggingEvent event) {
        if (event.getLevel().isGreaterOrEqual(Level.WARN)) {
            lines.add(event.getFormattedMessage());
        }
    }

    public synchronized List<String> lines() {
        return List.copyOf(lines);
    }

    public synchronized void clear() {
        lines.clear();
    }

    @Override
    public void close() {
        logger.detachAppender(this);
        logger.setAdditive(true);
        logger.setLevel(null);
    }
}
