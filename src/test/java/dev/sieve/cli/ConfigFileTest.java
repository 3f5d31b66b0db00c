package dev.sieve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a configuration file sets is shown by the command 'why', which takes the options of a crawl. */
class ConfigFileTest {
    @TempDir
    private Path folder;

    private Path write(String text) throws IOException {
        return Files.writeString(folder.resolve("sieve.conf"), text);
    }

    private Run why(String config, String... arguments) throws IOException {
        List<String> all =
                new ArrayList<>(List.of("why", "--config", write(config).toString()));
        all.addAll(List.of(arguments));
        return Run.of(Main.commandLine(), all.toArray(String[]::new));
    }

    private void assertRefused(Run run, String where, String problem) {
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err().strip())
                .isEqualTo("sieve: " + folder.resolve("sieve.conf") + where + ": " + problem + " (see --help)");
    }

    @Test
    void aLineIsAnOptionAndAHashABeginningOfAComment() throws Exception {
        String config = "\uFEFF# which pages\r\n\r\n  include=/docs/#top   # not the others\nexclude =  /old/ \n"
                + "exclude = [?]\nsitemaps = true\ncheck-links = false\nseed = http://h.test/\n#seed = nonsense";

        assertThat(why(config, "http://h.test/docs/#top").exitCode()).isEqualTo(5);
        assertThat(why(config, "http://h.test/docs/x").out()).contains("not crawled: not included");
        assertThat(why(config, "http://h.test/old/x").out()).isEqualTo("not crawled: excluded: exclude /old/\n");
        assertThat(why(config, "http://h.test/a?x").out()).isEqualTo("not crawled: excluded: exclude [?]\n");
    }

    @Test
    void theCommandLineReplacesOptionsAndSeedsOfTheFile() throws Exception {
        String config = "--scope = any\nexclude = a\nexclude = b\nseed = http://h.test/\n";

        assertThat(why(config, "http://other.test/a").exitCode()).isEqualTo(5);
        assertThat(why(config, "http://other.test/a", "--exclude", "c").exitCode())
                .isZero();
        assertThat(why(config, "http://other.test/x", "--scope", "host").exitCode())
                .isEqualTo(5);
        assertThat(why(config, "http://other.test/x", "--scope", "host", "http://other.test/")
                        .exitCode())
                .isZero();
        assertThat(why(config, "--scope=host", "http://h.test/x", "http://other.test/")
                        .exitCode())
                .isEqualTo(5);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "max-pagse = 1 | unknown option 'max-pagse'; did you mean 'max-pages' or 'max-age'?",
                "delai = 1 | unknown option 'delai'; did you mean 'delay'?",
                "con = 1 | unknown option 'con'; did you mean 'concurrency' or 'cookies' or 'config'?",
                "max-depth = 1 | unknown option 'max-depth'; use --depth=N",
                "= 1s | unknown option ''",
                "delay | not of the form 'name = value'",
                "delay = | Invalid value for option '--delay': '' is not a time; use one number with one unit: 500ms, 10m or 1.5h",
                "delay = soon | Invalid value for option '--delay': 'soon' is not a time; use one number with one unit: 500ms, 10m or 1.5h",
                "per-host = 0 | Invalid value for option '--per-host': must be at least 1: 0",
                "include = ( | Invalid value for option '--include': include (: Unclosed group at position 1",
                "H = nonsense | Invalid value for option '-H': not of the form 'Name: value'",
                "sitemaps = yes | 'sitemaps' must be true or false: yes",
                "user-agent = \"me/1.0\" | write the value of 'user-agent' without quotes",
                "config = other.conf | 'config' is allowed only on the command line",
                "help = true | 'help' is allowed only on the command line",
            })
    void aWrongLineIsNamedWithItsFile(String line, String problem) throws Exception {
        Run run = why("scope = any\ninclude = x\n" + line + "\n", "http://h.test/");

        assertThat(run.err()).startsWith("sieve: " + folder.resolve("sieve.conf") + ":3: ");
        assertRefused(run, ":3", problem);
    }

    @Test
    void aSingleValueIsSetOnce() throws Exception {
        assertRefused(
                why("delay = 1s\nscope = any\ndelay = 1s\n", "http://h.test/"),
                ":3",
                "'delay' is already set in line 1");
        assertRefused(
                why("ignore-robots = true\nignore-robots = false\n", "http://h.test/"),
                ":2",
                "'ignore-robots' is already set in line 1");
    }

    @Test
    void aValueThatTheCommandLineReplacesHasToBeValidAsWell() throws Exception {
        assertRefused(
                why("scope = galaxy\n", "--scope", "any", "http://h.test/"),
                ":1",
                "Invalid value for option '--scope': 'galaxy' is not one of host, domain, prefix, any");
    }

    @Test
    void theLineOfAnOptionThatContradictsAnotherIsNamed() throws Exception {
        Path config = write("filter = classic\non-full = grow\n");

        Run run = Run.of(Main.commandLine(), "--config", config.toString(), "http://h.test/");

        assertRefused(run, ":1,2", "Option '--filter classic' cannot be combined with '--on-full grow'");
    }

    @Test
    void anOutputThatCannotBeWrittenIsNamedWithItsLine() throws Exception {
        Path config = write("seed = http://h.test/\noutput = a.txt\noutput = a.xyz\n");

        Run run = Run.of(Main.commandLine(), "--config", config.toString());

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).startsWith("sieve: " + config + ":3: Invalid value for option '-o': a.xyz: ");
    }

    @Test
    void aSeedThatIsNotUsableIsNamedWithItsLine() throws Exception {
        Path config = write("delay = 0\nseed = no-such-file.txt\n");

        Run run = Run.of(Main.commandLine(), "--config", config.toString());

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err())
                .startsWith("sieve: " + config + ":2: Invalid SEED: ")
                .contains("no-such-file.txt");
    }

    @Test
    void aSeedIsNeverACommandOrAnOption() throws Exception {
        Path config = write("seed = demo\nseed = --help\n");

        Run run = Run.of(Main.commandLine(), "--config", config.toString());

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).startsWith("sieve: " + config + ":1: Invalid SEED: ");
    }

    @Test
    void aFileThatIsNotConfigurationIsRefused() throws Exception {
        String name = folder.resolve("sieve.conf").toString();
        String[] arguments = {"--config", name, "http://h.test/"};

        assertThat(Run.of(Main.commandLine(), arguments).err())
                .isEqualTo("sieve: Invalid value for option '--config': " + name
                        + ": no such file or directory (see --help)\n");
        write("#".repeat((1 << 20) + 1));
        assertThat(Run.of(Main.commandLine(), arguments).err()).contains(name + " is larger than 1 MiB");
        Files.write(folder.resolve("sieve.conf"), "user-agent = b\u00f6t".getBytes(StandardCharsets.ISO_8859_1));
        assertThat(Run.of(Main.commandLine(), arguments).err()).contains(name + " is not text in UTF-8");
    }
}
