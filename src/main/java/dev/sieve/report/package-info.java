/** What people look at: the report of a crawl, its live page, and its metrics. */
package dev.sieve.report;
