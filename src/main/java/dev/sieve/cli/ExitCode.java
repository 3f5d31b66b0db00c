package dev.sieve.cli;

/** The exit codes of the program; 0 is success, and a signal's number is added to 128. */
final class ExitCode {
    /** An internal error, or the sieve was full. */
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
