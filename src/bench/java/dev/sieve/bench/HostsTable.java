package dev.sieve.bench;

import java.io.PrintStream;
import java.util.Map;

/** Runs {@link HostsBench}: {@code hosts=1e3,1e5,1e6} says how many there are. */
final class HostsTable {
    private final Choices choices;

    HostsTable(Choices choices) {
        this.choices = choices;
    }

    void print(PrintStream out) {
        Table table = new Table("hosts", "ns a turn, in memory", "nine of ten URLs on the disk");
        for (String text : choices.list("hosts", "1e3,1e5,1e6")) {
            int hosts = (int) Double.parseDouble(text);
            table.row(String.format("%,d", hosts), nanos(hosts, false), nanos(hosts, true));
        }
        table.print(out);
    }

    private String nanos(int hosts, boolean spill) {
        double[] forks = new double[choices.count("rounds", 3)];
        for (int i = 0; i < forks.length; i++) {
            Map<String, String> parameters = Map.of("hosts", String.valueOf(hosts), "spill", String.valueOf(spill));
            forks[i] = Forks.run(HostsBench.class, parameters, 3, 5, choices.number("seconds", 1));
        }
        return Table.number("%.0f", Table.median(forks));
    }
}
