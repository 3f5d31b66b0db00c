package dev.sieve.durable;

import java.io.IOException;

/** Thrown when a file is not what was written into it. */
final class DamageException extends IOException {
    DamageException(String name, long offset, String what) {
        super(name + ": damaged at offset " + offset + ": " + what);
    }
}
