package dev.sieve.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.pattern.CompositeConverter;
import dev.sieve.url.Printable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the log to stderr, one line of printable characters per event, unless the system property
 * {@code logback.configurationFile} is set. This is code, not a resource file, because projects that embed Sieve would
 * inherit the file.
 */
final class Logging {
    private Logging() {}

    static void set(Level level) {
        if (System.getProperty("logback.configurationFile") != null
                || !(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)) {
            return;
        }
        context.reset();
        LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
        encoder.setContext(context);
        encoder.setLayout(layout(context, Terminal.isStderr()));
        encoder.start();
        ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
        appender.setContext(context);
        appender.setTarget("System.err");
        appender.setEncoder(encoder);
        appender.start();
        context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(appender);
        context.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(Level.WARN);
        context.getLogger("dev.sieve").setLevel(level);
    }

    /**
     * Returns the form of a line.
     *
     * @param isTerminal whether a line replaces the line of progress
     */
    static PatternLayout layout(LoggerContext context, boolean isTerminal) {
        PatternLayout layout = new PatternLayout();
        layout.setContext(context);
        layout.getInstanceConverterMap().put("printable", PrintableLine::new);
        String exception = "%replace(%ex{short}){'\\s+', ' '}";
        layout.setPattern(
                (isTerminal ? Terminal.WIPE : "") + "%d{HH:mm:ss} %-5level %printable(%msg " + exception + ")");
        layout.start();
        return layout;
    }

    /** The rest of a line, without characters that a terminal interprets: texts in it may come from servers and files. */
    private static final class PrintableLine extends CompositeConverter<ILoggingEvent> {
        @Override
        protected String transform(ILoggingEvent event, String text) {
            return Printable.line(text.stripTrailing()) + System.lineSeparator();
        }
    }
}
