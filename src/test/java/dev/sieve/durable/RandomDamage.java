package dev.sieve.durable;

import dev.sieve.io.FakeDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;

/** Damages the files of a frontier at random. */
final class RandomDamage {
    private final Random random;
    private final FakeDisk disk;
    private final List<FakeDisk> earlier;
    private final List<String> applied = new ArrayList<>();

    RandomDamage(Random random, FakeDisk disk, List<FakeDisk> earlier) {
        this.random = random;
        this.disk = disk;
        this.earlier = earlier;
    }

    List<String> applied() {
        return applied;
    }

    /** Applies one damage that a disk, a file system or a person can do. */
    void apply() throws IOException {
        if (disk.names().isEmpty()) {
            return;
        }
        String name = file(disk);
        byte[] bytes = disk.bytes(name);
        int length = Math.max(1, bytes.length);
        int at = random.nextInt(length);
        int choice = random.nextInt(13);
        applied.add(choice + " " + name + " at " + at);
        switch (choice) {
            case 0, 1 -> flip(name, bytes, at);
            case 2 -> disk.replace(name, Arrays.copyOf(bytes, at));
            case 3 -> {
                Arrays.fill(
                        bytes, Math.min(at, bytes.length), Math.min(bytes.length, at + random.nextInt(600)), (byte) 0);
                disk.replace(name, bytes);
            }
            case 4 -> disk.delete(name);
            case 5 -> {
                String other = file(disk);
                applied.add("with " + other);
                byte[] others = disk.bytes(other);
                disk.replace(other, bytes);
                disk.replace(name, others);
            }
            case 6, 7 -> {
                FakeDisk then = earlier.get(random.nextInt(earlier.size()));
                String old = file(then);
                applied.add("old " + old);
                disk.replace(old, then.bytes(old));
            }
            case 8 -> {
                // The length of a frame.
                byte[] log = log();
                List<int[]> frames = frames(log);
                if (!frames.isEmpty()) {
                    int start = frames.get(random.nextInt(frames.size()))[0];
                    log[start + random.nextInt(3)] = (byte) random.nextInt(256);
                    disk.replace(logName, log);
                }
            }
            case 9 -> frames(Change.DOUBLED);
            case 10 -> frames(Change.MISSING);
            case 11 -> frames(Change.EXCHANGED);
            default -> {
                byte[] noise = new byte[random.nextInt(200)];
                random.nextBytes(noise);
                int number = random.nextBoolean() ? 99_999_999 - random.nextInt(3) : 1 + random.nextInt(40);
                String stray = random.nextBoolean() ? FrontierFiles.segment(number) : FrontierFiles.checkpoint(number);
                if (!disk.names().contains(stray)) {
                    applied.add("stray " + stray);
                    disk.replace(stray, noise);
                }
            }
        }
    }

    private void flip(String name, byte[] bytes, int at) {
        if (bytes.length > 0) {
            bytes[at] ^= (byte) (1 << random.nextInt(8));
            disk.replace(name, bytes);
        }
    }

    private enum Change {
        DOUBLED,
        MISSING,
        EXCHANGED
    }

    private String logName;

    private byte[] log() throws IOException {
        List<Integer> logs = new ArrayList<>(FrontierFiles.list(disk).logs());
        logName = logs.isEmpty() ? Settings.NAME : FrontierFiles.segment(logs.get(random.nextInt(logs.size())));
        applied.add("in " + logName);
        return logs.isEmpty() ? new byte[0] : disk.bytes(logName);
    }

    /** The start and the end of each frame. */
    private List<int[]> frames(byte[] log) throws IOException {
        List<int[]> frames = new ArrayList<>();
        if (log.length <= Segment.HEADER_BYTES) {
            return frames;
        }
        try (FrameReader reader = new FrameReader(logName, disk.read(logName), Segment.HEADER_BYTES, 1 << 12)) {
            while (reader.next()) {
                frames.add(new int[] {(int) reader.position(), (int) reader.nextPosition()});
            }
        }
        return frames;
    }

    private void frames(Change change) throws IOException {
        byte[] log = log();
        List<int[]> frames = frames(log);
        if (frames.size() < 2) {
            return;
        }
        int end = frames.get(frames.size() - 1)[1];
        int i = random.nextInt(frames.size() - 1);
        applied.add(change + " frame " + i + " of " + frames.size() + " at " + frames.get(i)[0]);
        switch (change) {
            case DOUBLED -> frames.add(i, frames.get(i));
            case MISSING -> frames.remove(i);
            case EXCHANGED -> Collections.swap(frames, i, i + 1);
        }
        FrameWriter out = new FrameWriter();
        out.put(log, 0, Segment.HEADER_BYTES);
        frames.forEach(frame -> out.put(log, frame[0], frame[1]));
        out.put(log, end, log.length);
        disk.replace(logName, Arrays.copyOf(out.bytes(), out.size()));
    }

    private String file(FakeDisk from) throws IOException {
        List<String> names = new ArrayList<>(from.names());
        Collections.sort(names);
        return names.get(random.nextInt(names.size()));
    }

    /** Changes a byte of a frame, of a header or of the settings, and makes the checksum right again. */
    void forge() throws IOException {
        String name = file(disk);
        byte[] bytes = disk.bytes(name);
        applied.add("forged " + name);
        if (name.equals(Settings.NAME)) {
            forgeSettings(bytes);
        } else if (name.startsWith("log-") && random.nextInt(4) == 0) {
            bytes[16 + 8 + random.nextInt(8)] = (byte) random.nextInt(256);
            put(bytes, 32, crc(bytes, 0, 32));
            disk.replace(name, bytes);
        } else {
            forgeFrame(name, bytes);
        }
    }

    private void forgeSettings(byte[] bytes) {
        String text = new String(bytes, java.nio.charset.StandardCharsets.US_ASCII);
        String lines = text.substring(0, text.lastIndexOf("crc "));
        String[] from = {"capacity 1000", "rate 1.0E-4", "filter exact", "filter exact", "id "};
        String[] to = {"capacity -7", "rate NaN", "filter bloom", "filter none", "id zz"};
        int choice = random.nextInt(from.length);
        applied.add(to[choice]);
        disk.replace(Settings.NAME, CheckedText.seal(lines.replace(from[choice], to[choice])));
    }

    private void forgeFrame(String name, byte[] bytes) throws IOException {
        logName = name;
        int start = name.startsWith("log-") ? Segment.HEADER_BYTES : 8;
        List<int[]> frames = new ArrayList<>();
        try (FrameReader reader = new FrameReader(name, disk.read(name), start, 1 << 12)) {
            while (reader.next()) {
                frames.add(new int[] {(int) reader.position(), (int) reader.nextPosition()});
            }
        }
        if (frames.isEmpty()) {
            return;
        }
        int[] frame = frames.get(random.nextInt(frames.size()));
        int payload = frame[0] + FrameWriter.HEADER_BYTES;
        for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
            int at = payload + random.nextInt(Math.min(frame[1] - payload, 24));
            bytes[at] = (byte) (random.nextBoolean() ? random.nextInt(256) : 0xff);
            applied.add("byte " + at + " of frame at " + frame[0]);
        }
        CRC32C crc = new CRC32C();
        crc.update(bytes, frame[0], 4);
        crc.update(bytes, payload, frame[1] - payload);
        put(bytes, frame[0] + 4, (int) crc.getValue());
        disk.replace(name, bytes);
    }

    private static int crc(byte[] bytes, int from, int to) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, to - from);
        return (int) crc.getValue();
    }

    private static void put(byte[] bytes, int at, int value) {
        FrameWriter.INT.set(bytes, at, value);
    }
}
