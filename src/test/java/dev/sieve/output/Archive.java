package dev.sieve.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.archive.io.ArchiveReader;
import org.archive.io.ArchiveRecord;
import org.archive.io.warc.WARCReaderFactory;
import org.netpreserve.jwarc.HeaderValidator;
import org.netpreserve.jwarc.WarcConversion;
import org.netpreserve.jwarc.WarcPayload;
import org.netpreserve.jwarc.WarcReader;
import org.netpreserve.jwarc.WarcRecord;
import org.netpreserve.jwarc.WarcResponse;
import org.netpreserve.jwarc.tools.ValidateTool;

/** Reads archives as others do: with jwarc and its validator, and with the library of the Internet Archive. */
public final class Archive {
    private Archive() {}

    /** A record, and the payload of a response, or the block of a conversion; as jwarc reads them. */
    @SuppressWarnings("ArrayRecordComponent") // not compared
    public record Entry(WarcRecord record, byte[] payload) {
        public String type() {
            return record.type();
        }

        /** Returns a header field; null without it. */
        public String field(String name) {
            return record.headers().first(name).orElse(null);
        }

        public String url() {
            return field("WARC-Target-URI");
        }
    }

    /** Returns the records of a file, after both readers have accepted all of them. */
    public static List<Entry> read(Path file) throws IOException {
        assertThat(isValid(file)).as("jwarc accepts " + file).isTrue();
        return readToTheEnd(file);
    }

    /** As {@link #read}, but allows for responses that were cut: their {@code Content-Length} says more than there is. */
    public static List<Entry> readToTheEnd(Path file) throws IOException {
        List<Entry> entries = readWithoutCheck(file);
        assertThat(readByOther(file))
                .isEqualTo(entries.stream().map(Entry::type).toList());
        return entries;
    }

    /** Returns the records of a file before one that a crash has left unfinished. */
    public static List<Entry> readWholeRecords(Path file) throws IOException {
        List<Entry> entries = new ArrayList<>();
        if (Files.size(file) > 0) {
            try (WarcReader reader = new WarcReader(file)) {
                add(reader, entries);
            } catch (EOFException e) {
                // The last one was being written.
            }
        }
        return entries;
    }

    private static List<Entry> readWithoutCheck(Path file) throws IOException {
        List<Entry> entries = new ArrayList<>();
        try (WarcReader reader = new WarcReader(file)) {
            add(reader, entries);
        }
        return entries;
    }

    private static void add(WarcReader reader, List<Entry> entries) throws IOException {
        for (WarcRecord record = reader.next().orElse(null);
                record != null;
                record = reader.next().orElse(null)) {
            entries.add(new Entry(record, payload(record)));
        }
    }

    private static byte[] payload(WarcRecord record) throws IOException {
        if (record instanceof WarcResponse response) {
            WarcPayload payload = response.payload().orElseThrow();
            return payload.body().stream().readAllBytes();
        } else if (record instanceof WarcConversion conversion) {
            return conversion.body().stream().readAllBytes();
        }
        return null;
    }

    /** Returns whether "jwarc validate --forbid-extensions" accepts a file; that command would end the process. */
    private static boolean isValid(Path file) {
        try {
            ValidateTool tool = new ValidateTool(false);
            Field validator = ValidateTool.class.getDeclaredField("headerValidator");
            validator.setAccessible(true);
            validator.set(tool, HeaderValidator.warc_1_1(true));
            Method validate = ValidateTool.class.getDeclaredMethod("validate", Path.class);
            validate.setAccessible(true);
            return (boolean) validate.invoke(tool, file);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    private static List<String> readByOther(Path file) throws IOException {
        List<String> types = new ArrayList<>();
        try (ArchiveReader reader = WARCReaderFactory.get(file.toFile())) {
            reader.setStrict(true);
            for (ArchiveRecord record : reader) {
                ByteArrayOutputStream block = new ByteArrayOutputStream();
                record.transferTo(block);
                assertThat(block.size()).isEqualTo(record.getHeader().getContentLength());
                types.add((String) record.getHeader().getHeaderValue("WARC-Type"));
            }
        }
        return types;
    }
}
