package dev.sieve.durable;

import java.util.List;
import java.util.stream.Stream;

/**
 * The result of {@link DurableFolder#repair}.
 *
 * @param urls URLs whose records are whole
 * @param lost accepted URLs that are not known to be done and whose records are lost, by this and earlier repairs
 * @param lostBytes bytes of the log that were given up; they may contain URLs that cannot be counted
 * @param findings problems and what was done about them, one sentence each; empty when all files are intact
 */
public record RepairReport(long urls, long lost, long lostBytes, List<String> findings) {

    /** Returns this report with further findings. */
    public RepairReport withFindings(List<String> more) {
        List<String> all = Stream.concat(findings.stream(), more.stream()).toList();
        return new RepairReport(urls, lost, lostBytes, all);
    }
}
