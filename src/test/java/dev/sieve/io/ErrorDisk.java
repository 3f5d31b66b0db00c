package dev.sieve.io;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.util.List;

/** A disk on which any call, reads and opens included, can fail with an error of the machine. Calls are counted. */
public final class ErrorDisk implements Disk {

    /** What a call throws in place of doing its work. */
    public enum Failure {
        EIO,
        EMFILE,
        EACCES,
        ENOSPC,
        EROFS;

        IOException of(String name) {
            return switch (this) {
                case EIO -> new IOException(name + ": Input/output error");
                case EMFILE -> new FileNotFoundException(name + " (Too many open files)");
                case EACCES -> new AccessDeniedException(name);
                case ENOSPC -> new FileSystemException(name, null, "No space left on device");
                case EROFS -> new FileSystemException(name, null, "Read-only file system");
            };
        }
    }

    private final Disk disk;
    private Failure failure;
    private int from = Integer.MAX_VALUE;
    private int until = Integer.MAX_VALUE;
    private int calls;
    private IOException thrown;

    public ErrorDisk(Disk disk) {
        this.disk = disk;
    }

    /** Lets a call fail, once or with all calls after it. */
    public void failAt(int call, Failure kind, boolean isOnce) {
        failure = kind;
        from = call;
        until = isOnce ? call : Integer.MAX_VALUE;
    }

    public int calls() {
        return calls;
    }

    /** Returns the first error; null while none was thrown. */
    public IOException thrown() {
        return thrown;
    }

    private void call(String name) throws IOException {
        int call = calls++;
        if (call >= from && call <= until) {
            IOException error = failure.of(name);
            thrown = thrown == null ? error : thrown;
            throw error;
        }
    }

    @Override
    public List<String> names() throws IOException {
        call("folder");
        return disk.names();
    }

    @Override
    public Source read(String name) throws IOException {
        call(name);
        Source source = disk.read(name);
        return new Source() {
            @Override
            public int read(long position, byte[] into, int at, int length) throws IOException {
                call(name);
                return source.read(position, into, at, length);
            }

            @Override
            public long size() throws IOException {
                call(name);
                return source.size();
            }

            @Override
            public void close() throws IOException {
                source.close();
            }
        };
    }

    @Override
    public Sink create(String name) throws IOException {
        call(name);
        return sink(name, disk.create(name));
    }

    @Override
    public Sink append(String name) throws IOException {
        call(name);
        return sink(name, disk.append(name));
    }

    private Sink sink(String name, Sink sink) {
        return new Sink() {
            @Override
            public void append(byte[] bytes, int at, int length) throws IOException {
                call(name);
                sink.append(bytes, at, length);
            }

            @Override
            public void force() throws IOException {
                call(name);
                sink.force();
            }

            @Override
            public void close() throws IOException {
                sink.close();
            }
        };
    }

    @Override
    public void cut(String name, long size) throws IOException {
        call(name);
        disk.cut(name, size);
    }

    @Override
    public void rename(String name, String to) throws IOException {
        call(name);
        disk.rename(name, to);
    }

    @Override
    public void delete(String name) throws IOException {
        call(name);
        disk.delete(name);
    }

    @Override
    public void forceNames() throws IOException {
        call("folder");
        disk.forceNames();
    }
}
