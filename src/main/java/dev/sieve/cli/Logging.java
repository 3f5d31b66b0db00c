package dev.sieve.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the log to stderr, one line per event, unless the system property {@code logback.configurationFile} is set.
 * This is code, not a resource file, because projects that embed Sieve would inherit the file.
 */
final class Logging {
    private Logging() {}

    static void set(Level level) {
        if (System.getProperty("logback.configurationFile") != null
                || !(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)) {
            return;
        }
        context.reset();
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        // On a terminal, a log line replaces the progress line.
        encoder.setPattern((Terminal.isStderr() ? Terminal.WIPE : "") + "%d{HH:mm:ss} %-5level %msg%n%ex{short}");
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
}
