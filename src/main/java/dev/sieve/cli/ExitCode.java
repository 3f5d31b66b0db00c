package dev.sieve.cli;

/** The exit codes of the program: 0 is success, and 128 plus its number the end by a signal. */
final class ExitCode {
    /** An internal error, or the filter was full. */
    static final int INTERNAL_ERROR = 1;

    static final int WRONG_USAGE = 2;

    /** No page could be fetched. */
    static final int NO_PAGE = 3;

    /** A file, or standard output, could not be read or written. */
    static final int OUTPUT_FAILED = 4;

    /** 'why': the URL is not crawled. */
    static final int NOT_CRAWLED = 5;

    private ExitCode() {}
}
