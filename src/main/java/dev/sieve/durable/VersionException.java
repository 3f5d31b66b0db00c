package dev.sieve.durable;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Thrown when the format of a file has a version that this Sieve does not read. */
final class VersionException extends IOException {
    VersionException(String name, @Nullable String found, int known) {
        super(name + ": its format has version " + found + ", this Sieve reads version " + known);
    }
}
