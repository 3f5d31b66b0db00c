package dev.sieve.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.sieve.FilterKind;
import dev.sieve.crawl.CrawlOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

class OptionValuesTest {
    @Test
    void aWaitIsGivenOnce() {
        Run run = Run.of(
                Main.commandLine(), "http://h.test/", "--render=all", "--render-wait=1s,5s", "--render-wait=2s,6s");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("option '--render-wait' (QUIET,MAX) should be specified only once");
    }

    @Test
    void everyOptionOfACrawlSaysWhetherWorkersMustShareIt() {
        List<OptionSpec> options = Main.commandLine().getCommandSpec().options().stream()
                .filter(option -> !option.usageHelp() && !option.versionHelp())
                .toList();
        assertThat(options)
                .filteredOn(option -> SharedOptions.rule(option) == null)
                .isEmpty();
        Set<String> same = new TreeSet<>();
        options.stream()
                .filter(option ->
                        Objects.requireNonNull(SharedOptions.rule(option)).value())
                .forEach(option -> same.add(option.longestName()));
        assertThat(same).containsExactlyInAnyOrder("""
                        --scope --include --exclude --ignore-parameter --depth --sitemaps --check-links
                        --check-resources --follow-nofollow --skip-duplicates --allow-trap --allow-private
                        --ignore-robots --delay --per-host --per-domain --max-pages --max-time --max-per-host
                        --retries --user-agent --header --keep-cookies --log-out --max-body --render
                        --render-robots --render-wait""".split("\\s+", -1));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "7, 7",
        "1000000, 1000000",
        "1_000_000, 1000000",
        "1M, 1000000",
        "1m, 1000000",
        "20k, 20000",
        "1e9, 1000000000",
        "1E9, 1000000000",
        "1.5M, 1500000",
        "2.5e3, 2500",
        "10e2k, 1000000",
        "1T, 1000000000000",
        "1e15, 1000000000000000",
        "007, 7"
    })
    void quantitiesAreUnderstood(String text, long value) {
        assertThat(new Converters.Quantity().convert(text)).isEqualTo(value);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "x",
                "-1",
                "+1",
                "1.5",
                "1e-1",
                "1__0",
                "_1",
                "1_",
                "1,000",
                "1MM",
                "1 M",
                "0x10",
                "NaN",
                "1.",
                ".5k",
                "1e16",
                "2e99",
                "1e999999999",
                "1000000000000001",
                "99999999999999999999999999999T",
                "\u0661"
            })
    void otherQuantitiesAreRefusedInOneLineWithTheirText(String text) {
        assertThatThrownBy(() -> new Converters.Quantity().convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageStartingWith("'" + text + "' is ")
                .hasMessageNotContaining("\n");
    }

    @ParameterizedTest
    @CsvSource({
        "0.0001, 1e-4",
        "1e-4, 1e-4",
        "1E-4, 1e-4",
        "0.01%, 1e-4",
        "0.01 %, 1e-4",
        "1%, 0.01",
        ".5, 0.5",
        "50%, 0.5",
        "1e-2%, 1e-4",
        "1e-15, 1e-15"
    })
    void missRatesAreUnderstood(String text, double value) {
        assertThat(new Converters.MissRate().convert(text)).isEqualTo(value, within(value * 1e-12));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "0",
                "-0.1",
                "1",
                "0.6",
                "51%",
                "1e-16",
                "0.1%%",
                "%",
                "NaN",
                "Infinity",
                "1e-9999",
                "0,1"
            })
    void otherMissRatesAreRefusedInOneLineWithTheirText(String text) {
        assertThatThrownBy(() -> new Converters.MissRate().convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageStartingWith("'" + text + "' is ")
                .hasMessageNotContaining("\n");
    }

    @ParameterizedTest
    @CsvSource({
        "0, PT0S",
        "500ms, PT0.5S",
        "1s, PT1S",
        "1.5s, PT1.5S",
        "10m, PT10M",
        "2h, PT2H",
        "1d, PT24H",
        "3, PT3S",
        "0.25, PT0.25S",
        "365d, PT8760H",
        "0.000000000001, PT0S"
    })
    void timesAreUnderstood(String text, Duration value) {
        assertThat(new Converters.TimeSpan().convert(text)).isEqualTo(value);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "x", "-1s", "1 s", "1S", "s", "1h30m", "1us", "366d", "999999999999d", "1e3", ".5s", "PT1S"})
    void otherTimesAreRefusedInOneLineWithTheirText(String text) {
        assertThatThrownBy(() -> new Converters.TimeSpan().convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageStartingWith("'" + text + "' is ")
                .hasMessageNotContaining("\n");
    }

    @ParameterizedTest
    @CsvSource({
        "8MiB, 8388608",
        "8 MiB, 8388608",
        "500kB, 500000",
        "1M, 1000000",
        "1.5KiB, 1536",
        "1000000, 1000000",
        "7B, 7",
        "0, 0",
        "1GiB, 1073741824"
    })
    void sizesAreUnderstood(String text, int bytes) {
        assertThat(new Converters.Size().convert(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "-1", "1e6", "8mib", "8 Mi", "1,5M", "2GiB", "9999999999T", "MiB", "8MiB/s"})
    void otherSizesAreRefusedInOneLineWithTheirText(String text) {
        assertThatThrownBy(() -> new Converters.Size().convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageStartingWith("'" + text + "' is ")
                .hasMessageNotContaining("\n");
    }

    @ParameterizedTest
    @CsvSource({
        "-q -v, Options '-q' and '-v' exclude each other",
        "-o a.jsonl --format csv, csv: no output has this format; the name of a.jsonl determines another one",
        "-o a.warc.gz --format txt, txt: no output has this format; the name of a.warc.gz determines another one",
        "--report r.txt, r.txt: the name must end in .html or .htm",
        "--max-failures 128, must be at most 127: 128",
        "--render (, Invalid value for option '--render': render (: Unclosed group",
        "--render all --browser none, not a program: none",
        "-o out.xyz, '.json, .csv, .tsv, .warc.gz, .warc, junit.xml, sitemap.xml or sitemap.xml.gz, unless --format is given'",
        "-o out.html, sitemap.xml or sitemap.xml.gz; --report writes a page",
        "-o OUT.HTM, ; --report writes a page",
    })
    void whatWouldHaveNoEffectIsRefused(String options, String problem) {
        Run run = Run.of(Main.commandLine(), (options + " https://example.org/").split(" "));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err().lines()).singleElement().asString().contains(problem);
    }

    @Test
    void aDocumentAsSeedIsExplained(@TempDir Path folder) throws IOException {
        String file =
                Files.writeString(folder.resolve("sitemap.xml"), "<urlset>").toString();

        for (String[] command : new String[][] {{file}, {"--dry-run", file}}) {
            Run run = Run.of(Main.commandLine(), command);
            assertThat(run.exitCode()).isEqualTo(2);
            assertThat(run.err())
                    .contains("HTML or XML, not a list of URLs", "name the folder", "add --sitemaps")
                    .hasLineCount(1);
        }
    }

    @Test
    void theDemoAdvisesNoOptionThatItDoesNotHave() {
        PrintStream before = System.err;
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        System.setErr(new PrintStream(err, true, UTF_8));
        try {
            assertThat(Run.of(Main.commandLine(), "demo", "--hosts=5", "--pages=200")
                            .exitCode())
                    .isZero();
        } finally {
            System.setErr(before);
        }

        assertThat(err.toString(UTF_8)).contains(" 80 % full: ").doesNotContain("--capacity");
    }

    @Test
    void theHeapMustHoldABody() {
        Run run = Run.of(Main.commandLine(), "--max-body", "1GiB", "https://example.org/");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err().lines()).singleElement().asString().contains("--max-body", "-Xmx");
        assertThat(Run.of(Main.commandLine(), "--max-body", "0", "https://example.org/")
                        .err())
                .contains("--max-body", "must be at least 1: 0");
    }

    @ParameterizedTest
    @CsvSource({
        "split-blocks, SPLIT_BLOCKS",
        "split_blocks, SPLIT_BLOCKS",
        "classic, CLASSIC",
        "Growing, GROWING",
        "EXACT, EXACT",
    })
    void filtersHaveNames(String text, FilterKind value) {
        CommandLine line = Main.commandLine();
        line.parseArgs("--filter", text);

        FilterKind filter = line.getCommandSpec().findOption("--filter").getValue();
        assertThat(filter).isEqualTo(value);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "bloom", "counting", "split blocks", "exact "})
    void otherFiltersAreRefusedWithTheNamesToChooseFrom(String text) {
        assertThatThrownBy(() -> Main.commandLine().parseArgs("--filter", text))
                .isInstanceOf(ParameterException.class)
                .hasMessage("Invalid value for option '--filter': '" + text
                        + "' is not one of split-blocks, classic, growing, exact");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "--max-pages 0 | must be at least 1: 0",
                "--max-time 0 | must be above 0",
                "--per-host 0 | must be at least 1: 0",
                "--per-host 1M | must be at most 32767: 1000000",
                "--timeout 0 | must be from 1 ms to 24 days",
                "--concurrency many | 'many' is not a number; use 8 or 10k",
                "--max-pages many | 'many' is not a number; use 1000000, 1_000_000, 1M or 1e6",
                "--retries 3G | '3G' is more than 2147483647",
                "--proxy https://me:secret@h:1 | not a proxy; use http://HOST:PORT, socks5://HOST:PORT or socks5h://HOST:PORT",
                "--proxy socks5://me:secret@h:1 | a user name is supported for an http proxy only",
                "--capacity 0 | must be at least 1: 0",
                "--scope galaxy | 'galaxy' is not one of host, domain, prefix, any",
                "--on-full burst | 'burst' is not one of warn, grow, fail",
                "--durability never | 'never' is not one of process, interval, always",
                "--fail-on rain | 'rain' is not one of broken, capacity, changed, error, gone, newly-broken, redirected",
                "--accept 200,429 | '200' is not a failure, so it needs no accepting; name statuses from 400",
                "--accept 200..299 | '200..299' is not a failure, so it needs no accepting; name statuses from 400",
                "--depth -1 | '-1' is below 0",
                "--max-pages -1 | '-1' is below 0",
                "--delay -1s | '-1s' is below 0",
                "--max-body -8MiB | '-8MiB' is below 0",
                "--miss-rate -1% | '-1%' is below 0",
                "--depth -x | '-x' is not a number; use 8 or 10k",
                "--max-time 1h30m | '1h30m' is not a time; use one number with one unit: 500ms, 10m or 1.5h",
            })
    void aBadValueIsExplainedInTheWordsOfTheCommandLine(String option, String problem) {
        Run run = Run.of(Main.commandLine(), (option + " https://example.org/").split(" ", -1));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err().strip())
                .startsWith("sieve: Invalid value for option '" + option.split(" ", 2)[0] + "'")
                .endsWith(": " + problem + " (see --help)");
    }

    @Test
    void wordsOfValuesAreJoinedByHyphens() {
        List<CommandLine> commands =
                new ArrayList<>(Main.commandLine().getSubcommands().values());
        commands.add(Main.commandLine());
        for (CommandLine command : commands) {
            for (OptionSpec option : command.getCommandSpec().options()) {
                Class<?> type = option.isMultiValue() ? option.auxiliaryTypes()[0] : option.type();
                if (type.isEnum()) {
                    assertThat(type.getEnumConstants())
                            .allSatisfy(each -> assertThat(each.toString()).matches("[a-z0-9]+(-[a-z0-9]+)*"));
                }
            }
        }
    }

    /** A terminal that cannot be asked for its width has 80 columns. */
    @Test
    void helpFitsATerminalOf80Columns() {
        List<CommandLine> commands =
                new ArrayList<>(Main.commandLine().getSubcommands().values());
        commands.add(Main.commandLine());
        for (CommandLine command : commands) {
            command.setUsageHelpAutoWidth(false);
            assertThat(command.getUsageMessage(CommandLine.Help.Ansi.OFF).lines())
                    .as(command.getCommandName())
                    .allMatch(line -> line.length() <= 80);
        }
    }

    @ParameterizedTest
    @CsvSource({"4xx, 400, 499", "500-504, 500, 504", "500..504, 500, 504", "403, 403, 403"})
    void statusesMayBeAClassOrARange(String text, int first, int last) {
        assertThat(new Converters.Statuses().convert(text)).isEqualTo(new Converters.Statuses.Range(first, last));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--only-changes | --only-changes | --again",
                "--fail-on gone | --fail-on gone | --again",
                "--fail-on broken --fail-on changed | --fail-on changed | --again",
                "--min-age 2d | --min-age | --job",
                "--job none --max-age 2d | --max-age | --again",
                "--accept-types | --accept-types | --check-resources",
                "--durability always | --durability | --job",
                "--frontier-password-file none | --frontier-password-file | --frontier",
                "--browser none | --browser | --render",
                "--render-robots relaxed | --render-robots | --render",
                "--render-wait 1s,5s | --render-wait | --render",
            })
    void anOptionThatWouldDoNothingIsRefused(String options, String option, String other) {
        Run run = Run.of(Main.commandLine(), (options + " https://example.org/").split(" "));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).isEqualTo("sieve: Option '" + option + "' requires '" + other + "' (see --help)\n");
    }

    @Test
    void aJobThatDoesNotExistNeedsSeeds() {
        assertThat(Run.of(Main.commandLine(), "--job", "mistyped").err())
                .startsWith("sieve: There is no job in mistyped; to begin one, name seeds: ");
    }

    @Test
    void anArgumentThatTheLocaleDoesNotHaveIsRefused() {
        Run run = Run.of(Main.commandLine(), "http://127.0.0.1/\ufffd\ufffd");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err())
                .contains(" cannot read in the locale ", System.getProperty("sun.jnu.encoding"), "C.UTF-8");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--job ADDRESS",
                "-o ADDRESS",
                "-o ADDRESS.txt",
                "--skipped ADDRESS",
                "--report ADDRESS",
                "--summary ADDRESS",
                "--config ADDRESS",
                "--live=ADDRESS",
                "state ADDRESS/?",
                "export ADDRESS/?",
                "diff ADDRESS",
                "report ADDRESS",
                "serve --dir x --tls-cert ADDRESS --tls-key ADDRESS",
            })
    void noMessageShowsThePasswordOfAnAddress(String command) {
        for (String address : List.of("valkey://:secret@h/n", "redis://me:sec/ret@h/n", "http://me:secret@h/n")) {
            Run run = Run.of(Main.commandLine(), (command.replace("ADDRESS", address) + " nothing").split(" "));

            assertThat(run.exitCode()).as(run.err()).isIn(2, 4);
            assertThat(run.err()).doesNotContain("secret", "sec/ret");
        }
    }

    @ParameterizedTest
    @CsvSource({"stat, state", "plam, plan", "expotr, export", "help plam, plan", "crwal, crawl", "version, --version"})
    void commandLikeTheUnknownOneIsSuggested(String words, String suggestion) {
        Run run = Run.of(Main.commandLine(), words.split(" "));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err().lines()).singleElement().asString().contains("did you mean " + suggestion + "?");
    }

    @ParameterizedTest
    @ValueSource(strings = {"seeds", "x", "missing.txt", "reports-of-2024"})
    void fileThatIsMissingIsNotTakenForACommand(String seed) {
        assertThat(Run.of(Main.commandLine(), seed).err()).doesNotContain("did you mean");
    }

    @ParameterizedTest
    @CsvSource({"--delai, --delay", "--max-pagse, --max-pages", "--capasity, --capacity", "--per-hots, --per-host"})
    void anOptionLikeTheUnknownOneIsSuggested(String option, String suggestion) {
        Run run = Run.of(Main.commandLine(), option, "3", "https://example.org/");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err().lines()).singleElement().asString().contains(option, "did you mean " + suggestion);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--max-depth=3 | use --depth=N",
                "-l3 | use --depth=N",
                "-r | is the default; --depth=N limits it",
                "--threads=9 | use --concurrency=N; per host, --per-host=N",
                "--insecure | is not offered; --trust=FILE.pem trusts a certificate of your own",
                "--no-robots | use --ignore-robots",
                "--wait=1 | use --delay=TIME",
                "--json | use -o FILE.jsonl, or --summary=FILE.json for the numbers",
                "--ipv4 | is not offered: the system chooses"
            })
    void optionOfAnotherToolIsNamed(String option, String advice) {
        Run run = Run.of(Main.commandLine(), option, "https://example.org/");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).endsWith(" (" + advice + ")" + System.lineSeparator());
    }

    @Test
    void optionsOfOtherToolsAreListedOnceWithOurs() throws IOException {
        CommandSpec crawl = Main.commandLine().getCommandSpec();
        Set<String> names = new HashSet<>();
        try (InputStream in = Checks.class.getResourceAsStream("other-options.txt")) {
            for (String line : new String(in.readAllBytes(), UTF_8)
                    .lines()
                    .filter(each -> !each.startsWith("#"))
                    .toList()) {
                String[] parts = line.split(": ", 2);
                assertThat(parts).hasSize(2);
                for (String name : parts[0].split(" ", -1)) {
                    assertThat(names.add(name)).as(name).isTrue();
                    assertThat(crawl.findOption(name)).as(name).isNull();
                }
                assertThat(Checks.OPTION_IN_TEXT.matcher(parts[1]).results().map(MatchResult::group))
                        .allMatch(each -> crawl.findOption(each) != null, line);
            }
        }
        assertThat(names).hasSizeGreaterThan(60);
    }

    @ParameterizedTest
    @CsvSource({"-q, --quiet", "-v, --verbose", "-H, --header"})
    void shortOptionHasALongName(String name, String longName) {
        CommandSpec crawl = Main.commandLine().getCommandSpec();

        assertThat(crawl.findOption(name)).isSameAs(crawl.findOption(longName)).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"-H", "--header"})
    void valueOfAHeaderIsNotShown(String name) {
        CommandLine line = Main.commandLine();
        line.parseArgs(name, "Authorization: Basic secret", "https://example.org/");

        assertThat(Recording.commandLine(line.getCommandSpec(), List.of()))
                .isEqualTo("sieve --header 'Authorization: ...'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--keep-log", "--durability=always"})
    void whatOnlyAJobHasRequiresOne(String option) {
        Run run = Run.of(Main.commandLine(), option, "https://example.org/");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains(option.split("=", 2)[0], "requires '--job'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"LENGTH", "Path-Depth", "ALL"})
    void trapsAreNamedInAnyCase(String name) {
        Run run = Run.of(Main.commandLine(), "why", "--allow-trap", name, "http://h.test/", "http://h.test/");

        assertThat(run.exitCode()).isZero();
    }

    @Test
    void everyCommandHasTheVersion() {
        Set<String> commands = new HashSet<>(Main.commandLine().getSubcommands().keySet());
        commands.remove("help");
        for (String command : commands) {
            assertThat(Run.of(Main.commandLine(), command, "--version").out()).matches("sieve \\S+\\R");
        }
    }

    @Test
    void theCommandHelpShowsTheHelpOfAnother() {
        assertThat(Run.of(Main.commandLine(), "help", "plan").out())
                .isEqualTo(Run.of(Main.commandLine(), "plan", "--help").out())
                .startsWith("Usage: sieve plan");
        assertThat(Run.of(Main.commandLine(), Main.withoutDefault(new String[] {"help", "crawl"}))
                        .out())
                .isEqualTo(Run.of(Main.commandLine(), "--help").out());
        Run unknown = Run.of(Main.commandLine(), "help", "nothing");
        assertThat(unknown.exitCode()).isEqualTo(2);
        assertThat(unknown.err()).isEqualTo("sieve: Unknown subcommand 'nothing'. (see --help)\n");
    }

    @Test
    void defaultsOfOptionsAreThoseOfACrawl() {
        CommandLine line = Main.commandLine();
        line.parseArgs("http://h.test/");
        CrawlCommand crawl = (CrawlCommand) line.getCommandSpec().userObject();

        assertThat(crawl.options())
                .usingRecursiveComparison()
                .ignoringFields("resolver")
                .isEqualTo(new CrawlOptions());
    }

    @Test
    void theHelpHasEachOptionOnceInGroups() {
        String help = Run.of(Main.commandLine(), "--help").out();

        for (OptionSpec option : Main.commandLine().getCommandSpec().options()) {
            String start = "(  (-\\w, )?|      )" + option.longestName() + "([=\\[ ].*)?";
            assertThat(help.lines().filter(line -> line.matches(start)))
                    .as(option.longestName())
                    .hasSize(1);
        }
        assertThat(help).contains("\nWhich URLs:\n      --scope=", "\nJobs:\n      --job=", "5 'why': not crawled");
    }

    @Test
    void theHeapMustHoldTheFilterThatIsChosen() {
        // The classic filter would fit, the default one does not.
        long capacity = (long) (Runtime.getRuntime().maxMemory() * 0.8 / 2.6);

        Run run = Run.of(Main.commandLine(), "--capacity", "" + capacity, "https://example.org/");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err().lines()).singleElement().asString().contains("--capacity", "-Xmx");
    }

    @Test
    void moreHeapIsNotAdvisedForMoreThanAFilterHolds() {
        Run run = Run.of(Main.commandLine(), "--capacity", "8G", "https://example.org/");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err().lines())
                .singleElement()
                .asString()
                .contains("--capacity", "17.2 GB", "less than 5.97 G URLs", "--miss-rate")
                .doesNotContain("-Xmx");
    }

    @ParameterizedTest
    @CsvSource({
        "--filter classic --on-full grow, '--filter classic', '--on-full grow'",
        "--filter split-blocks --on-full grow, '--filter split-blocks', '--on-full grow'",
        "--filter growing --on-full fail, '--filter growing', '--on-full fail'",
        "--filter exact --miss-rate 1e-3, '--filter exact', '--miss-rate'",
        "--filter exact --on-full warn, '--filter exact', '--on-full'",
    })
    void contradictoryOptionsAreBothNamed(String options, String one, String other) {
        String[] args = (options + " https://example.org/").split(" ", -1);
        Run run = Run.of(Main.commandLine(), args);

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err().lines()).singleElement().asString().contains(one, other);
    }
}
