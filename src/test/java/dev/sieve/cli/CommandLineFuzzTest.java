package dev.sieve.cli;

import ch.qos.logback.classic.Level;
import dev.sieve.fuzz.Fuzzer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/**
 * Any arguments give a documented exit code, and a wrong one a message of one line: never a stack trace. Only commands
 * that send no requests and change no files are run; the options of a crawl are read, and the crawl is not started.
 */
@Tag("hostile")
public class CommandLineFuzzTest {
    private static final Set<Integer> EXIT_CODES =
            Set.of(0, FailOn.ExitCode.WRONG_USAGE, FailOn.ExitCode.INPUT_OR_OUTPUT_FAILED, FailOn.ExitCode.NOT_CRAWLED);

    private static final String[] WORDS = Fuzzer.words("""
            plan  why  crawl  --urls  --miss-rate  --capacity  --filter  --on-full  --scope  --include
            --exclude  --depth  --allow-trap  --allow-private  --ignore-robots  --max-pages  --max-time  --delay
            --per-host  --per-domain  --max-per-host  --max-failures  --concurrency  --timeout  --retries
            --user-agent  -H  --resolve  --proxy  --config  env  http://me@proxy.test:3128  --sitemaps
            --durability  --keep-log  -q  -v  --  =  --urls=  http://h.test/a  http://[0:1:2:3:4:5:6::8]/
            ftp://h  h.test  no-such-file.txt  0  1  -1  1M  1e9  1T  99999999999999999999  1e999999999  1%
            1e-4  0.5  NaN  5s  1h  PT5S  -5s  exact  bloom  host  domain  any  grow  warn  fail  length  shape
            (  (a+)+b  [  10.0.0.0/8  10.0.0.0/99  ::1  h.test=10.0.0.1  =x  A: b  :  %s  %n  ${x}  @  \u0000
            \ud800  ?  --help  -h  --version  process  always
            """, "A\u00e9:\n", "", " ", "x".repeat(500));

    /** To make one takes longer than to use it. */
    private static final CommandLine PARSER = Main.commandLine().setExpandAtFiles(false);

    /** The commands let the log of the project through, which the next tests would write to the console. */
    @AfterAll
    static void silence() {
        Logging.set(Level.ERROR);
    }

    @Test
    void everyCommandLineHasADocumentedResult() {
        Fuzzer.run(CommandLineFuzzTest::fuzzerTestOneInput, 300, "\0\3\51\0", "\1\45");
    }

    public static void fuzzerTestOneInput(byte[] input) {
        List<String> words = new ArrayList<>();
        for (int i = 1; i < input.length && i < 12; i++) {
            words.add(WORDS[(input[i] & 0xff) % WORDS.length]);
        }
        int command = input.length == 0 ? 0 : (input[0] & 0xff) % 3;
        if (command == 2) {
            readOptions(words);
            return;
        }
        words.add(0, command == 0 ? "plan" : "why");
        // A leading @ names a file of arguments.
        Run run = Run.of(Main.commandLine().setExpandAtFiles(false), words.toArray(String[]::new));
        String text = run.out() + run.err();
        check(EXIT_CODES.contains(run.exitCode()), "exit code " + run.exitCode() + ": " + text, words);
        check(!text.contains("internal error") && !text.contains("\tat "), text, words);
        check(run.exitCode() == 0 || !text.isBlank(), "no message", words);
        check(run.exitCode() != FailOn.ExitCode.WRONG_USAGE || run.err().lines().count() == 1, run.err(), words);
    }

    private static void readOptions(List<String> words) {
        try {
            PARSER.parseArgs(words.toArray(String[]::new));
        } catch (CommandLine.ParameterException e) {
            check(e.getMessage() != null && !e.getMessage().isBlank(), "no message", words);
        }
    }

    private static void check(boolean holds, String what, List<String> words) {
        if (!holds) {
            throw new AssertionError(what + ": " + words);
        }
    }
}
