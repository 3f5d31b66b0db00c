/**
 * Decides whether a URL belongs to the crawl: {@link dev.sieve.scope.Scope} by its host and spelling,
 * {@link dev.sieve.scope.TrapGuard} by whether it is a crawler trap, and {@link dev.sieve.scope.Admission} by both. A
 * {@link dev.sieve.scope.SkipReason} says why a URL is not requested, in all packages.
 *
 * <p>No class here opens a connection, and a hostile URL costs bounded time and memory.
 */
@NullMarked
package dev.sieve.scope;

import org.jspecify.annotations.NullMarked;
