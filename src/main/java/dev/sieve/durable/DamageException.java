package dev.sieve.durable;

import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Thrown when a file of a frontier is missing or damaged; see {@link DurableFolder#repair}. */
public final class DamageException extends IOException {
    private final @Nullable String file;
    private final long offset;

    DamageException(String file, long offset, @Nullable String what) {
        super(file + ": damaged at offset " + offset + ": " + what);
        this.file = file;
        this.offset = offset;
    }

    /** Damage that is not in one place. */
    DamageException(String what) {
        super(what);
        file = null;
        offset = 0;
    }

    static DamageException missing(String file) {
        return new DamageException(file, 0, "the file is missing");
    }

    /** Returns the name of the damaged file in the folder; empty when it is not one file. */
    public Optional<String> file() {
        return Optional.ofNullable(file);
    }

    /** Returns the offset in bytes at which the damage begins; empty when it is not one file. */
    public OptionalLong offset() {
        return file == null ? OptionalLong.empty() : OptionalLong.of(offset);
    }
}
