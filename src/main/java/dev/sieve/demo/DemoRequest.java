package dev.sieve.demo;

/**
 * One request to a demo web.
 *
 * @param startNanos when its header was read, by {@link System#nanoTime}
 * @param endNanos when its response was ready to be sent
 * @param host the requested host, in lower case and without port
 * @param target the requested path and query
 * @param status the HTTP status of the response
 * @param url the requested URL, in the spelling of {@link DemoWeb.Expected#url()}
 */
public record DemoRequest(long startNanos, long endNanos, String host, String target, int status, String url) {}
