package dev.sieve.durable;

import java.io.IOException;

/** Thrown when a file belongs to another frontier. */
final class ForeignException extends IOException {
    ForeignException(String name) {
        super(name + ": belongs to another frontier");
    }
}
