package dev.sieve.report;

import dev.sieve.io.LineReader;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/** Reads the lines of a file of which nothing is known. */
final class InputLines {
    /** How a compressed file begins. */
    private static final byte[] GZIP = {0x1f, (byte) 0x8b};

    /** Lines of more bytes are left out. */
    private static final int MAX_LINE = 1 << 23;

    private static final int PROBLEMS_PER_FILE = 10;

    private InputLines() {}

    interface Receiver {
        /**
         * Receives a line, which it must not keep; refuses one that the file should not have, with a message that says
         * why.
         */
        void accept(LineReader line) throws IOException;
    }

    /**
     * Passes on the lines of a file, and returns how many were accepted. Refused lines are described to {@code
     * problems}, up to a limit; a file of another kind is refused.
     */
    static long read(Path file, Receiver receiver, Consumer<String> problems) throws IOException {
        long number = 0;
        long bad = 0;
        // Described once a line could be read: before that, the file may be of another kind.
        List<String> first = new ArrayList<>();
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file));
                LineReader line = new LineReader(in, MAX_LINE)) {
            in.mark(GZIP.length);
            if (Arrays.equals(in.readNBytes(GZIP.length), GZIP)) {
                throw new IOException(file + " is gzip-compressed; unpack it first");
            }
            in.reset();
            while (line.next()) {
                number++;
                try {
                    if (line.isCut()) {
                        throw new IOException("longer than " + MAX_LINE + " bytes");
                    }
                    receiver.accept(line);
                    first.forEach(problems);
                    first.clear();
                } catch (IOException e) {
                    bad++;
                    String problem = file + ", line " + number + ": " + reason(e);
                    if (bad == number) {
                        first.add(problem);
                    } else if (bad <= PROBLEMS_PER_FILE) {
                        problems.accept(problem);
                    }
                    if (first.size() > PROBLEMS_PER_FILE) {
                        break;
                    }
                }
            }
        }
        if (!first.isEmpty()) {
            throw new IOException(
                    first.get(0) + "; give a file of records (-o pages.jsonl), a link graph (-o links.tsv) or"
                            + " the directory of a job");
        }
        if (bad > PROBLEMS_PER_FILE) {
            problems.accept(file + ": " + Numbers.count(bad, "line") + " could not be read");
        }
        return number - bad;
    }

    /** Returns the first line of a message; the others contain the position in the source. */
    private static String reason(IOException e) {
        String message = String.valueOf(e.getMessage());
        return message.lines().findFirst().orElse("not JSON");
    }
}
