package dev.sieve.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.Appender;
import dev.sieve.demo.DemoWeb;
import dev.sieve.demo.HostileHost;
import dev.sieve.judge.PolitenessJudge;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;

/** No text of a server, a file or the command line reaches a terminal with characters that it interprets. */
class TerminalTest {
    private static final String EVIL = "a\u001b[31mred\u009b2J\rb\u202ec";
    private static final String SAFE = "a?[31mred?2J?b?c";

    @TempDir
    private Path folder;

    private final LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    private final PrintStream before = System.err;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    @BeforeEach
    void capture() {
        System.setErr(new PrintStream(bytes, true, UTF_8));
    }

    /** The commands set the level of the log for all that runs in this process. */
    @AfterEach
    void release() {
        System.setErr(before);
        Logging.set(Level.ERROR);
    }

    private String err() {
        return bytes.toString(UTF_8);
    }

    private static void assertPrintable(String text) {
        assertThat(text).isNotBlank();
        assertThat(text).doesNotContainPattern("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}&&[^\\n]]");
    }

    /** Returns the line that is written about an event. */
    private String logged(boolean isTerminal, String message, Throwable exception) {
        bytes.reset();
        Logging.appender(context, isTerminal).doAppend(event(0, "x", "{} is odd", exception, message));
        return err();
    }

    private LoggingEvent event(long millis, String logger, String format, Throwable exception, Object value) {
        LoggingEvent event = new LoggingEvent(
                TerminalTest.class.getName(), context.getLogger(logger), Level.WARN, format, exception, new Object[] {
                    value
                });
        event.setTimeStamp(millis);
        return event;
    }

    @Test
    void logLineIsPrintable() {
        assertThat(logged(false, EVIL + "\n00:00:00 ERROR forged", null))
                .matches("\\d\\d:\\d\\d:\\d\\d WARN  \\Q" + SAFE + "?00:00:00 ERROR forged is odd\\E\\R");
        assertThat(logged(true, "x", null))
                .startsWith(Terminal.WIPE)
                .endsWith("WARN  x is odd" + System.lineSeparator());
    }

    @Test
    void logLineNamesNoPassword() {
        assertThat(logged(false, "valkey://:secret@h/n", null))
                .endsWith("valkey://h/n is odd" + System.lineSeparator());
    }

    @Test
    @Timeout(60)
    void longWordIsSearchedOnceForAPassword() {
        String word = "a".repeat(1 << 20);

        assertThat(Terminal.line(word + "://me:secret@h/")).isEqualTo(word + "://h/");
        assertThat(Terminal.line(word)).isEqualTo(word);
    }

    @Test
    void exceptionIsInItsLogLine() {
        String line = logged(false, "x", new IOException(EVIL + "\nforged"));

        assertPrintable(line);
        assertThat(line.lines()).hasSize(1);
        assertThat(line)
                .contains("x is odd java.io.IOException: a?[31mred?2J b?c forged at dev.sieve.cli.TerminalTest.");
    }

    @Test
    void manyEventsOfACrawlThatAreAlikeAreFewLines() {
        Appender<ILoggingEvent> log = Logging.appender(context, false);
        for (int i = 1; i <= 27; i++) {
            log.doAppend(event(1_000_000 + i, "dev.sieve.crawl", "h{}.test: robots.txt unavailable", null, i));
        }
        log.doAppend(event(1_000_100, "dev.sieve.crawl", "h{}.test: host given up", null, 1));
        log.doAppend(event(1_060_001, "dev.sieve.crawl", "h{}.test: robots.txt unavailable", null, 28));

        assertThat(err().lines().map(line -> line.substring("00:00:00 WARN  ".length())))
                .hasSize(13)
                .startsWith("h1.test: robots.txt unavailable", "h2.test: robots.txt unavailable")
                .endsWith(
                        "h10.test: robots.txt unavailable",
                        "more lines like the last one are not shown for a minute; -v shows all",
                        "h1.test: host given up",
                        "h28.test: robots.txt unavailable");
    }

    @Test
    void verboseLogHasAllLines() {
        Logging.set(Level.DEBUG);
        IntStream.range(0, 27)
                .forEach(i -> LoggerFactory.getLogger("dev.sieve.crawl").info("h{}.test", i));

        assertThat(err().lines()).hasSize(27);
    }

    @Test
    @Timeout(120)
    void crawlOfAHostileHostPrintsNoControlCharacters() throws IOException {
        try (DemoWeb web = PolitenessJudge.web().hosts(2).pages(10).open();
                HostileHost hostile = new HostileHost()) {
            Run run = Run.of(
                    Main.commandLine(),
                    web.start(),
                    hostile.start(),
                    "-v",
                    "--scope=any",
                    "--delay=0",
                    "--resolve=.test=127.0.0.1",
                    "-o" + folder.resolve("x.txt"));
            assertThat(run.exitCode()).as(run.err()).isZero();
        }

        assertPrintable(err());
        assertThat(err()).contains("Crawling ", "DEBUG skipped  http://?[31mred??.test/", "Done in ");
    }

    @Test
    void errorLineIsPrintable() throws IOException {
        Path config = Files.writeString(folder.resolve("sieve.conf"), "o\u001b[31m\u009b = 1");

        Run unknownName = Run.of(Main.commandLine(), "http://h.test/", "--config", config.toString());
        Run unknownOption = Run.of(Main.commandLine(), "--o" + EVIL);
        Run missingJob =
                Run.of(Main.commandLine(), "state", folder.resolve(EVIL).toString());

        assertThat(unknownName.err()).contains("unknown option 'o?[31m?'");
        assertThat(unknownOption.err()).contains("'--oa?[31mred?2J");
        assertThat(missingJob.err()).contains(SAFE);
        assertPrintable(unknownName.err() + unknownOption.err() + missingJob.err());
    }

    @Test
    void internalErrorIsPrintable() {
        CommandLine program = Main.commandLine();
        Run run = Run.of(program.setExecutionStrategy(parsed -> {
            throw new CommandLine.ExecutionException(program, "failed", new IllegalStateException(EVIL));
        }));

        assertPrintable(run.err());
        assertThat(run.err()).startsWith("sieve: internal error: ").contains("    at " + TerminalTest.class.getName());
    }

    @Test
    void resultOfACommandIsPrintable() {
        Run run = Run.of(Main.commandLine(), "why", "http://" + EVIL + "/", "http://h.test/");

        assertThat(run.exitCode()).isEqualTo(FailOn.ExitCode.NOT_CRAWLED);
        assertPrintable(run.out());
        assertThat(Units.json("\u009b\u202e\"")).isEqualTo("\"\\u009b\\u202e\\u0022\"");
    }

    @Test
    void progressLineIsPrintable() {
        Terminal.rewrite("1 page  waiting for " + EVIL);

        assertThat(err()).startsWith(Terminal.WIPE).contains("1 page  waiting for " + SAFE);
        assertThat(err().chars().filter(c -> c == '\u001b').count()).isEqualTo(3);
    }
}
