package dev.sieve.stage;

import java.util.List;

/**
 * What a run has found out in a round of its crawl.
 *
 * @param number of the round; the first one is 1
 * @param orphans pages to which no other page links any more, seeds aside, up to 1,000; known when the round is
 *     complete
 * @param orphanCount how many there are
 */
public record Round(int number, List<String> orphans, long orphanCount) {}
