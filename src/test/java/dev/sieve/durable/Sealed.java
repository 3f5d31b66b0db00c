package dev.sieve.durable;

import java.util.zip.CRC32C;

/** Gives damaged bytes right checksums, as only an attacker or a bug would. */
final class Sealed {
    private Sealed() {}

    /** Corrects the checksum of each frame from a position on, as long as the lengths lead to further frames. */
    static byte[] frames(byte[] file, int from) {
        byte[] sealed = file.clone();
        int at = from;
        while (at + FrameWriter.HEADER_BYTES < sealed.length) {
            int length = (sealed[at] & 0xff) | (sealed[at + 1] & 0xff) << 8 | (sealed[at + 2] & 0xff) << 16;
            int end = at + FrameWriter.HEADER_BYTES + length;
            if (end > sealed.length) {
                break;
            }
            CRC32C crc = new CRC32C();
            crc.update(sealed, at, 4);
            crc.update(sealed, at + FrameWriter.HEADER_BYTES, length);
            put(sealed, at + 4, (int) crc.getValue());
            at = end;
        }
        return sealed;
    }

    /** Corrects the checksums of a segment. */
    static byte[] segment(byte[] file) {
        byte[] sealed = frames(file, Segment.HEADER_BYTES);
        if (file.length >= Segment.HEADER_BYTES) {
            CRC32C crc = new CRC32C();
            crc.update(sealed, 0, Segment.HEADER_BYTES - 4);
            put(sealed, Segment.HEADER_BYTES - 4, (int) crc.getValue());
        }
        return sealed;
    }

    private static void put(byte[] bytes, int at, int value) {
        for (int i = 0; i < 4; i++) {
            bytes[at + i] = (byte) (value >> (8 * i));
        }
    }
}
