package dev.sieve.durable;

import java.util.List;

/**
 * The result of {@link DurableFolder#repair}.
 *
 * @param urls URLs whose records are whole
 * @param lost accepted URLs that are not known to be done and whose records are lost, by this and earlier repairs
 * @param lostBytes bytes of the log that were given up; they may contain URLs that cannot be counted
 * @param findings problems and what was done about them, one sentence each; empty when all files are intact
 */
public record RepairReport(long urls, long lost, long lostBytes, List<String> findings) {}
