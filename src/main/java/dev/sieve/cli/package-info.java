/**
 * The door: options in, exit code out. A class for each command parses, calls the rooms below, prints and returns;
 * {@link dev.sieve.cli.Main} is where it begins.
 */
package dev.sieve.cli;
