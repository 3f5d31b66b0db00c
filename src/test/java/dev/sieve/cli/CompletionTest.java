package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The scripts are run by the shells that are installed. */
class CompletionTest {
    /** As bash calls the function of a completion; outside of one it has no compopt. */
    private static final String ASK_BASH = """
            compopt() { :; }
            source ./completion
            read -r -a COMP_WORDS <<< "$1"
            [[ $1 == *' ' ]] && COMP_WORDS+=('')
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _complete_sieve sieve "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """;

    /** The functions of zsh's completion that the script calls, which print what they are called with. */
    private static final String ASK_ZSH = """
            compdef() { :; }
            source ./completion
            _arguments() { print -l -- "$@"; }
            _describe() { print -l -- "${(P@)4}"; }
            words=(${=1} '')
            CURRENT=${#words}
            _sieve
            """;

    @TempDir
    private Path folder;

    private void write(String shell) throws IOException {
        Run run = Run.of(Main.commandLine(), "completion", shell);
        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).isEmpty();
        Files.writeString(folder.resolve("completion"), run.out());
    }

    private String output(String... command) throws IOException, InterruptedException {
        String program = command[0];
        boolean isInstalled =
                List.of("/bin/", "/usr/bin/").stream().anyMatch(each -> Files.isExecutable(Path.of(each + program)));
        Assumptions.assumeTrue(isInstalled, program + " is not installed");
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }

    @ParameterizedTest
    @ValueSource(strings = {"bash", "zsh", "fish"})
    void theShellAcceptsItsScript(String shell) throws Exception {
        write(shell);

        assertThat(output(shell, "-n", "completion")).isEmpty();
    }

    private List<String> bash(String line) throws IOException, InterruptedException {
        return output("bash", "--norc", "-c", ASK_BASH, "bash", line).lines().toList();
    }

    @Test
    void bashCompletesCommandsOptionsAndValues() throws Exception {
        write("BASH");
        Files.createFile(folder.resolve("my.conf"));

        assertThat(bash("sieve de")).containsExactlyInAnyOrder("demo", "delete");
        assertThat(bash("sieve --max-p")).containsExactlyInAnyOrder("--max-pages", "--max-per-host");
        assertThat(bash("sieve crawl --dura")).containsExactly("--durability");
        assertThat(bash("sieve http://h.test/ --filter "))
                .containsExactly("split-blocks", "classic", "growing", "exact");
        assertThat(bash("sieve --on-full g")).containsExactly("grow");
        assertThat(bash("sieve why --fil")).containsExactly("--filter");
        assertThat(bash("sieve completion ")).containsExactly("bash", "zsh", "fish");
        assertThat(bash("sieve help pl")).containsExactly("plan");
        assertThat(bash("sieve --config m")).containsExactly("my.conf");
    }

    @Test
    void scriptForZshIsItsOwn() {
        String script = Run.of(Main.commandLine(), "completion", "zsh").out();

        assertThat(script)
                .startsWith("#compdef sieve\n")
                .contains("'(--max-pages)--max-pages=[Stop after exactly N pages]:N: '", "'*:SEED:_files'")
                .contains("*-H+[Extra request header, sent only to the seeds'\\'' origins]")
                .contains("(--live)--live=-[Show the crawl at http\\://127.0.0.1\\:PORT/")
                .doesNotContain("COMPREPLY", "@|");
    }

    private List<String> zsh(String line) throws IOException, InterruptedException {
        return output("zsh", "-f", "-c", ASK_ZSH, "zsh", line).lines().toList();
    }

    @Test
    void zshCompletesCommandsOptionsAndValues() throws Exception {
        write("zsh");

        assertThat(zsh("sieve"))
                .contains("plan:Shows how much memory each filter needs for N URLs, and how many pages it misses")
                .contains("(--retries)--retries=[Retries for temporary errors]:N: ");
        assertThat(zsh("sieve crawl"))
                .contains("(--filter)--filter=[Filter type]:filter:(split-blocks classic growing exact)");
        assertThat(zsh("sieve demo --pages 3"))
                .contains("(--pages)--pages=[Number of pages]:N: ")
                .noneMatch(line -> line.contains("--max-pages"));
        assertThat(zsh("sieve completion")).contains(":SHELL:(bash zsh fish)");
        assertThat(zsh("sieve help")).anyMatch(line -> line.contains(":(demo plan why "));
    }

    private List<String> fish(String line) throws IOException, InterruptedException {
        return output("fish", "--no-config", "-c", "source ./completion; complete -C '" + line + "'")
                .lines()
                .map(each -> each.replaceFirst("\t.*", ""))
                .toList();
    }

    @Test
    void fishCompletesCommandsOptionsAndValues() throws Exception {
        write("fish");
        Files.createFile(folder.resolve("my.conf"));

        assertThat(fish("sieve demo --pa")).containsExactly("--pages");
        assertThat(fish("sieve dem")).containsExactly("demo");
        assertThat(fish("sieve --max-p")).containsExactlyInAnyOrder("--max-pages", "--max-per-host");
        assertThat(fish("sieve --filter=c")).containsExactly("--filter=classic");
        assertThat(fish("sieve completion z")).containsExactly("zsh");
        assertThat(fish("sieve --config m")).containsExactly("my.conf");
        assertThat(output("fish", "--no-config", "-c", "source ./completion; complete -C 'sieve --retri'"))
                .isEqualTo("--retries\tRetries for temporary errors\n");
    }

    @Test
    void anUnknownShellIsNamed() {
        Run run = Run.of(Main.commandLine(), "completion", "tcsh");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("'tcsh' is not a shell; choose one of bash, zsh, fish");
    }
}
