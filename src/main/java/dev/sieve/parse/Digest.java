package dev.sieve.parse;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Digests of contents by which it is seen that they are equal: the first 64 bits of their SHA-256. */
public final class Digest {
    private Digest() {}

    /** Returns the digest of bytes; never 0. */
    public static long of(byte[] bytes) {
        MessageDigest sha256 = sha256();
        sha256.update(bytes);
        return finish(sha256);
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }

    static long finish(MessageDigest sha256) {
        long digest = ByteBuffer.wrap(sha256.digest()).getLong();
        return digest == 0 ? 1 : digest;
    }
}
