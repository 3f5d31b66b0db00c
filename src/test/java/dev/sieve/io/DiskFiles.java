package dev.sieve.io;

import java.io.IOException;

/** Whole files on a disk. */
public final class DiskFiles {
    private DiskFiles() {}

    public static byte[] bytes(Disk disk, String name) throws IOException {
        try (DiskView.Source source = disk.read(name)) {
            byte[] bytes = new byte[(int) source.size()];
            source.read(0, bytes, 0, bytes.length);
            return bytes;
        }
    }

    public static void write(Disk disk, String name, byte[] bytes) throws IOException {
        if (disk.names().contains(name)) {
            disk.delete(name);
        }
        try (Disk.Sink sink = disk.create(name)) {
            sink.append(bytes, 0, bytes.length);
            sink.force();
        }
    }
}
