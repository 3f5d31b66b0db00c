/**
 * Decides whether a URL belongs to the crawl: {@link dev.sieve.scope.Scope} by its host and spelling,
 * {@link dev.sieve.scope.TrapGuard} by whether it looks like one of the endless URLs of a crawler trap, and
 * {@link dev.sieve.scope.Admission} by both.
 *
 * <p>A {@link dev.sieve.scope.SkipReason} says why a URL is not requested, here and in all packages that use this one.
 *
 * <p>Nothing here opens a connection, and a hostile URL costs bounded time and memory.
 */
package dev.sieve.scope;
