package dev.sieve.cli;

import dev.sieve.report.LiveServer;
import dev.sieve.report.MetricsText;
import java.io.IOException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options that show a crawl while it runs, and its metrics at the end. */
@Command(optionListHeading = "%nOutput:%n")
@SameForWorkers(false)
final class LiveOptions {
    /** Always the same one, for bookmarks and for Prometheus; not 8080, where many sites are that people crawl. */
    private static final String DEFAULT_PORT = "8484";

    @Option(
            names = "--live",
            arity = "0..1",
            paramLabel = "[ADDRESS:]PORT",
            description =
                    "Show the crawl at http://127.0.0.1:PORT/ while it runs, and metrics for Prometheus at /metrics."
                            + " Port 0 selects a free one. With an address, other machines can read it, without a password"
                            + " (default: off; without a value: port " + DEFAULT_PORT + ").",
            fallbackValue = DEFAULT_PORT,
            preprocessor = Converters.OnlyAfterEquals.class,
            converter = EndpointConverter.class)
    private @Nullable Endpoint endpoint;

    @Option(
            names = "--metrics-file",
            paramLabel = "FILE",
            description =
                    "Write the metrics when the crawl ends, for Prometheus: NAME.prom in the folder of the textfile"
                            + " collector. Replaces the metrics of an earlier crawl (default: none).")
    @Nullable
    Path metricsFile;

    record Endpoint(String host, int port) {}

    /** Refuses a file for the metrics that could not be written. */
    void check(OutputChecks checks) {
        checks.replaced("--metrics-file", metricsFile, MetricsText::check);
    }

    /** Opens the port, so that nothing is crawled when it is in use; returns null without the option. */
    @Nullable
    LiveServer open() throws IOException {
        return endpoint == null ? null : open(endpoint, "--live");
    }

    static LiveServer open(Endpoint endpoint, String option) throws IOException {
        // The JDK's server reads it once. Clients cannot use up the file descriptors of the process.
        System.getProperties().putIfAbsent("jdk.httpserver.maxConnections", "200");
        try {
            return LiveServer.open(endpoint.host, endpoint.port);
        } catch (IOException e) {
            throw new IOException(e.getMessage() + "; choose another port with " + option + "=PORT", e);
        }
    }

    /** {@code 8484}, {@code 0.0.0.0:8484}, {@code [::]:8484} or {@code example:8484}. */
    static final class EndpointConverter implements ITypeConverter<Endpoint> {
        private static final Pattern FORM = Pattern.compile("(?:([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+]):)?([0-9]{1,5})");

        @Override
        public Endpoint convert(String text) {
            Matcher matcher = FORM.matcher(text);
            if (!matcher.matches() || Integer.parseInt(matcher.group(2)) > 65535) {
                throw new TypeConversionException(
                        "'" + text + "' is not a port, or an address and a port; use 8484 or 0.0.0.0:8484");
            }
            String host = matcher.group(1) == null ? "127.0.0.1" : matcher.group(1);
            return new Endpoint(host, Integer.parseInt(matcher.group(2)));
        }
    }
}
