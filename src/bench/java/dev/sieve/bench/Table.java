package dev.sieve.bench;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** A table as Markdown has it. */
final class Table {
    private final List<List<String>> rows = new ArrayList<>();

    Table(String... titles) {
        rows.add(List.of(titles));
    }

    void row(List<String> cells) {
        rows.add(cells);
    }

    void row(String... cells) {
        row(List.of(cells));
    }

    void print(PrintStream out) {
        int columns = rows.get(0).size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        for (int i = 0; i < rows.size(); i++) {
            out.println(line(rows.get(i), widths));
            if (i == 0) {
                out.println(Arrays.stream(widths).mapToObj("-"::repeat).collect(Collectors.joining("-|-", "|-", "-|")));
            }
        }
        out.println();
    }

    private static String line(List<String> row, int[] widths) {
        StringBuilder line = new StringBuilder("|");
        for (int i = 0; i < widths.length; i++) {
            String gap = " ".repeat(widths[i] - row.get(i).length());
            line.append(' ')
                    .append(i == 0 ? row.get(i) + gap : gap + row.get(i))
                    .append(" |");
        }
        return line.toString();
    }

    static String number(String format, double value) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, format, value);
    }

    static double median(double... values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
