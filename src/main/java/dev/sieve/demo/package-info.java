/**
 * A generated web of known size, served on this machine for the demo, tests and benchmarks: {@link
 * dev.sieve.demo.DemoWeb}.
 */
package dev.sieve.demo;
