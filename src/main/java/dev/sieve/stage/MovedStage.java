package dev.sieve.stage;

import dev.sieve.Lease;
import dev.sieve.crawl.Stage;
import dev.sieve.crawl.StageVisit;
import dev.sieve.crawl.VisitContext;
import dev.sieve.fetch.FetchResult.Redirect;
import dev.sieve.output.VisitField;

/**
 * Marks URLs that have moved for good, so that the links to them are to be updated. A seed is no link, and a URL to
 * which another one redirects is not the URL of the link.
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
