package dev.sieve.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.IntSupplier;

/**
 * A disk in memory that knows what of it would survive a power cut, and fails when it is told to.
 *
 * <p>Every call that changes something is numbered, from 0 on. After a failure of a process only {@link #afterKill} or
 * {@link #afterPowerCut} is of use.
 */
public final class FakeDisk implements Disk {

    /** What happens at the call that fails. */
    public enum Fault {
        /** Nothing is done. */
        REFUSED,
        /** Half of the bytes are written; calls other than writes are refused. */
        SHORT,
        /** All is done, and still it says that it failed. */
        DONE_AND_DENIED
    }

    /** What becomes of the bytes that were never forced. */
    public enum Unsynced {
        KEPT,
        DROPPED,
        HALVED,
        ZEROED,
        /** Each block of 512 bytes is there, or zero, or the file ends before it. */
        MIXED,
        /** Each write by itself is there, or zero. */
        WRITES,
        /** Any of these, for each file by itself. */
        ANY,
        /**
         * As {@link #ANY}, after which some files end in zeros: a file system may make a file longer inside a block that it
         * has, before it writes the bytes. So the zeros may be those of a write that has only begun.
         */
        GROWN
    }

    /** What becomes of changes of names that were never forced. */
    public enum Names {
        KEPT,
        DROPPED,
        /** Each change by itself is there or not. */
        SOME
    }

    private static final int BLOCK = 512;
    private static final List<Unsynced> SINGLE = List.copyOf(EnumSet.range(Unsynced.KEPT, Unsynced.WRITES));

    /** A change of names; of a file that is removed, {@code to} is null. */
    private record NameChange(String from, String to, Content content) {
        void apply(Map<String, Content> names) {
            if (to == null) {
                names.remove(from);
                return;
            }
            names.put(to, content);
            if (!from.equals(to)) {
                names.remove(from);
            }
        }
    }

    private static final class Content {
        private byte[] bytes = new byte[64];
        private int size;
        private int forced;
        /** Bytes of the write that has begun. */
        private int coming;
        /** Where each write ends. */
        private final List<Integer> ends = new ArrayList<>();

        void append(byte[] more, int from, int length) {
            if (size + length > bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + length));
            }
            System.arraycopy(more, from, bytes, size, length);
            size += length;
            ends.add(size);
        }

        Content copy(int newSize) {
            Content copy = new Content();
            copy.bytes = Arrays.copyOf(Arrays.copyOf(bytes, Math.min(size, newSize)), Math.max(newSize, 1));
            copy.size = newSize;
            copy.forced = newSize;
            copy.ends.addAll(ends);
            return copy;
        }
    }

    private final Map<String, Content> files = new HashMap<>();
    private Map<String, Content> forcedNames = new HashMap<>();
    private final List<NameChange> unforcedNames = new ArrayList<>();
    private int forcedChanges;
    private int handles;
    private int calls;
    private int failAt = Integer.MAX_VALUE;
    private boolean failsOnwards;
    private Fault fault = Fault.REFUSED;
    private volatile Consumer<String> listener = call -> {};
    private final Map<String, Long> bytesRead = new HashMap<>();

    /** Lets one call fail. */
    public synchronized void failAt(int call, Fault kind) {
        failAt = call;
        fault = kind;
    }

    /** Lets a call and all that follow it fail, as on a full disk. */
    public synchronized void failFrom(int call, Fault kind) {
        failAt(call, kind);
        failsOnwards = true;
    }

    /**
     * Receives every call that changes something, before it is done, and may use the disk itself. A force covers what was
     * there when this was called.
     */
    public void onChange(Consumer<String> callback) {
        listener = callback;
    }

    /** Returns how many files are open. */
    public synchronized int handles() {
        return handles;
    }

    private synchronized void addHandles(int more) {
        handles += more;
    }

    public synchronized int calls() {
        return calls;
    }

    /** How many bytes were read of all files whose names begin like this. */
    public synchronized long bytesRead(String prefix) {
        return bytesRead.entrySet().stream()
                .filter(file -> file.getKey().startsWith(prefix))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /** The disk as the next process finds it after this one was killed. */
    public synchronized FakeDisk afterKill() {
        FakeDisk disk = new FakeDisk();
        files.forEach((name, content) -> {
            Content copy = content.copy(content.size);
            copy.forced = content.forced;
            disk.files.put(name, copy);
            forcedNames.forEach((forcedName, forcedContent) -> {
                if (forcedContent == content) {
                    disk.forcedNames.put(forcedName, copy);
                }
            });
        });
        forcedNames.forEach((name, content) -> disk.forcedNames.computeIfAbsent(name, absent -> {
            Content copy = content.copy(content.size);
            copy.forced = content.forced;
            return copy;
        }));
        return disk;
    }

    /** The disk after a power cut. */
    public synchronized FakeDisk afterPowerCut(Unsynced unsynced, Names names, Random random) {
        FakeDisk disk = new FakeDisk();
        Map<String, Content> left = new HashMap<>(names == Names.KEPT ? files : forcedNames);
        for (NameChange change : unforcedNames) {
            if (names == Names.SOME && random.nextBoolean()) {
                change.apply(left);
            }
        }
        left.forEach((name, content) -> disk.files.put(name, cut(content, unsynced, random)));
        disk.forcedNames = new HashMap<>(disk.files);
        return disk;
    }

    private static Content cut(Content content, Unsynced unsynced, Random random) {
        int lost = content.size - content.forced;
        return switch (unsynced) {
            case KEPT -> content.copy(content.size);
            case DROPPED -> content.copy(content.forced);
            case HALVED -> content.copy(content.forced + lost / 2);
            case ZEROED -> zeroed(content, content.forced, content.size);
            case MIXED -> mixed(content, random);
            case WRITES -> writes(content, random);
            case ANY -> cut(content, SINGLE.get(random.nextInt(SINGLE.size())), random);
            case GROWN -> grown(cut(content, Unsynced.ANY, random), content, random);
        };
    }

    /** Adds zeros up to a length that the file has had or is about to get. */
    private static Content grown(Content left, Content content, Random random) {
        int longest = content.size + content.coming;
        if (left.size >= longest || random.nextInt(3) == 0) {
            return left;
        }
        return left.copy(left.size + 1 + random.nextInt(longest - left.size));
    }

    private static Content zeroed(Content content, int from, int to) {
        Content copy = content.copy(content.size);
        Arrays.fill(copy.bytes, from, to, (byte) 0);
        return copy;
    }

    private static Content mixed(Content content, Random random) {
        Content copy = content.copy(content.size);
        for (int at = content.forced; at < content.size; ) {
            int next = Math.min(content.size, (at / BLOCK + 1) * BLOCK);
            int choice = random.nextInt(8);
            if (choice == 0) {
                return copy.copy(at);
            }
            if (choice <= 2) {
                Arrays.fill(copy.bytes, at, next, (byte) 0);
            }
            at = next;
        }
        return copy;
    }

    private static Content writes(Content content, Random random) {
        Content copy = content.copy(content.size);
        int from = content.forced;
        int size = from;
        for (int end : content.ends) {
            if (end <= from || end > content.size) {
                continue;
            }
            if (random.nextBoolean()) {
                size = end;
            } else {
                Arrays.fill(copy.bytes, from, end, (byte) 0);
            }
            from = end;
        }
        return copy.copy(random.nextBoolean() ? size : content.size);
    }

    /** A copy of the disk as it is, all of it forced. */
    public synchronized FakeDisk copy() {
        return afterPowerCut(Unsynced.KEPT, Names.KEPT, new Random(0));
    }

    /** A copy of the bytes of each file: what is read from two disks of equal contents is the same. */
    public synchronized Map<String, ByteBuffer> contents() {
        Map<String, ByteBuffer> contents = new HashMap<>();
        files.keySet().forEach(name -> contents.put(name, ByteBuffer.wrap(bytes(name))));
        return contents;
    }

    public synchronized byte[] bytes(String name) {
        Content content = files.get(name);
        return Arrays.copyOf(content.bytes, content.size);
    }

    public synchronized void replace(String name, byte[] bytes) {
        Content content = new Content();
        content.append(bytes, 0, bytes.length);
        content.forced = bytes.length;
        files.put(name, content);
        forcedNames.put(name, content);
    }

    /** Answers whether the call is to be done at all, and whether it then has to throw. */
    private boolean isFailing() {
        int call = calls++;
        return call == failAt || (failsOnwards && call > failAt);
    }

    private static IOException failed(String name) {
        return new IOException(name + ": the disk fails");
    }

    private void changeName(NameChange change) {
        change.apply(files);
        unforcedNames.add(change);
    }

    private interface Change {
        void run() throws IOException;
    }

    private void change(String call, String name, Change change) throws IOException {
        listener.accept(call);
        synchronized (this) {
            boolean isFailing = isFailing();
            if (!isFailing || fault == Fault.DONE_AND_DENIED) {
                change.run();
            }
            if (isFailing) {
                throw failed(name);
            }
        }
    }

    private synchronized int count(IntSupplier count) {
        return count.getAsInt();
    }

    private synchronized Content content(String name) throws NoSuchFileException {
        Content content = files.get(name);
        if (content == null) {
            throw new NoSuchFileException(name);
        }
        return content;
    }

    @Override
    public synchronized List<String> names() {
        return new ArrayList<>(files.keySet());
    }

    @Override
    public synchronized Source read(String name) throws IOException {
        Content content = content(name);
        addHandles(1);
        return new Source() {
            @Override
            public int read(long position, byte[] into, int from, int length) {
                synchronized (FakeDisk.this) {
                    int count = (int) Math.max(0, Math.min(length, content.size - position));
                    if (count > 0) {
                        System.arraycopy(content.bytes, (int) position, into, from, count);
                    }
                    bytesRead.merge(name, (long) count, Long::sum);
                    return count;
                }
            }

            @Override
            public long size() {
                synchronized (FakeDisk.this) {
                    return content.size;
                }
            }

            @Override
            public void close() {
                addHandles(-1);
            }
        };
    }

    @Override
    public Sink create(String name) throws IOException {
        change("create " + name, name, () -> {
            if (files.containsKey(name)) {
                throw new FileAlreadyExistsException(name);
            }
            changeName(new NameChange(name, name, new Content()));
        });
        return sink(name);
    }

    @Override
    public Sink append(String name) throws IOException {
        return sink(name);
    }

    private Sink sink(String name) throws IOException {
        Content content = content(name);
        addHandles(1);
        return new Sink() {
            @Override
            public void append(byte[] bytes, int from, int length) throws IOException {
                synchronized (FakeDisk.this) {
                    content.coming = length;
                }
                listener.accept("append " + length + " to " + name);
                synchronized (FakeDisk.this) {
                    content.coming = 0;
                    boolean isFailing = isFailing();
                    if (!isFailing || fault == Fault.DONE_AND_DENIED) {
                        content.append(bytes, from, length);
                    } else if (fault == Fault.SHORT) {
                        content.append(bytes, from, length / 2);
                    }
                    if (isFailing) {
                        throw failed(name);
                    }
                }
            }

            @Override
            public void force() throws IOException {
                int size = count(() -> content.size);
                change("force " + name, name, () -> content.forced = Math.max(content.forced, size));
            }

            @Override
            public void close() {
                addHandles(-1);
            }
        };
    }

    @Override
    public void cut(String name, long size) throws IOException {
        Content content = content(name);
        change("cut " + name + " to " + size, name, () -> {
            content.size = (int) size;
            content.forced = content.size;
        });
    }

    @Override
    public void rename(String from, String to) throws IOException {
        Content content = content(from);
        change("rename " + from + " to " + to, from, () -> changeName(new NameChange(from, to, content)));
    }

    @Override
    public void delete(String name) throws IOException {
        if (names().contains(name)) {
            change("delete " + name, name, () -> changeName(new NameChange(name, null, null)));
        }
    }

    @Override
    public void forceNames() throws IOException {
        int changes = count(() -> forcedChanges + unforcedNames.size());
        change("force names", "folder", () -> {
            List<NameChange> covered = unforcedNames.subList(0, Math.max(0, changes - forcedChanges));
            covered.forEach(change -> change.apply(forcedNames));
            covered.clear();
            forcedChanges = Math.max(forcedChanges, changes);
        });
    }
}
