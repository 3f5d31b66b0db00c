package dev.sieve.durable;

import java.io.IOException;
import java.util.NavigableSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a crash leaves behind the end of the log: bytes that are no frames, and nobody was told that they are there. */
final class TornTail {
    private static final Logger LOG = LoggerFactory.getLogger(TornTail.class);

    private final Disk disk;
    private final NavigableSet<Integer> segments;

    /**
     * The tail of a log.
     *
     * @param segments the numbers of those whose files are there
     */
    TornTail(Disk disk, NavigableSet<Integer> segments) {
        this.disk = disk;
        this.segments = segments;
    }

    /** Copies aside what stands behind the end of the log, and cuts it off. */
    void cut(LogScan scan) throws IOException {
        LogPosition at = scan.tornAt();
        long bytes = 0;
        for (int number : segments.tailSet(at.segment(), false).descendingSet()) {
            bytes += putAside(number);
        }
        if (segments.contains(at.segment())) {
            bytes += at.offset() == 0 ? putAside(at.segment()) : cutTail(at);
        }
        disk.forceNames();
        if (bytes > 0) {
            LOG.warn(
                    "{}: cut off at offset {}, {} bytes that a crash left unfinished, kept as .broken ({})",
                    FrontierFiles.segment(at.segment()),
                    at.offset(),
                    bytes,
                    scan.torn().getMessage());
        }
    }

    private long putAside(int number) throws IOException {
        String name = FrontierFiles.segment(number);
        long size;
        try (Disk.Source source = disk.read(name)) {
            size = source.size();
        }
        if (size == 0) {
            disk.delete(name);
        } else {
            disk.rename(name, name + ".broken");
        }
        return size;
    }

    private long cutTail(LogPosition at) throws IOException {
        String name = FrontierFiles.segment(at.segment());
        String temporary = name + ".tmp";
        disk.delete(temporary);
        long bytes;
        try (Disk.Source source = disk.read(name);
                Disk.Sink copy = disk.create(temporary)) {
            bytes = source.copy(at.offset(), Long.MAX_VALUE, copy);
            copy.force();
        }
        disk.rename(temporary, name + "-" + at.offset() + ".broken");
        disk.cut(name, at.offset());
        return bytes;
    }
}
