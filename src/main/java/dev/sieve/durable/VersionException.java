package dev.sieve.durable;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Thrown when a file was written by a later version of Sieve. */
final class VersionException extends IOException {
    VersionException(String name, @Nullable String found, int known) {
        super(name + ": its format has version " + found + ", this Sieve reads version " + known);
    }
}
