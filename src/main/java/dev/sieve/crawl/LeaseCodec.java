package dev.sieve.crawl;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.Lease;
import dev.sieve.polite.Codec;
import java.nio.ByteBuffer;

/**
 * Leases as bytes, for the schedule's spill file: id, depth, redirects, label, attempt and the length of the URL as fixed
 * big-endian numbers, then the URL and, where there is one, a byte of 1 and the referrer.
 */
final class LeaseCodec implements Codec<Lease> {
    private static final int HEAD_BYTES = Long.BYTES + 5 * Integer.BYTES;

    @Override
    public byte[] encode(Lease lease) {
        byte[] url = lease.url().getBytes(UTF_8);
        byte[] referrer = lease.referrer() == null ? null : lease.referrer().getBytes(UTF_8);
        ByteBuffer bytes = ByteBuffer.allocate(HEAD_BYTES + url.length + (referrer == null ? 0 : 1 + referrer.length));
        bytes.putLong(lease.id())
                .putInt(lease.depth())
                .putInt(lease.redirects())
                .putInt(lease.label())
                .putInt(lease.attempt());
        bytes.putInt(url.length).put(url);
        if (referrer != null) {
            bytes.put((byte) 1).put(referrer);
        }
        return bytes.array();
    }

    @Override
    public Lease decode(byte[] encoded) {
        ByteBuffer bytes = ByteBuffer.wrap(encoded);
        long id = bytes.getLong();
        int depth = bytes.getInt();
        int redirects = bytes.getInt();
        int label = bytes.getInt();
        int attempt = bytes.getInt();
        String url = text(bytes, bytes.getInt());
        String referrer = bytes.hasRemaining() && bytes.get() == 1 ? text(bytes, bytes.remaining()) : null;
        return new Lease(id, url, depth, redirects, referrer, label, attempt);
    }

    private static String text(ByteBuffer bytes, int length) {
        byte[] utf8 = new byte[length];
        bytes.get(utf8);
        return new String(utf8, UTF_8);
    }
}
