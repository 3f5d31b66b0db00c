package dev.sieve.polite;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.Lease;
import java.nio.ByteBuffer;

/**
 * Leases as bytes, for the spill file of a schedule: id, depth, redirects, label, attempt and the length of the URL as
 * big-endian numbers, then the URL and, if there is one, a byte of 1 and the referrer.
 */
public final class LeaseCodec implements Codec<Lease> {
    private static final int HEAD_BYTES = Long.BYTES + 5 * Integer.BYTES;

    /** The heap of a lease without the characters of its URL and its referrer. */
    private static final int OBJECT_BYTES = 192;

    @Override
    public byte[] encode(Lease lease) {
        byte[] url = lease.url().getBytes(UTF_8);
        byte[] referrer = lease.referrer() == null ? new byte[0] : ("\1" + lease.referrer()).getBytes(UTF_8);
        return ByteBuffer.allocate(HEAD_BYTES + url.length + referrer.length)
                .putLong(lease.id())
                .putInt(lease.depth())
                .putInt(lease.redirects())
                .putInt(lease.label())
                .putInt(lease.attempt())
                .putInt(url.length)
                .put(url)
                .put(referrer)
                .array();
    }

    /** Returns the approximate heap that a lease takes, in bytes. */
    @Override
    public int size(Lease lease) {
        return OBJECT_BYTES
                + lease.url().length()
                + (lease.referrer() == null ? 0 : lease.referrer().length());
    }

    @Override
    public Lease decode(byte[] encoded) {
        ByteBuffer bytes = ByteBuffer.wrap(encoded);
        long id = bytes.getLong();
        int depth = bytes.getInt();
        int redirects = bytes.getInt();
        int label = bytes.getInt();
        int attempt = bytes.getInt();
        int referrerAt = HEAD_BYTES + bytes.getInt();
        String url = new String(encoded, HEAD_BYTES, referrerAt - HEAD_BYTES, UTF_8);
        String rest = new String(encoded, referrerAt, encoded.length - referrerAt, UTF_8);
        return new Lease(id, url, depth, redirects, rest.isEmpty() ? null : rest.substring(1), label, attempt);
    }
}
