package dev.sieve.cli;

import java.io.IOException;
import java.nio.file.Path;
import org.jsoup.Jsoup;
import org.jsoup.select.Elements;

/** Reads numbers from a report. */
final class ReportFile {
    private ReportFile() {}

    /** Returns the number of responses of a class of status: {@code 2xx}. */
    static long responses(Path report, String statusClass) throws IOException {
        return rowsOf(report, "classes").stream()
                .filter(row -> row.child(0).text().equals(statusClass))
                .mapToLong(row -> Long.parseLong(row.child(1).attr("data-v")))
                .sum();
    }

    /** Returns the number of runs, which are the columns after the names. */
    static int runs(Path report) throws IOException {
        return rowsOf(report, "runs").first().childrenSize() - 1;
    }

    private static Elements rowsOf(Path report, String table) throws IOException {
        return Jsoup.parse(report.toFile(), "UTF-8").select("#" + table + " tbody tr");
    }
}
