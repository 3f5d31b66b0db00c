package dev.sieve.report;

import java.util.List;

/**
 * A URL that links lead to and that is broken.
 *
 * @param reason its status, or the error in a word or two
 * @param pages pages that link to it, the one where it was found first of all; empty for a seed
 * @param pageCount how many pages are known to link to it
 */
public record BrokenLink(String url, String reason, List<String> pages, long pageCount) {}
