package dev.sieve.cli;

import dev.sieve.crawl.CrawlJob;
import dev.sieve.job.SavedPlace;
import java.io.IOException;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

/** The options of a frontier that many processes share. */
@Command(optionListHeading = "%nShared frontier:%n")
@SameForWorkers(false)
final class SharedOptions extends Subcommand.Mixed {
    /** What such a frontier does not have, or decides itself. */
    private static final List<String> OTHERS =
            List.of("--job", "--durability", "--keep-log", "--filter", "--miss-rate");

    @Option(
            names = EngineAccess.FRONTIER,
            paramLabel = "ADDRESS",
            description = "Share the crawl with other processes, on a Valkey or Redis server or cluster:"
                    + " valkey://[USER@]HOST[:PORT],...[/DATABASE]/NAME, or valkeys:// for TLS. Start each process, on any"
                    + " machine, with the same command; repeat it to resume (default: none).")
    private @Nullable String frontier;

    @Mixin
    private EngineAccess access = new EngineAccess();

    @Option(
            names = "--patience",
            paramLabel = "TIME",
            description = "How long to wait for the server when it does not respond (default: 5m).")
    private Duration patience = Duration.ofMinutes(5);

    /** Returns where the frontier is kept; null without one. Refuses options that contradict each other. */
    @Nullable
    SavedPlace place() throws IOException {
        access.trust();
        if (frontier == null) {
            Checks.requires(spec, EngineAccess.FRONTIER, EngineAccess.OPTION, "--patience");
            return null;
        }
        for (String other : OTHERS) {
            if (spec.commandLine().getParseResult().hasMatchedOption(other)) {
                throw Checks.wrong(
                        spec,
                        "Option '" + EngineAccess.FRONTIER + "' cannot be combined with '" + other + "'",
                        EngineAccess.FRONTIER,
                        other);
            }
        }
        return access.place("option '" + EngineAccess.FRONTIER + "'", frontier, patience);
    }

    /** Stores the options that all processes of a crawl have to share, or refuses one that differs from theirs. */
    void compare(CrawlJob job) {
        Map<String, String> mine = new LinkedHashMap<>();
        for (OptionSpec option : spec.commandLine().getCommandSpec().options()) {
            SameForWorkers rule = rule(option);
            if (rule != null && rule.value()) {
                Object value = option.getValue();
                String name = option.longestName();
                mine.put(name(name), name.equals(RequestOptions.HEADER) ? headerNames((List<?>) value) : text(value));
            }
        }
        job.sharing().differences(mine).forEach((name, stored) -> {
            // Null when it was stored by a version without the option.
            String theirs = stored == null ? "" : stored;
            if (theirs.equals(mine.get(name))) {
                return;
            }
            String option = (name.length() == 1 ? "-" : "--") + name;
            throw Checks.wrong(
                    spec,
                    "Option '" + option + "' is " + shown(mine.getOrDefault(name, "")) + " here, but " + shown(theirs)
                            + " in the processes that are at work on this crawl; use the same",
                    option);
        });
    }

    /** Returns what an option says about workers; null when it says nothing. */
    static @Nullable SameForWorkers rule(OptionSpec option) {
        Field field = (Field) option.userObject();
        SameForWorkers own = field.getAnnotation(SameForWorkers.class);
        return own == null ? field.getDeclaringClass().getAnnotation(SameForWorkers.class) : own;
    }

    /** Returns the name under which the value of an option is stored. */
    private static String name(String option) {
        return option.replaceFirst("^-+", "");
    }

    /** Returns the names alone: a value may be a password, which is not stored where others can read it. */
    private static String headerNames(List<?> headers) {
        return headers.stream()
                .map(header -> header.toString().split(":", 2)[0].strip().toLowerCase(Locale.ROOT))
                .distinct()
                .sorted()
                .collect(Collectors.joining(" "));
    }

    private static String shown(String value) {
        return value.isEmpty() ? "not given" : value;
    }

    /** Returns a value in a form that is the same for the same meaning; empty without a value. */
    private static String text(Object value) {
        if (value instanceof PaceOptions.Delay delay) {
            return delay.fixed() == null ? "auto" : text(delay.fixed());
        }
        if (value instanceof Duration time) {
            return time.toMillis() % 1000 == 0 ? time.toSeconds() + "s" : time.toMillis() + "ms";
        }
        if (value instanceof Collection<?> values) {
            return values.stream().map(SharedOptions::text).sorted().collect(Collectors.joining(" "));
        }
        return value == null || value.equals(false) ? "" : value.equals(true) ? "given" : value.toString();
    }
}
