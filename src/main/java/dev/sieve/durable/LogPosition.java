package dev.sieve.durable;

/**
 * A place in the log, between two frames.
 *
 * @param segment the number of the segment
 * @param offset bytes from the beginning of its file
 */
record LogPosition(int segment, long offset) implements Comparable<LogPosition> {
    @Override
    public int compareTo(LogPosition other) {
        return segment != other.segment ? Integer.compare(segment, other.segment) : Long.compare(offset, other.offset);
    }
}
