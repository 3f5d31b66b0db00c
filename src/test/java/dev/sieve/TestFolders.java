package dev.sieve;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/** Makes the folders of the tests in memory, where there is room: each of many thousands of forced writes costs nothing there. */
public final class TestFolders implements TempDirFactory {
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final long ROOM = 6L << 30;

    /** Makes a folder, which the caller deletes. */
    public static Path create(String prefix) throws IOException {
        // A proof has more files than memory has room for.
        boolean isFast = !Tier.IS_PROOF
                && Files.isWritable(MEMORY)
                && Files.getFileStore(MEMORY).getUsableSpace() > ROOM;
        return isFast ? Files.createTempDirectory(MEMORY, prefix) : Files.createTempDirectory(prefix);
    }

    @Override
    public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext test) throws IOException {
        return create("sieve-test-");
    }
}
