package dev.sieve.report;

/** What a {@link LiveServer} shows; never called by two threads at once. */
interface LiveContent {
    /** Returns the page in its present state, as HTML. */
    String page();

    /** Returns the parts of the page that have changed, all or only those that change all the time, as HTML. */
    String update(boolean isComplete);

    /** Returns the metrics, as text. */
    String metrics();
}
