package dev.sieve.demo;

/**
 * One request that a demo web has answered.
 *
 * @param startNanos when its header had been read, on the clock of {@link System#nanoTime}
 * @param endNanos when its response was ready to be sent; a client that has the response finds the request in the log
 * @param host the host that was requested, in lower case and without port
 * @param target path and query as they were requested
 * @param status the HTTP status of the response
 * @param url the URL that was requested, in the spelling of {@link DemoWeb.Expected#url()}
 */
public record DemoRequest(long startNanos, long endNanos, String host, String target, int status, String url) {}
