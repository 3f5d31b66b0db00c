package dev.sieve.shared;

import static dev.sieve.shared.CrawlKeys.utf8;
import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A slice on a simulated node: what the scripts do, in Java. Each change notes how it is taken back, for a node that loses
 * its last writes.
 */
final class SimSlice {
    static final Long REFUSED = -1L;
    private static final byte[] NOTHING = {};

    /** The fields of the hashes of counters and of the owner. */
    private static final class Fields implements Cloneable {
        long accepted;
        long taken;
        long done;
        long seen;
        long token;
        long takeCall = -1;
        long takeFirst;
        long doneCall = -1;
        byte[] worker = NOTHING;
        byte[] run = NOTHING;
        byte[] ownToken = NOTHING;
        boolean hadOwner;
        long until;
        long ttl;
        long moved;
        boolean isIdle;
        long renewCall;

        Fields copy() {
            try {
                return (Fields) clone();
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Reply(String call, int[] places) {}

    final int index;
    byte @Nullable [] id;
    private Fields fields = new Fields();
    private final ArrayDeque<byte[]> queue = new ArrayDeque<>();
    private final TreeMap<Long, byte[]> taken = new TreeMap<>();
    private final Map<Long, byte[]> bits = new HashMap<>();
    private final Map<String, Reply> replies = new HashMap<>();
    private final Set<Long> seen = new HashSet<>();

    SimSlice(int index) {
        this.index = index;
    }

    /** Returns the name of the owner; empty when it has none. */
    String owner() {
        return new String(fields.worker, US_ASCII);
    }

    int pushLanes() {
        return replies.size();
    }

    /** Replaces the fields by a copy that may be changed; the copy is dropped when the write is taken back. */
    private Fields write(SimNode node, Runnable alsoUndone) {
        Fields before = fields;
        node.wrote(() -> {
            alsoUndone.run();
            fields = before;
        });
        fields = before.copy();
        return fields;
    }

    private boolean isOwner(byte[][] args) {
        return Arrays.equals(fields.run, args[0])
                && Arrays.equals(fields.ownToken, args[1])
                && Arrays.equals(fields.worker, args[2]);
    }

    Object look(SimNode node, byte[][] args) {
        Fields f = fields;
        long left = f.until - node.millis();
        boolean isOwned = left > 0 && left <= f.ttl;
        boolean isIdle = f.isIdle && isOwned && Arrays.equals(f.run, args[0]);
        return Arrays.asList(
                f.accepted,
                f.taken,
                f.done,
                f.seen,
                (long) queue.size(),
                (long) taken.size(),
                isIdle ? 1L : 0L,
                f.worker,
                id == null ? NOTHING : id,
                isOwned && f.worker.length > 0 ? 0L : 1L);
    }

    Object push(SimNode node, byte[][] keys, byte[][] args) {
        if (!Arrays.equals(id, args[0])) {
            return -3L;
        }
        String lane = text(args[1]);
        String call = text(args[2]);
        Reply last = replies.get(lane);
        int urls = keys.length - 3;
        int prints = args.length - urls;
        if (last != null && last.call.equals(call)) {
            return List.of(fields.accepted, mask(urls, last.places));
        }
        int[] fresh = new int[urls];
        int count = 0;
        List<Long> added = new ArrayList<>();
        for (int i = 0; i < urls; i++) {
            long print = (SimNode.lastNumber(keys[i + 3]) << 32) | (SimNode.number(args[i + prints]) & 0xffffffffL);
            if (seen.add(print)) {
                fresh[count++] = i;
                added.add(print);
            }
        }
        if (count == 0) {
            return NOTHING;
        }
        int[] places = Arrays.copyOf(fresh, count);
        List<byte[]> frames = frames(args, places);
        queue.addAll(frames);
        replies.put(lane, new Reply(call, places));
        write(node, () -> {
                    frames.forEach(frame -> queue.removeLast());
                    seen.removeAll(added);
                    if (last == null) {
                        replies.remove(lane);
                    } else {
                        replies.put(lane, last);
                    }
                    frames.forEach(frame -> node.observer.lost(new Frame(frame)));
                })
                .accepted += count;
        return List.of(fields.accepted, mask(urls, places));
    }

    private static byte[] mask(int urls, int[] places) {
        byte[] mask = new byte[urls];
        Arrays.fill(mask, (byte) '0');
        for (int place : places) {
            mask[place] = '1';
        }
        return mask;
    }

    /** Returns a frame for each page with places. */
    private static List<byte[]> frames(byte[][] args, int[] places) {
        ByteBuffer lengths = ByteBuffer.wrap(args[5]);
        ByteBuffer counts = ByteBuffer.wrap(args[6]);
        List<byte[]> frames = new ArrayList<>();
        int url = 0;
        int from = 0;
        int next = 0;
        for (int page = 0; counts.hasRemaining(); page++) {
            ByteArrayOutputStream texts = new ByteArrayOutputStream();
            int before = next;
            for (int end = url + counts.getShort(); url < end; url++) {
                int length = lengths.getInt();
                if (next < places.length && places[next] == url) {
                    texts.write(args[4], from, length);
                    next++;
                }
                from += length;
            }
            if (next > before) {
                byte[] head = args[7 + page];
                frames.add(ByteBuffer.allocate(Short.BYTES + head.length + texts.size())
                        .putShort((short) (next - before))
                        .put(head)
                        .put(texts.toByteArray())
                        .array());
            }
        }
        return frames;
    }

    Object take(SimNode node, byte[][] args) {
        if (!isOwner(args)) {
            return REFUSED;
        }
        long call = SimNode.number(args[3]);
        List<Object> reply = new ArrayList<>();
        if (call < fields.takeCall) {
            return List.of(0L);
        }
        if (call == fields.takeCall) {
            reply.add(fields.takeFirst);
            for (long i = fields.takeFirst; i <= fields.taken && fields.takeFirst > 0; i++) {
                reply.add(taken.get(i));
            }
            return reply;
        }
        if (queue.isEmpty()) {
            return List.of(0L);
        }
        long first = fields.taken + 1;
        int count = (int) Math.min(queue.size(), SimNode.number(args[4]));
        Fields f = write(node, () -> {
            for (long i = first + count - 1; i >= first; i--) {
                queue.addFirst(taken.remove(i));
            }
        });
        reply.add(first);
        for (long i = first; i < first + count; i++) {
            byte[] frame = queue.remove();
            taken.put(i, frame);
            reply.add(frame);
        }
        f.isIdle = false;
        f.taken += count;
        f.takeCall = call;
        f.takeFirst = first;
        return reply;
    }

    Object done(SimNode node, byte[][] args) {
        if (!isOwner(args) || fields.until <= node.millis()) {
            return REFUSED;
        }
        long call = SimNode.number(args[3]);
        if (call <= fields.doneCall) {
            return 0L;
        }
        List<Runnable> undone = new ArrayList<>();
        Fields f = write(node, () -> {
            for (int i = undone.size() - 1; i >= 0; i--) {
                undone.get(i).run();
            }
        });
        for (int i = 6; i < args.length; i += 3) {
            long number = SimNode.number(args[i]);
            byte[] before = bits.get(number);
            if (args[i + 1].length == 0) {
                byte[] frame = taken.remove(number);
                bits.remove(number);
                undone.add(() -> put(taken, number, frame));
            } else {
                bits.put(number, args[i + 1]);
            }
            undone.add(() -> put(bits, number, before));
            f.done += SimNode.number(args[i + 2]);
        }
        f.doneCall = call;
        return 1L;
    }

    private static <V> void put(Map<Long, V> map, long key, @Nullable V value) {
        if (value == null) {
            map.remove(key);
        } else {
            map.put(key, value);
        }
    }

    Object claim(SimNode node, byte[][] args) {
        long now = node.millis();
        long left = fields.until - now;
        boolean isOwn = Arrays.equals(fields.worker, args[1]);
        if (fields.worker.length > 0 && !isOwn && left > 0 && left <= fields.ttl) {
            return List.of(0L, left);
        }
        Map<String, Reply> before = replies.size() > 256 ? new HashMap<>(replies) : null;
        Fields f = write(node, () -> {
            if (before != null) {
                replies.putAll(before);
            }
        });
        if (before != null) {
            Set<String> alive = new HashSet<>();
            for (int i = 3; i < args.length; i++) {
                alive.add(text(args[i]));
            }
            replies.keySet().removeIf(lane -> !alive.contains(lane.substring(0, lane.lastIndexOf('.'))));
        }
        f.isIdle = false;
        f.renewCall = 0;
        f.takeCall = -1;
        f.doneCall = -1;
        f.taken = Math.max(f.taken, taken.isEmpty() ? 0 : taken.lastKey());
        f.moved = isOwn ? f.moved : f.hadOwner ? 1 : 0;
        f.hadOwner = true;
        f.token++;
        f.ownToken = utf8(f.token);
        f.run = args[0];
        f.worker = args[1];
        f.ttl = SimNode.number(args[2]);
        f.until = now + f.ttl;
        node.observer.claimed(index, text(args[1]));
        List<Object> numbers = new ArrayList<>();
        taken.keySet().forEach(number -> numbers.add(utf8(number)));
        List<Object> done = new ArrayList<>();
        bits.forEach((number, each) -> {
            done.add(utf8(number));
            done.add(each);
        });
        return List.of(f.token, f.moved, numbers, done, List.of(), now, List.of());
    }

    Object renew(SimNode node, byte[][] args) {
        if (!isOwner(args)) {
            return REFUSED;
        }
        long call = SimNode.number(args[6]);
        if (call >= fields.renewCall) {
            boolean isLater = call > fields.renewCall;
            Fields f = write(node, () -> {});
            f.isIdle = SimNode.number(args[4]) == 1 && queue.isEmpty();
            f.ttl = SimNode.number(args[3]);
            f.until = node.millis() + f.ttl;
            f.renewCall = call;
            f.seen += isLater ? SimNode.number(args[5]) : 0;
        }
        return List.of((long) queue.size(), (long) taken.size(), fields.accepted, fields.done, fields.seen);
    }

    Object release(SimNode node, byte[][] args) {
        if (!isOwner(args)) {
            return REFUSED;
        }
        Fields f = write(node, () -> {});
        f.isIdle = false;
        f.worker = NOTHING;
        f.until = 0;
        return 1L;
    }

    /** Returns taken frames, as HMGET and HGET do. */
    List<Object> frames(byte[][] args) {
        List<Object> frames = new ArrayList<>();
        for (int i = 1; i < args.length; i++) {
            frames.add(taken.get(SimNode.number(args[i])));
        }
        return frames;
    }

    private static String text(byte[] ascii) {
        return new String(ascii, US_ASCII);
    }
}
