package dev.sieve.crawl;

import dev.sieve.output.Change;
import java.util.List;
import java.util.Map;

/**
 * What a run has found out in a round of its crawl.
 *
 * @param number of the round; the first one is 1
 * @param changes visits of this run, by what has become of the URL
 * @param sameText how many pages have changed, but not their visible text
 * @param orphans pages to which no other page links any more, seeds aside; known when the round is complete
 */
public record Round(int number, Map<Change, Long> changes, long sameText, List<String> orphans) {}
