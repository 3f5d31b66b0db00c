package dev.sieve.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Help;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.OptionSpec;

/** The list of options in the help of a crawl and of why, in groups with headings. */
final class GroupedOptions implements IHelpSectionRenderer {
    /** The heading of each group by its first option; the order is that of the declarations. */
    private static final Map<String, String> HEADINGS = Map.of(
            "--scope", "Which URLs:",
            "--max-pages", "Limits and speed:",
            "--user-agent", "Requests:",
            "--capacity", "Filter of seen URLs:",
            "--output", "Output:",
            "--job", "Jobs:",
            "--frontier", "Shared frontier:",
            "--fail-on", "Program:");

    @Override
    public String render(Help help) {
        Map<String, List<OptionSpec>> groups = new LinkedHashMap<>();
        List<OptionSpec> group = new ArrayList<>();
        for (OptionSpec option : help.commandSpec().options()) {
            String heading = HEADINGS.get(option.longestName());
            if (heading != null) {
                group = new ArrayList<>();
                groups.put(heading, group);
            }
            group.add(option);
        }
        StringBuilder text = new StringBuilder();
        groups.forEach((heading, options) -> {
            Help.Layout layout = help.createDefaultLayout(help.commandSpec().options(), List.of(), help.colorScheme());
            layout.addOptions(options, help.createDefaultParamLabelRenderer());
            text.append(String.format("%n%s%n%s", heading, layout));
        });
        return text.append(System.lineSeparator()).toString();
    }
}
