package dev.sieve.demo;

import java.util.List;

/**
 * A link from a demo web to a host that is not part of it.
 *
 * @param url the URL in its normal spelling
 * @param status the HTTP status of the response; 0 if there is no response
 * @param isBroken whether the link does not lead to a document, neither directly nor through redirects; a document that
 *     robots.txt disallows is not broken
 * @param referrers the URLs of all pages that link to it
 */
public record ExternalLink(String url, int status, boolean isBroken, List<String> referrers) {}
