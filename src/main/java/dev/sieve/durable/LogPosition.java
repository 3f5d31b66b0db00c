package dev.sieve.durable;

import java.io.IOException;

/** A place in the log, between two frames: the number of a segment, and bytes from the start of its file. */
record LogPosition(int segment, long offset) implements Comparable<LogPosition> {
    /** The position before the log: none of it was forced. */
    static final LogPosition NONE = new LogPosition(0, 0);

    /** A position after every log. */
    static final LogPosition LAST = new LogPosition(Integer.MAX_VALUE, Long.MAX_VALUE);

    static LogPosition read(FrameReader in) throws IOException {
        return new LogPosition(in.integer("segment"), in.number("offset", Long.MAX_VALUE));
    }

    /** Reads the position of a frame of {@link FrameKind#FORCED} in a segment, which is not after the frame. */
    static LogPosition readForced(FrameReader in, int segment) throws IOException {
        LogPosition forced = read(in);
        if (forced.compareTo(new LogPosition(segment, in.position())) > 0) {
            throw in.broken("it says that later bytes were on the disk");
        }
        return forced;
    }

    String words() {
        return FrontierFiles.segment(segment) + ", offset " + offset;
    }

    @Override
    public int compareTo(LogPosition other) {
        return segment != other.segment ? Integer.compare(segment, other.segment) : Long.compare(offset, other.offset);
    }
}
