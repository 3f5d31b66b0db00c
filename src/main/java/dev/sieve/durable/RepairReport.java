package dev.sieve.durable;

import java.util.List;

/**
 * What {@link DurableFolder#repair} has done.
 *
 * @param urls URLs whose records are whole
 * @param lost URLs that had been accepted, were not known to be done, and whose records are gone
 * @param lostBytes bytes of the log that were given up
 * @param findings what was found and done about it, in a sentence each; empty when all was sound
 */
public record RepairReport(long urls, long lost, long lostBytes, List<String> findings) {}
