/**
 * A web of known size that is served on this machine: for the first five minutes with the crawler, for tests and for
 * benchmarks. {@link dev.sieve.demo.DemoWeb} is the only public class.
 */
package dev.sieve.demo;
