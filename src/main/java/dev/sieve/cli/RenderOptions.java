package dev.sieve.cli;

import dev.sieve.browser.RenderRule;
import dev.sieve.browser.RenderStage;
import dev.sieve.browser.RenderWait;
import dev.sieve.crawl.CrawlOptions;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options for pages that a browser renders. */
@Command(optionListHeading = "%nPages that need a browser:%n")
@SameForWorkers
final class RenderOptions {
    @Option(
            names = "--render",
            paramLabel = "WHICH",
            description = "Render pages in a browser, and take their links and texts from that: auto (those that look"
                    + " empty without their scripts), all, or a REGEX that URLs contain (default: none).")
    private @Nullable String which;

    @Option(
            names = "--render-robots",
            paramLabel = "RULE",
            description = "Which requests of a rendered page robots.txt can forbid: strict (all) or relaxed (all but"
                    + " scripts and style sheets) (default: strict).")
    private @Nullable Robots robots;

    @Option(
            names = "--render-wait",
            paramLabel = "QUIET,MAX",
            converter = Wait.class,
            description = "A page is ready when it has loaded and has then requested nothing for QUIET, at the latest"
                    + " after MAX (default: 500ms,5s).")
    private @Nullable RenderWait wait;

    @SameForWorkers(false)
    @Option(
            names = "--browser",
            paramLabel = "PROGRAM",
            description = "The browser, a Chromium (default: the first of chromium, chromium-browser, google-chrome,"
                    + " chrome on the PATH).")
    private @Nullable Path browser;

    /** The times of a wait, such as {@code 500ms,5s}. */
    static final class Wait implements ITypeConverter<RenderWait> {
        @Override
        public RenderWait convert(String text) {
            String[] times = text.split(",", -1);
            if (times.length != 2) {
                throw new TypeConversionException("must be two times: " + times.length);
            }
            Converters.TimeSpan span = new Converters.TimeSpan();
            try {
                return new RenderWait(span.convert(times[0]), span.convert(times[1]));
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(String.valueOf(e.getMessage()).replaceFirst("wait ", ""));
            }
        }
    }

    /** Which requests robots.txt can forbid. */
    enum Robots {
        STRICT,
        RELAXED;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    void apply(CrawlOptions options, CommandSpec spec, int bodyLimit) {
        Checks.requires(spec, "--render", "--render-robots", "--render-wait", "--browser");
        Checks.set(spec, "--render", which, RenderRule::new);
        Checks.set(spec, "--browser", which, rule -> {
            boolean isRelaxed = robots == Robots.RELAXED;
            options.stage(RenderStage.of(
                    new RenderRule(rule),
                    browser,
                    options::userAgent,
                    bodyLimit,
                    isRelaxed,
                    wait == null ? RenderWait.DEFAULT : wait));
        });
    }

    /** Makes sure that the browser starts, if there is to be one. */
    void check(CommandSpec spec) {
        Checks.set(spec, "--browser", which, rule -> RenderStage.check(browser));
    }

    /** Says whether the page of a URL is rendered, and why; nothing without the option. */
    void explain(String url, Consumer<String> receiver) {
        if (which != null) {
            boolean isRendered = new RenderRule(which).mayRender(url);
            String content = which.equals("auto") ? " if it has scripts, and few words or no link" : "";
            receiver.accept((isRendered ? "rendered" : "not rendered") + content + ": --render " + which);
        }
    }
}
