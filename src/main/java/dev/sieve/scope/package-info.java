/**
 * Decides whether a URL belongs to the crawl: {@link dev.sieve.scope.Scope} by its host and spelling,
 * {@link dev.sieve.scope.TrapGuard} by whether it looks like one of the endless URLs of a crawler trap.
 *
 * <p>Nothing here opens a connection, and a hostile URL costs bounded time and memory.
 */
package dev.sieve.scope;
