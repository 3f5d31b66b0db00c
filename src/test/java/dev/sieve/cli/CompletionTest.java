package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The script is run by the shells that are installed. */
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

    @TempDir
    private Path folder;

    @BeforeEach
    void write() throws IOException {
        Run run = Run.of(Main.commandLine(), "completion");
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
    @ValueSource(strings = {"bash", "zsh"})
    void theShellAcceptsTheScript(String shell) throws Exception {
        assertThat(output(shell, "-n", "completion")).isEmpty();
    }

    private List<String> bash(String line) throws IOException, InterruptedException {
        return output("bash", "--norc", "-c", ASK_BASH, "bash", line).lines().toList();
    }

    @Test
    void bashCompletesCommandsOptionsAndValues() throws Exception {
        Files.createFile(folder.resolve("my.conf"));

        assertThat(bash("sieve de")).containsExactlyInAnyOrder("demo", "delete");
        assertThat(bash("sieve --max-p")).containsExactlyInAnyOrder("--max-pages", "--max-per-host");
        assertThat(bash("sieve crawl --dura")).containsExactly("--durability");
        assertThat(bash("sieve http://h.test/ --filter "))
                .containsExactly("split-blocks", "classic", "growing", "exact");
        assertThat(bash("sieve --on-full g")).containsExactly("grow");
        assertThat(bash("sieve why --fil")).containsExactly("--filter");
        assertThat(bash("sieve http://h.test/ --format t")).containsExactly("txt", "tsv");
        assertThat(bash("sieve --scope ")).containsExactly("host", "domain", "prefix", "any");
        assertThat(bash("sieve compl")).containsExactly("completion");
        assertThat(bash("sieve help pl")).containsExactly("plan");
        assertThat(bash("sieve --config m")).containsExactly("my.conf");
    }

    @Test
    void zshCompletesWithTheFunctionOfBash() throws Exception {
        String ask = "PATH=$PATH; source ./completion; print -r -- ${_comps[sieve]}";

        assertThat(output("zsh", "-f", "-c", ask)).contains("_bash_complete", "_complete_sieve");
    }
}
