/**
 * The command line: options in, exit code out. Each command has one class; {@link dev.sieve.cli.Main} is the entry
 * point.
 */
@NullMarked
package dev.sieve.cli;

import org.jspecify.annotations.NullMarked;
