package dev.sieve.io;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A file of lines in ASCII that are only appended, each of which shows whether it is whole and to which owner it belongs.
 *
 * <pre>
 *   # sieve NAME 2 0123456789abcdef 89abcdef    name, version and owner of the file; checksum
 *   89abcdef 1 ...                              checksum, number of the line, content
 *   89abcdef 2+ ...                             the same of a line before which zeros are damage
 * </pre>
 *
 * The checksum is the CRC-32C of the name, the owner, the number and the content. So a line that was changed, doubled or
 * moved, that is missing, or that belongs to another file is recognised; only lines missing at the end are not: the caller
 * compares {@link Content#last} with what it knows. A last line without a line feed was left by a crash, and is ignored.
 * So is a hole of zeros near the end, with all that follows: it is what a power cut leaves of lines that were not forced to
 * the disk. It is damage before a line that says so, which is one before which all others were forced, and each line of a
 * file that is {@linkplain #markAll not forced}; and in the lines that the caller knows to be on the disk.
 *
 * <p>Lines are buffered. When {@link #flush} returns, they survive the process, and when {@link #force} returns, a power
 * cut. Methods that append throw {@link UncheckedIOException} when the disk fails. Not safe for use by many threads.
 */
public final class LineFile implements Closeable {
    private static final int BUFFER_BYTES = 1 << 16;
    /** Read at a time to find a line: most lines are shorter. */
    private static final int READ_BYTES = 512;

    private static final int MAX_DIGITS = 18;
    private static final HexFormat HEX = HexFormat.of();

    public static final Receiver REFUSE = problem -> {
        throw new IOException(problem + "; 'repair' keeps what is intact");
    };

    /**
     * What a file contains.
     *
     * @param name its name in the folder
     * @param version the version of its lines
     * @param line what a line is, in messages: {@code a seed}
     * @param loss what it means that lines are lost, in messages
     * @param isValid whether a text is such a line
     */
    public record Kind(String name, int version, String line, String loss, Predicate<String> isValid) {

        private String start() {
            return "# sieve " + name + " ";
        }

        private String header(long owner) {
            String text = start() + version + " " + HEX.toHexDigits(owner) + " ";
            return text + HEX.toHexDigits(LineChecksum.of(text.getBytes(ISO_8859_1), text.length()));
        }

        private LineChecksum checksum(long owner) {
            return new LineChecksum(name + " " + HEX.toHexDigits(owner) + " ");
        }
    }

    /** Receives lines, or descriptions of what is wrong in a file. */
    public interface Receiver {
        void accept(String text) throws IOException;
    }

    /** Receives lines with their positions. */
    public interface Lines {
        /**
         * Receives a line.
         *
         * @param position where it begins in the file, for {@link LineFile#line}
         * @param text its content
         */
        void accept(long position, String text) throws IOException;
    }

    /** Produces the lines of a file. */
    public interface Writing {
        void writeTo(Receiver lines) throws IOException;

        static Writing of(Collection<String> all) {
            return lines -> {
                for (String line : all) {
                    lines.accept(line);
                }
            };
        }
    }

    /** The extent of a file: the position after its last complete line, and the number of its last whole one, or 0. */
    public record Content(long end, long last) {}

    private final Disk disk;
    private final Kind kind;
    /** Appends to the file; null until then. */
    private Disk.@Nullable Sink sink;

    private final Writer buffer;
    /** Bytes behind the last line, which are cut off before the first line is appended. */
    private long unfinished;

    private long end;
    /** The number of the last line that was flushed by this, and of the last one that was forced. */
    private volatile long flushed;

    private volatile long forced;
    /** The file as it is read by {@link #line}; null until then. */
    private DiskView.@Nullable Source source;

    private LineFile(Disk disk, Kind kind, long owner, Content content) throws IOException {
        this.disk = disk;
        this.kind = kind;
        buffer = new Writer(kind, owner, content.last);
        end = content.end;
        unfinished = disk.size(kind.name) - end;
        flushed = content.last;
    }

    private Disk.Sink sink() throws IOException {
        if (unfinished > 0) {
            disk.cut(kind.name, end);
            unfinished = 0;
        }
        if (sink == null) {
            sink = disk.append(kind.name);
        }
        return sink;
    }

    /** Opens a file to append to it, passes on its lines as {@link #read} does, and creates it if it does not exist. */
    public static LineFile open(Disk disk, Kind kind, long owner, long known, Lines lines) throws IOException {
        if (!disk.names().contains(kind.name)) {
            replace(disk, kind, owner, List.of());
        }
        return new LineFile(disk, kind, owner, read(disk, kind, owner, known, lines, REFUSE));
    }

    /**
     * Reads the complete lines of a file, one character per byte; none when it does not exist.
     *
     * @param owner the identity of what the file belongs to
     * @param known how many lines are known to be on the disk, so that zeros in them are damage
     * @param lines receives the content of whole lines
     * @param problems receives what is wrong, one sentence each
     * @throws IOException when the disk fails, or the file has another version
     */
    public static Content read(Disk disk, Kind kind, long owner, long known, Lines lines, Receiver problems)
            throws IOException {
        try (DiskView.Source source = disk.read(kind.name)) {
            return new Pass(disk.path(kind.name), source, kind, owner, known, lines, problems).run();
        } catch (NoSuchFileException e) {
            return new Content(0, 0);
        }
    }

    private static final class Pass {
        private final DiskView.Source source;
        private final LineReader in;
        private final Kind kind;
        private final long owner;
        private final LineChecksum checksum;
        private final long known;
        private final Lines lines;
        private final Receiver problems;
        private final String path;
        private long end;
        private long at; // counted in the file
        private long last; // number of the last whole line
        private long damaged; // lines since then

        Pass(String path, DiskView.Source source, Kind kind, long owner, long known, Lines lines, Receiver problems) {
            this.path = path;
            this.source = source;
            in = new LineReader(source.stream(0), LineChecksum.MAX_LENGTH);
            this.kind = kind;
            this.owner = owner;
            checksum = kind.checksum(owner);
            this.known = known;
            this.lines = lines;
            this.problems = problems;
        }

        Content run() throws IOException {
            boolean isOwn = true;
            while (in.next() && in.isTerminated()) {
                if (at > 0 && isOwn && last + damaged >= known && checksum.isHole(source, end, in)) {
                    return new Content(end, last);
                }
                at++;
                end += in.length() + 1L;
                if (at == 1) {
                    isOwn = header(in.text(ISO_8859_1));
                } else if (isOwn) {
                    line();
                }
            }
            if (at == 0) {
                problems.accept(path + ": the first line is missing");
            } else if (hasChangedLineFeed()) {
                problems.accept(path + ": line " + (at + 1) + " is damaged: its line feed is missing");
            }
            return new Content(end, last);
        }

        /** Checks the first line; returns false when the file belongs to another owner. */
        private boolean header(String line) throws IOException {
            String start = Pattern.quote(kind.start());
            Matcher fields = Pattern.compile("(" + start + "([0-9]{1,9}) ([0-9a-f]{16}) )([0-9a-f]{8})")
                    .matcher(line);
            boolean isHeader = fields.matches()
                    && fields.group(4).equals(HEX.toHexDigits(LineChecksum.of(in.bytes(), fields.end(1))));
            if (!isHeader) {
                problems.accept(path + ": line 1 is damaged");
                return true;
            }
            if (Integer.parseInt(fields.group(2)) != kind.version()) {
                throw new IOException(path + ": version " + fields.group(2) + ", which this Sieve does not read; start"
                        + " anew in another directory");
            }
            boolean isOwn = fields.group(3).equals(HEX.toHexDigits(owner));
            if (!isOwn) {
                problems.accept(path + ": belongs to another job");
            }
            return isOwn;
        }

        /** Whether the rest is a whole line whose line feed was changed; a crash cannot cause that. */
        private boolean hasChangedLineFeed() {
            int length = in.length() - 1;
            return length > 0 && !in.isTerminated() && in.bytes()[length] != 0 && checksum.isWhole(in.bytes(), length);
        }

        private void line() throws IOException {
            String text = in.text(ISO_8859_1);
            int space = text.indexOf(' ', LineChecksum.CHECKSUM_LENGTH + 1);
            long number =
                    in.isCut() || space < 0 || !checksum.isWhole(in.bytes(), in.length()) ? 0 : number(text, space);
            if (number == 0) {
                damaged++;
                problems.accept(path + ": line " + at + " is damaged");
                return;
            }
            if (number <= last) {
                problems.accept(path + ": line " + at + " is a copy of an earlier one");
                return;
            }
            long missing = number - last - 1 - damaged;
            if (missing > 0) {
                problems.accept(path + ": missing before line " + at + ": " + missing);
            }
            last = number;
            damaged = 0;
            String content = text.substring(space + 1);
            if (kind.isValid().test(content)) {
                lines.accept(end - in.length() - 1, content);
            } else {
                problems.accept(path + ": line " + at + " is not " + kind.line());
            }
        }

        /** Returns the number of a line, 0 when it has none. */
        private static long number(String text, int space) {
            int digitsEnd = text.charAt(space - 1) == LineChecksum.FORCED ? space - 1 : space;
            String digits = text.substring(LineChecksum.CHECKSUM_LENGTH + 1, digitsEnd);
            boolean isNumber = digits.length() <= MAX_DIGITS && digits.matches("[1-9][0-9]*");
            return isNumber && text.charAt(LineChecksum.CHECKSUM_LENGTH) == ' ' ? Long.parseLong(digits) : 0;
        }
    }

    /** Lines with their numbers and checksums. */
    private static final class Writer {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final LineChecksum checksum;
        /** Of the first line, with its line feed. */
        private final int headerLength;

        private long last;
        /** Whether all lines so far were forced to the disk. */
        private boolean isForced;

        private boolean marksAll;

        Writer(Kind kind, long owner, long last) {
            checksum = kind.checksum(owner);
            headerLength = kind.header(owner).length() + 1;
            this.last = last;
        }

        void add(byte[] content) {
            String number = ++last + (isForced || marksAll ? LineChecksum.FORCED + " " : " ");
            isForced = false;
            checksum.write(number.getBytes(ISO_8859_1), content, bytes);
        }

        void writeTo(Disk.Sink sink) throws IOException {
            sink.append(bytes.toByteArray(), 0, bytes.size());
            bytes.reset();
        }
    }

    /** Replaces a file in one step, or creates it, and returns how many lines it has. Unless forced, a power cut may damage it. */
    public static long replace(Disk disk, Kind kind, long owner, boolean isForced, Writing lines) throws IOException {
        Writer out = new Writer(kind, owner, 0);
        disk.replace(kind.name, kind.name + ".tmp", isForced, sink -> {
            out.bytes.writeBytes((kind.header(owner) + "\n").getBytes(ISO_8859_1));
            lines.writeTo(line -> {
                out.add(line.getBytes(ISO_8859_1));
                if (out.bytes.size() >= BUFFER_BYTES) {
                    out.writeTo(sink);
                }
            });
            out.writeTo(sink);
        });
        return out.last;
    }

    /** Replaces a file in the same way by one with the lines of a list, and forces it to the disk. */
    public static void replace(Disk disk, Kind kind, long owner, List<String> lines) throws IOException {
        replace(disk, kind, owner, true, Writing.of(lines));
    }

    /** Appends a line, given without its line feed; returns its position, for {@link #line}. */
    public long add(String line) {
        return add(line.getBytes(ISO_8859_1));
    }

    public long add(byte[] line) {
        long position = end + buffer.bytes.size();
        buffer.add(line);
        if (buffer.bytes.size() >= BUFFER_BYTES) {
            flush();
        }
        return position;
    }

    /** Returns the content of the whole line at a position. Lines that are still buffered are flushed first. */
    public String line(long position) throws IOException {
        if (position >= end) {
            flush();
        }
        return content(bytes(position), position);
    }

    /** Reads the lines that were flushed, one after another. Not to be used while lines are added. */
    public final class Cursor {
        private long position = buffer.headerLength;

        /** Returns the content of the next line; null at the end. */
        public @Nullable String next() throws IOException {
            if (position >= end) {
                return null;
            }
            byte[] bytes = bytes(position);
            String text = content(bytes, position);
            position += bytes.length + 1;
            return text;
        }
    }

    private byte[] bytes(long position) throws IOException {
        if (source == null) {
            source = disk.read(kind.name);
        }
        byte[] bytes = new byte[READ_BYTES];
        for (int length = 0; ; bytes = Arrays.copyOf(bytes, 4 * bytes.length)) {
            int count = source.read(position + length, bytes, length, bytes.length - length);
            for (int stop = length + count; length < stop; length++) {
                if (bytes[length] == '\n') {
                    return Arrays.copyOf(bytes, length);
                }
            }
            if (length < bytes.length || length > LineChecksum.MAX_LENGTH) {
                throw damaged(position);
            }
        }
    }

    private String content(byte[] line, long position) throws IOException {
        String text = new String(line, ISO_8859_1);
        int space = text.indexOf(' ', LineChecksum.CHECKSUM_LENGTH + 1);
        if (space < 0 || !buffer.checksum.isWhole(line, line.length)) {
            throw damaged(position);
        }
        return text.substring(space + 1);
    }

    private IOException damaged(long position) {
        return new IOException(disk.path(kind.name) + ": the line at byte " + position + " is damaged");
    }

    /**
     * Hands the lines to the operating system. When the disk fails, they are cut off again, if the disk allows it, and
     * the next call writes them.
     */
    public void flush() {
        try {
            int length = buffer.bytes.size();
            if (length > 0) {
                append(length);
                end += length;
                flushed = buffer.last;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void append(int length) throws IOException {
        Disk.Sink out = sink();
        // Until all is written, the next call has to cut off what was.
        unfinished = length;
        try {
            buffer.writeTo(out);
            unfinished = 0;
        } catch (IOException e) {
            try {
                sink();
            } catch (IOException failed) {
                e.addSuppressed(failed);
            }
            throw e;
        }
    }

    public void force() {
        flush(true);
    }

    /** Forces the lines that were flushed to the disk. One thread may call this while others add and flush lines. */
    public void forceFlushed() {
        try {
            sink().force();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Notes that all lines up to the one with a number were forced. */
    public void noteForced(long number) {
        buffer.isForced = buffer.last == number;
        forced = number;
    }

    /** Does as {@link #force} if {@code isForced}, otherwise as {@link #flush()}. */
    public void flush(boolean isForced) {
        flush();
        if (isForced) {
            forceFlushed();
            noteForced(flushed);
        }
    }

    /** Returns how many bytes a crash has left after the last line. They are ignored, and removed by the first append. */
    public long unfinished() {
        return unfinished;
    }

    /** Marks each line that is added, since the file is not forced: zeros before one are damage. */
    public void markAll() {
        buffer.marksAll = true;
    }

    public long last() {
        return buffer.last;
    }

    /**
     * Returns the number of the last line that survives the process, or a power cut if {@code isForced}; 0 when it is
     * not known. May be called by any thread.
     */
    public long last(boolean isForced) {
        return isForced ? forced : flushed;
    }

    /** Closes the file; lines that were not flushed are lost. */
    @Override
    @SuppressWarnings("try") // they are only closed here
    public void close() throws IOException {
        try (Closeable append = sink;
                Closeable read = source) {
            sink = null;
            source = null;
        }
    }
}
