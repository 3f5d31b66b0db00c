package dev.sieve.durable;

import dev.sieve.io.DiskView;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A disk as it was at one moment: segments that grow keep their length, new files do not appear. A file
 * that is deleted later is missing when it is read.
 */
final class PinnedDisk implements DiskView {
    private final DiskView disk;
    private final List<String> names;
    private final Map<String, Long> sizes = new HashMap<>();

    PinnedDisk(DiskView disk) throws IOException {
        this.disk = disk;
        names = disk.names();
        // A segment that is not the last one of the list does not grow any more.
        for (int number : FrontierFiles.list(this).logs()) {
            String name = FrontierFiles.segment(number);
            sizes.put(name, disk.size(name));
        }
    }

    @Override
    public List<String> names() {
        return names;
    }

    @Override
    public DiskView.Source read(String name) throws IOException {
        DiskView.Source source = disk.read(name);
        Long size = sizes.get(name);
        return size == null ? source : pinned(source, size);
    }

    private static DiskView.Source pinned(DiskView.Source source, long size) {
        return new DiskView.Source() {
            @Override
            public int read(long position, byte[] into, int from, int length) throws IOException {
                long left = Math.max(0, size - position);
                return left == 0 ? 0 : source.read(position, into, from, (int) Math.min(length, left));
            }

            @Override
            public long size() {
                return size;
            }

            @Override
            public void close() throws IOException {
                source.close();
            }
        };
    }
}
