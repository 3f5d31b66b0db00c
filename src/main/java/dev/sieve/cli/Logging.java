package dev.sieve.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.pattern.CompositeConverter;
import ch.qos.logback.core.status.Status;
import dev.sieve.output.PageSink;
import dev.sieve.output.Skip;
import dev.sieve.output.Visit;
import dev.sieve.report.Numbers;
import dev.sieve.url.Seeds;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the log to stderr, one line of printable characters per event, unless the system property
 * {@code logback.configurationFile} is set. This is code, not a resource file, because projects that embed Sieve would
 * inherit the file.
 */
final class Logging {
    private static final String CONFIGURATION = "logback.configurationFile";

    private Logging() {}

    /** Returns what is wrong with the configuration of the user; null if nothing is, or there is none. */
    static @Nullable String problem() {
        String file = System.getProperty(CONFIGURATION);
        if (file == null || !(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)) {
            return null;
        }
        // Without it, Logback writes all events to stdout.
        boolean isFound = file.matches("[a-z]{2,}:.*")
                || Files.isRegularFile(Path.of(file))
                || Logging.class.getClassLoader().getResource(file) != null;
        return context.getStatusManager().getCopyOfStatusList().stream()
                .filter(status -> status.getEffectiveLevel() >= Status.ERROR)
                .map(Status::getMessage)
                .findFirst()
                .or(() -> Optional.ofNullable(isFound ? null : "no such file"))
                .map(problem -> "Invalid value for -D" + CONFIGURATION + ": " + file + ": " + problem)
                .orElse(null);
    }

    static void set(Level level) {
        if (System.getProperty(CONFIGURATION) != null
                || !(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)) {
            return;
        }
        context.reset();
        ConsoleAppender<ILoggingEvent> appender = appender(context, Terminal.isStderr());
        context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(appender);
        context.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(Level.WARN);
        context.getLogger("dev.sieve").setLevel(level);
    }

    /** Returns what writes the lines; on a terminal, a line replaces the line of progress. */
    static ConsoleAppender<ILoggingEvent> appender(LoggerContext context, boolean isTerminal) {
        PatternLayout layout = new PatternLayout();
        layout.setContext(context);
        layout.getInstanceConverterMap().put("printable", PrintableLine::new);
        String exception = "%replace(%ex{short}){'\\s+', ' '}";
        layout.setPattern(
                (isTerminal ? Terminal.WIPE : "") + "%d{HH:mm:ss} %-5level %printable(%msg " + exception + ")");
        layout.start();
        LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
        encoder.setContext(context);
        encoder.setLayout(layout);
        encoder.start();
        ConsoleAppender<ILoggingEvent> appender = new FewAlike();
        appender.setContext(context);
        appender.setTarget("System.err");
        appender.setEncoder(encoder);
        appender.start();
        return appender;
    }

    /** The rest of a line, without characters that a terminal interprets: texts in it may come from servers and files. */
    private static final class PrintableLine extends CompositeConverter<ILoggingEvent> {
        @Override
        protected String transform(ILoggingEvent event, String text) {
            return Terminal.line(text.stripTrailing()) + System.lineSeparator();
        }
    }

    /**
     * Writes the first events of each minute that are alike, such as those about hosts without a usable robots.txt: a
     * crawl may have thousands of these. With {@code -v} it writes all.
     */
    private static final class FewAlike extends ConsoleAppender<ILoggingEvent> {
        private static final String CRAWL = "dev.sieve.crawl";
        private static final int MOST = 10;
        private static final long MINUTE_MILLIS = 60_000;

        /** The events of the last minute by their messages, in which the values are not filled in. */
        private final Map<String, Minute> minutes = new HashMap<>();

        private static final class Minute {
            private long startMillis;
            private int events;
        }

        @Override
        protected void append(ILoggingEvent event) {
            int number = event.getLevel() == Level.ERROR ? 1 : number(event);
            if (number <= MOST) {
                super.append(event);
            } else if (number == MOST + 1) {
                super.append(notice(event));
            }
        }

        private synchronized int number(ILoggingEvent event) {
            if (!event.getLoggerName().equals(CRAWL)
                    || LoggerFactory.getLogger(CRAWL).isDebugEnabled()) {
                return 1;
            }
            Minute minute = minutes.computeIfAbsent(event.getMessage(), message -> new Minute());
            if (event.getTimeStamp() - minute.startMillis >= MINUTE_MILLIS) {
                minute.startMillis = event.getTimeStamp();
                minute.events = 0;
            }
            return ++minute.events;
        }

        private ILoggingEvent notice(ILoggingEvent event) {
            LoggerContext logs = (LoggerContext) getContext();
            String text = "more lines like the last one are not shown for a minute; -v shows all";
            return new LoggingEvent("", logs.getLogger(CRAWL), event.getLevel(), text, null, null);
        }
    }

    /** Logs each response, and each URL that is not requested, at the level DEBUG. */
    static final class VisitLog implements PageSink {
        private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.visits");

        @Override
        public void accept(Visit visit) {
            LOG.debug(
                    "{}  {}  {} ms",
                    visit.result().error().isEmpty()
                            ? visit.result().status()
                            : visit.result().error(),
                    visit.url(),
                    visit.timing().took().toMillis());
        }

        @Override
        public void skipped(Skip skip) {
            LOG.debug("skipped  {}  {}", skip.url(), skip.reason().text());
        }
    }

    /** Logs problems with seeds: the first ones, and when it is closed, how many more there were. */
    static final class SeedProblems implements Consumer<Seeds.Problem>, AutoCloseable {
        private static final Logger LOG = LoggerFactory.getLogger("dev.sieve.cli");
        private static final int MOST = 10;

        private long count;

        @Override
        public void accept(Seeds.Problem problem) {
            count++;
            if (count <= MOST) {
                LOG.warn("{}", problem);
            }
        }

        @Override
        public void close() {
            if (count > MOST) {
                LOG.warn("and {} with seeds", Numbers.count(count - MOST, "more problem"));
            }
        }
    }
}
