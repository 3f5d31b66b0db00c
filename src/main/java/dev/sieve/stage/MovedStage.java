package dev.sieve.stage;

import dev.sieve.Lease;
import dev.sieve.crawl.Stage;
import dev.sieve.crawl.StageVisit;
import dev.sieve.crawl.VisitContext;
import dev.sieve.fetch.FetchResult.Redirect;
import dev.sieve.output.VisitField;

/**
 * Marks the URLs of links that redirect permanently, so that these links are to be updated. Seeds, and URLs that were
 * found by a redirect, are not URLs of links.
 */
final class MovedStage implements Stage {
    @Override
    public StageVisit visit(VisitContext visit) {
        return new StageVisit() {
            @Override
            public void visited() {
                Lease lease = visit.target().lease();
                boolean isLink = lease.referrer() != null && lease.redirects() == 0;
                if (isLink && visit.result() instanceof Redirect redirect && redirect.isPermanent()) {
                    visit.add(VisitField.MOVED, true);
                }
            }
        };
    }
}
