package dev.sieve.cli;

/** The exit codes of the program. 0 is success; a signal ends it with 128 plus the number of the signal. */
final class ExitCode {
    static final int INTERNAL_ERROR_OR_FULL = 1;
    static final int WRONG_USAGE = 2;
    static final int NO_PAGE = 3;
    static final int INPUT_OR_OUTPUT_FAILED = 4;
    /** The exit code of 'why' for a URL that is not crawled. */
    static final int NOT_CRAWLED = 5;
    /** What the option --fail-on names has happened. */
    static final int FAIL_ON = 6;

    private ExitCode() {}
}
