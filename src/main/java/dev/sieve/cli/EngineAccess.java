package dev.sieve.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.fetch.TrustedCertificates;
import dev.sieve.job.EnginePlace;
import dev.sieve.job.SavedPlace;
import dev.sieve.shared.EngineAddress;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The password of an engine, which does not have to be part of its address. */
@Command(optionListHeading = "%nShared frontier:%n")
@SameForWorkers(false)
final class EngineAccess extends Subcommand.Mixed {
    static final String VARIABLE = "SIEVE_FRONTIER_PASSWORD";

    static final String FRONTIER = "--frontier";
    static final String OPTION = "--frontier-password-file";
    private static final String TRUST = "--trust";
    private static final int MAX_BYTES = 4096;
    private static final Pattern ADDRESS = Pattern.compile("(valkey|redis)s?:/.*", Pattern.DOTALL);

    @Option(
            names = OPTION,
            paramLabel = "FILE",
            description = "File with the password of the server, in its first line (default: the environment variable "
                    + VARIABLE + ", or the password in the address).")
    private @Nullable Path passwordFile;

    @Option(
            names = TRUST,
            paramLabel = "FILE",
            description =
                    "Trust the certificates of servers and authorities in FILE (PEM) beside those that Java trusts,"
                            + " for https, proxies and TLS of the server (default: none).")
    private @Nullable Path trusted;

    /** Lets all connections from now on trust what the user trusts. */
    void trust() {
        if (trusted != null) {
            try {
                SSLContext.setDefault(TrustedCertificates.with(trusted));
            } catch (IOException e) {
                throw Checks.invalid(spec, TRUST, Checks.message(e));
            }
        }
    }

    /** Whether a text is meant to be the address of a crawl on an engine, and not a file. */
    static boolean isAddress(String text) {
        return ADDRESS.matcher(text).matches();
    }

    /** Returns a crawl on an engine by its address, which is {@code what} in errors. */
    SavedPlace place(String what, String text, Duration patience) throws IOException {
        return new EnginePlace(address(what, text, System.getenv()), patience);
    }

    EngineAddress address(String what, String text, Map<String, String> environment) throws IOException {
        trust();
        EngineAddress address;
        try {
            address = EngineAddress.parse(text);
        } catch (IllegalArgumentException e) {
            throw Checks.wrong(spec, "Invalid value for " + what + ": " + e.getMessage(), FRONTIER);
        }
        if (passwordFile != null) {
            if (address.password() != null) {
                throw Checks.wrong(
                        spec, "Option '" + OPTION + "' cannot be combined with a password in the address", OPTION);
            }
            return address.withPassword(password());
        }
        String variable = environment.getOrDefault(VARIABLE, "");
        return address.password() != null || variable.isEmpty() ? address : address.withPassword(variable);
    }

    private String password() throws IOException {
        try (InputStream in = Files.newInputStream(passwordFile)) {
            String line = new String(in.readNBytes(MAX_BYTES), UTF_8)
                    .lines()
                    .findFirst()
                    .orElse("");
            if (line.isEmpty()) {
                throw Checks.invalid(spec, OPTION, passwordFile + ": the first line is empty");
            }
            return line;
        }
    }
}
