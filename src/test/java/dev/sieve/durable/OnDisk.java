package dev.sieve.durable;

import dev.sieve.FilterKind;
import dev.sieve.io.Disk;
import java.io.IOException;
import java.nio.file.Path;

/** Opens small frontiers on disks of tests. */
public final class OnDisk {
    private OnDisk() {}

    /** Opens a frontier, or makes one; it has no threads. */
    public static DurableSieve open(Disk disk, Durability durability) throws IOException {
        return DurableSieve.builder(Path.of("fake"))
                .capacity(1000)
                .filter(FilterKind.EXACT)
                .seed(3)
                .durability(durability)
                .withoutKeepers()
                .open(disk, () -> {});
    }
}
