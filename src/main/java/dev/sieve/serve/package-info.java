/** Offers frontiers on disk to other crawlers, by the gRPC service URLFrontier: {@link dev.sieve.serve.FrontierServer}. */
package dev.sieve.serve;
