/**
 * A generated web of known size, served on this machine for the demo, tests and benchmarks: {@link
 * dev.sieve.demo.DemoWeb}.
 */
@NullMarked
package dev.sieve.demo;

import org.jspecify.annotations.NullMarked;
