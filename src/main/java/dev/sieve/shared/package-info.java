/**
 * The frontier that many processes share, on an engine: a Valkey or Redis server. All URLs, and what was seen of them,
 * are stored there.
 */
package dev.sieve.shared;
