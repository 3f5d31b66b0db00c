package dev.sieve.url;

import java.util.regex.Pattern;

/**
 * A line of a list of seeds that is no URL which can be fetched.
 *
 * @param source the file as it was named, {@code standard input} or {@code command line}
 * @param line the number of the line, from 1; of the word, on the command line
 * @param text the beginning of the line, at most 200 characters, safe to print: control characters, and those that
 *     change the direction of writing, are question marks, and credentials are left out
 * @param reason what is wrong, in a few words
 */
public record SeedProblem(String source, long line, String text, String reason) {
    /** What stands before the last @ of a host; a password does not belong into a log. */
    private static final Pattern CREDENTIALS = Pattern.compile("//[^/\\\\?#\\s]*@");

    /** {@code seeds.txt:12: not http or https: ftp://example.com/}. */
    @Override
    public String toString() {
        return source + ":" + line + ": " + reason + ": " + text;
    }

    static String printable(String text) {
        return CREDENTIALS.matcher(Printable.start(text)).replaceFirst("//...@");
    }
}
