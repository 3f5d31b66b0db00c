package dev.sieve.durable;

import java.io.IOException;

/**
 * A place in the log, between two frames.
 *
 * @param segment the number of the segment
 * @param offset bytes from the start of its file
 */
record LogPosition(int segment, long offset) implements Comparable<LogPosition> {
    /** Before the log: none of it was forced. */
    static final LogPosition NONE = new LogPosition(0, 0);

    static LogPosition read(FrameReader in) throws IOException {
        return new LogPosition(in.integer("segment"), in.number("offset", Long.MAX_VALUE));
    }

    @Override
    public int compareTo(LogPosition other) {
        return segment != other.segment ? Integer.compare(segment, other.segment) : Long.compare(offset, other.offset);
    }
}
