package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sieve.CapturedLog;
import dev.sieve.Sieve;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Document;
import org.w3c.dom.Node;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Checks every page of the documentation by one rule: each block in a language that a program reads is run, compiled or
 * parsed, and each link leads somewhere. {@link ReadmeIT} runs what takes longer.
 */
class PagesTest {
    private static final Path README = Pages.PROJECT.resolve("README.md");
    private static final Path COMMAND = Pages.PROJECT.resolve("docs/command.md");
    /** Stands in for a program on the path: appends its name and its arguments to a file, one line per call. */
    private static final String STUB = """
            #!/bin/bash
            # In one write, since programs may run at the same time.
            call=$(printf '%s\\037' "${0##*/}" "$@")
            printf '%s\\n' "$call" >> "$CALLS"
            """;

    @TempDir
    private Path folder;

    @Test
    void readmeIsShort() throws IOException {
        assertThat(Pages.read(README).lines().count()).isLessThanOrEqualTo(220);
        assertThat(Files.size(README)).isLessThanOrEqualTo(16 * 1024);
    }

    @Test
    void readmeLinksToEveryPage() {
        Set<String> pages = Pages.all().stream()
                .map(page -> Pages.PROJECT.relativize(page).toString())
                .filter(page -> !page.equals("README.md"))
                .collect(Collectors.toSet());

        assertThat(links(Pages.read(README))).containsAll(pages);
    }

    static Stream<Path> pages() {
        return Pages.all().stream();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyLinkLeadsToAFileAndAHeading(Path page) {
        for (String link : links(Pages.read(page))) {
            if (link.matches("https?://.*")) {
                continue;
            }
            String[] parts = link.split("#", 2);
            Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]);
            assertThat(target).as(link).exists();
            if (parts.length == 2) {
                assertThat(headings(Pages.read(target))).as(link).contains(parts[1]);
            }
        }
    }

    private static List<String> links(String text) {
        return Pattern.compile("]\\(([^)\\s]*)\\)")
                .matcher(Pages.withoutBlocks(text))
                .results()
                .map(link -> link.group(1))
                .toList();
    }

    /** The anchors of the headings, as GitHub makes them. */
    private static List<String> headings(String text) {
        return Pages.withoutBlocks(text)
                .lines()
                .filter(line -> line.startsWith("#"))
                .map(line -> line.replaceFirst("#+ ", "").toLowerCase(Locale.ROOT))
                .map(line -> line.replaceAll("[^\\w\\- ]", "").replace(' ', '-'))
                .toList();
    }

    @Test
    void everyBlockIsInALanguageThatATestReads() {
        assertThat(Pages.all())
                .noneMatch(page -> Pages.withoutBlocks(Pages.read(page)).contains("```"));
        assertThat(Pages.blocks())
                .allSatisfy(block -> assertThat(block.language())
                        .as(block.toString())
                        .isIn("", "text", "sh", "java", "python", "js", "xml", "yaml", "ini", "conf", "crontab"));
    }

    static Stream<Pages.Block> shell() {
        Path archive = Pages.PROJECT.resolve("src/cli/README.md");
        return Stream.concat(Pages.blocks().stream(), Pages.blocks(archive))
                .filter(block -> block.language().equals("sh"));
    }

    /** Runs the block with stand-ins for the programs, so that the shell expands it; then the program parses its part. */
    @ParameterizedTest
    @MethodSource("shell")
    void everyShellBlockCallsTheProgramWithOptionsThatItHas(Pages.Block block) throws Exception {
        Path calls = Files.createFile(folder.resolve("calls"));
        Path bin = Files.createDirectory(folder.resolve("bin"));
        for (String name : """
                        sieve java mvn curl jq keytool npm pip python3 unzip docker sudo redis-cli redis-server
                        valkey-server systemctl""".split("\\s+", -1)) {
            Path stub = Files.writeString(bin.resolve(name), STUB);
            assertThat(stub.toFile().setExecutable(true)).isTrue();
        }
        ProcessBuilder builder = new ProcessBuilder(
                        "bash", "-euo", "pipefail", "-c", block.text() + "\nwait\n", block.toString())
                .directory(folder.toFile())
                .redirectErrorStream(true);
        builder.environment().put("PATH", bin.toString() + ":/usr/bin:/bin");
        builder.environment().put("CALLS", calls.toString());
        Process shell = builder.start();
        String output = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(shell.waitFor()).as("%s: %s", block, output).isZero();

        List<String> lines = Files.readAllLines(calls);
        assertThat(lines).as(block.toString()).isNotEmpty();
        for (String line : lines) {
            checkCall(block, List.of(line.split("\037")));
        }
    }

    private static void checkCall(Pages.Block block, List<String> call) {
        int program = call.indexOf("target/sieve-*-cli.jar");
        if (call.get(0).equals("sieve")) {
            parse(block, call.subList(1, call.size()));
        } else if (program >= 0) {
            parse(block, call.subList(program + 1, call.size()));
        } else if (call.get(0).equals("mvn")) {
            String pom = Pages.read(Pages.PROJECT.resolve("src/build/pom.xml"));
            for (String word : call) {
                if (word.startsWith("-P")) {
                    assertThat(pom).as(block.toString()).contains("<id>" + word.substring(2) + "</id>");
                }
            }
        }
    }

    /** The commands that need no network and no file show their output in the block that follows. */
    @Test
    void outputsOfPlanAndWhyAreThoseOfTheProgram() {
        Pattern example = Pattern.compile("\\S* *(?:-jar \\S+ )?((?:plan|why) .*)\n");
        List<Pages.Block> blocks = Pages.blocks();
        int compared = 0;
        for (int i = 0; i < blocks.size(); i++) {
            Matcher command = example.matcher(blocks.get(i).text());
            if (blocks.get(i).language().equals("sh") && command.matches()) {
                Run run = Run.of(Main.commandLine(), command.group(1).split(" "));
                assertThat(blocks.get(i + 1).text().strip())
                        .as(blocks.get(i).toString())
                        .isEqualTo(run.out().strip());
                compared++;
            }
        }
        assertThat(compared).isEqualTo(3);
    }

    private static void parse(Pages.Block block, List<String> arguments) {
        try {
            Main.commandLine().parseArgs(arguments.toArray(String[]::new));
        } catch (CommandLine.ParameterException e) {
            throw new AssertionError(block + ": " + arguments + ": " + e.getMessage(), e);
        }
    }

    static Stream<Pages.Block> java() {
        return Pages.blocks().stream().filter(block -> block.language().equals("java"));
    }

    @ParameterizedTest
    @MethodSource("java")
    void everyJavaBlockCompilesOrIsPartOfAFile(Pages.Block block) throws IOException {
        String first = block.text().lines().findFirst().orElseThrow();
        if (first.startsWith("// src/")) {
            Path source = Pages.PROJECT.resolve(first.substring("// ".length()));
            assertThat(unindented(Files.readAllLines(source).stream()))
                    .as(block.toString())
                    .contains(unindented(block.text().lines().skip(1)));
            return;
        }
        Matcher name = Pattern.compile("class (\\w+)").matcher(block.text());
        assertThat(name.find()).as("%s is a class", block).isTrue();
        Path source = Files.writeString(folder.resolve(name.group(1) + ".java"), block.text());
        int failed = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        null,
                        null,
                        "-proc:none",
                        "-d",
                        folder.toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        source.toString());
        assertThat(failed).as(block.toString()).isZero();
    }

    @Test
    void everyScriptIsPartOfAFile() throws IOException {
        for (Pages.Block block : Pages.blocks()) {
            if (List.of("python", "js").contains(block.language())) {
                String first = block.text().lines().findFirst().orElseThrow();
                Path source = Pages.PROJECT.resolve(first.replaceFirst("(#|//) ", ""));
                assertThat(unindented(Files.readAllLines(source).stream()))
                        .as(block.toString())
                        .contains(unindented(block.text().lines().skip(1)));
            }
        }
    }

    private static String unindented(Stream<String> lines) {
        return lines.map(String::strip).collect(Collectors.joining("\n"));
    }

    static Stream<Pages.Block> xml() {
        // The configuration of a log is run by StandardOutputIT.
        return Pages.blocks().stream()
                .filter(block -> block.language().equals("xml"))
                .filter(block -> !block.text().startsWith("<configuration>"));
    }

    @ParameterizedTest
    @MethodSource("xml")
    void everyXmlBlockIsADependencyOnThisProject(Pages.Block block) throws Exception {
        Document snippet = xml(block.text());
        Document pom = xml(Pages.read(Pages.PROJECT.resolve("pom.xml")));

        assertThat(snippet.getDocumentElement().getTagName()).isEqualTo("dependency");
        for (String tag : List.of("groupId", "artifactId", "version")) {
            assertThat(content(snippet, tag)).as(block.toString()).isEqualTo(content(pom, tag));
        }
    }

    private static Document xml(String text) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
        return factory.newDocumentBuilder().parse(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    }

    /** The content of the first child of the root with a name. */
    private static String content(Document document, String tag) {
        for (Node child = document.getDocumentElement().getFirstChild();
                child != null;
                child = child.getNextSibling()) {
            if (child.getNodeName().equals(tag)) {
                return child.getTextContent();
            }
        }
        throw new AssertionError("no " + tag);
    }

    @Test
    void everyLibraryIsNamedWithTheVersionOfThePom() {
        String pom = Pages.read(Pages.PROJECT.resolve("pom.xml"));
        assertThat(Pattern.compile("`[a-z][\\w.]+:([\\w-]+):(\\d[\\w.]*)`")
                        .matcher(Pages.text())
                        .results())
                .hasSizeGreaterThanOrEqualTo(3)
                .allSatisfy(library -> assertThat(pom)
                        .contains("<artifactId>" + library.group(1) + "<", ">" + library.group(2) + "<"));
    }

    /** Rules of Prometheus are checked with its own program, see FrontierMetricsTest. */
    @Test
    void everyYamlBlockIsRulesWorkflowOrSettings() {
        for (Pages.Block block : Pages.blocks()) {
            if (block.language().equals("yaml") && !block.text().startsWith("groups:\n") && !isWorkflow(block)) {
                assertThat(block.text().lines())
                        .as(block.toString())
                        .allMatch(line -> line.matches("[\\w.]+: (\"[^\"\\\\]*\"|\\w+)"));
            }
        }
    }

    private static boolean isWorkflow(Pages.Block block) {
        return block.text().contains("\njobs:\n");
    }

    @Test
    void everyStepOfAWorkflowRunsOrUsesSomething() throws Exception {
        for (Pages.Block block : Pages.blocks()) {
            if (block.language().equals("yaml") && isWorkflow(block)) {
                List<String> starts = block.text()
                        .lines()
                        .filter(line -> line.contains("bin/sieve "))
                        .toList();
                assertThat(starts).as(block.toString()).isNotEmpty();
                starts.forEach(start -> parseUnquoted(block, start));
                for (JsonNode job : Yaml.read(block.text()).get("jobs")) {
                    assertThat(job.get("runs-on").asText()).isNotEmpty();
                    assertThat(job.get("steps"))
                            .as(block.toString())
                            .isNotEmpty()
                            .allMatch(step -> step.has("run") != step.has("uses"));
                }
            }
        }
    }

    @Test
    void everyConfBlockIsAFileOfOptions() throws IOException {
        int files = 0;
        for (Pages.Block block : Pages.blocks()) {
            if (block.language().equals("conf")) {
                Path file = Files.writeString(folder.resolve("crawl.conf"), block.text());
                ConfigFile.read(file, Main.commandLine().getCommandSpec());
                files++;
            }
        }
        assertThat(files).isPositive();
    }

    @Test
    void everyIniBlockIsASystemdUnitThatStartsTheProgram() {
        for (Pages.Block block : Pages.blocks()) {
            if (block.language().equals("ini")) {
                assertThat(block.text().lines())
                        .as(block.toString())
                        .allMatch(line -> line.matches("|#.*|\\[(Unit|Service|Install|Timer)]|[A-Z]\\w+=\\S.*"));
                List<String> starts = block.text()
                        .lines()
                        .filter(line -> line.startsWith("ExecStart="))
                        .toList();
                assertThat(starts).as(block.toString()).isNotEmpty();
                starts.forEach(start -> parseUnquoted(block, start));
            }
        }
    }

    @Test
    void everyLineOfACrontabStartsTheProgram() {
        for (Pages.Block block : Pages.blocks()) {
            if (block.language().equals("crontab")) {
                assertThat(block.text().lines()).as(block.toString()).allSatisfy(line -> {
                    assertThat(line).matches("([\\d*/,-]+ ){5}.*");
                    parseUnquoted(block, line);
                });
            }
        }
    }

    /** Parses the words after the name of the program, up to an operator of the shell. */
    private static void parseUnquoted(Pages.Block block, String line) {
        Matcher command = Pattern.compile("bin/sieve ([^'\"\\\\;&|<>]*)").matcher(line);
        assertThat(command.find()).as("%s: %s", block, line).isTrue();
        parse(block, Arrays.asList(command.group(1).strip().replace("\\%", "%").split(" +")));
    }

    @Test
    void commandPageShowsTheHelpOfTheProgram() throws IOException {
        CommandLine program = Main.commandLine();
        List<String> stale = new ArrayList<>();
        String page = Pages.read(COMMAND);
        String expected = page;
        for (Pages.Block block : Pages.blocks()) {
            Matcher usage =
                    Pattern.compile("Usage: sieve (\\w*).*", Pattern.DOTALL).matcher(block.text());
            if (block.page().equals(COMMAND) && usage.matches()) {
                CommandLine command = program.getSubcommands().getOrDefault(usage.group(1), program);
                command.setUsageHelpAutoWidth(false).setUsageHelpWidth(command == program ? 100 : 80);
                String help = command.getUsageMessage(Ansi.OFF).stripTrailing() + "\n";
                if (!block.text().equals(help)) {
                    stale.add(command.getCommandName());
                    expected = expected.replace(block.text(), help);
                }
            }
        }
        Path written = Pages.PROJECT.resolve("target/command.md");
        if (!stale.isEmpty()) {
            Files.writeString(Files.createDirectories(written.getParent()).resolve("command.md"), expected);
        }
        assertThat(stale)
                .as("commands whose help is another; cp target/command.md docs/")
                .isEmpty();
    }

    @Test
    void everyThreadIsOnThePageOfThreads() throws IOException {
        Pattern name = Pattern.compile("(?:Thread|Timer|Keeper|threads|start)\\([^;\"]*\"([a-z]+(?:-[a-z]+)+)");
        String page = Pages.read(Pages.PROJECT.resolve("docs/threads.md"));
        Set<String> names = new TreeSet<>();
        try (Stream<Path> files = Files.walk(Pages.PROJECT.resolve("src/main/java"))) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".java")).toList()) {
                name.matcher(Files.readString(file)).results().forEach(found -> names.add(found.group(1)));
            }
        }

        assertThat(names).contains("sieve-worker", "sieve-report", "sieve-serve", "sieve-keeper");
        assertThat(names).allSatisfy(each -> assertThat(page).containsPattern("`" + each + "(-[a-z*]+)?`"));
    }

    @Test
    void commandPageHasEveryCommandAndEveryOption() {
        CommandLine program = Main.commandLine();
        String page = Pages.read(COMMAND);
        Set<String> missing = new TreeSet<>();

        Stream.concat(Stream.of(program), program.getSubcommands().values().stream())
                .forEach(command -> {
                    if (!Pattern.compile("\\b" + command.getCommandName() + "\\b")
                            .matcher(page)
                            .find()) {
                        missing.add(command.getCommandName());
                    }
                    for (OptionSpec option : command.getCommandSpec().options()) {
                        if (!option.hidden()
                                && !Pattern.compile("(?m)^ *(-\\w, +)?" + Pattern.quote(option.longestName()) + "\\b")
                                        .matcher(page)
                                        .find()) {
                            missing.add(command.getCommandName() + " " + option.longestName());
                        }
                    }
                });

        assertThat(missing).isEmpty();
    }

    @Test
    void theWarningsShownAreThoseOfAFilter() {
        String number = "\\d[\\d,.e-]*";
        Sieve sieve = new Sieve(1_000);
        try (CapturedLog log = new CapturedLog()) {
            IntStream.range(0, 1_100).forEach(i -> sieve.push("http://a.test/" + i));
            List<String> logged = log.lines().stream()
                    .map(line -> line.replaceAll(number, "#"))
                    .toList();

            for (String page : List.of("README.md", "docs/filter.md")) {
                assertThat(Pages.read(Pages.PROJECT.resolve(page))
                                .lines()
                                .filter(line -> line.contains("% full: about")))
                        .hasSize(2)
                        .extracting(line -> line.replaceFirst(".*WARN  ", "").replaceFirst("\\.\\.\\.$", ""))
                        .extracting(line -> line.replaceAll(number, "#"))
                        .allMatch(shown -> logged.stream().anyMatch(line -> line.startsWith(shown)));
            }
        }
    }
}
