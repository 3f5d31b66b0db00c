package dev.sieve.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.APPEND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.fetch.Exchange;
import dev.sieve.fetch.FetchResult;
import dev.sieve.io.Disk;
import dev.sieve.io.FakeDisk;
import dev.sieve.io.FakeDisk.Names;
import dev.sieve.io.FakeDisk.Unsynced;
import dev.sieve.job.MemoryPlace;
import dev.sieve.job.OutputLengths;
import dev.sieve.output.Archive;
import dev.sieve.output.LineFormat;
import dev.sieve.output.Link;
import dev.sieve.output.PageSink;
import dev.sieve.output.Skip;
import dev.sieve.output.SkipListSink;
import dev.sieve.output.Visit;
import dev.sieve.output.WarcSink;
import dev.sieve.scope.SkipReason;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The outputs of a job that is killed and resumed several times, and a power cut before every change of its disk. After each,
 * the outputs are continued as a resume does it; then all that was forced has to be there, and everything has to be whole.
 *
 * <p>What the outputs write to their files is repeated on a disk in memory, which knows what is forced, and has their lengths.
 */
final class OutputPowerCutRun {
    private static final long OWNER = 20261125;
    private static final int SESSIONS = 3;
    private static final int ROUNDS = 3;
    private static final int PAGES = 3;
    /** So that the first choices of generators with similar seeds differ. */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private static final String HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";

    private final Path root;
    private final Path folder;
    private final long seed;
    private final Random random;
    private final Unsynced unsynced;
    private final String archive;
    private final Map<String, Log> logs = new LinkedHashMap<>();
    /** The URLs of archives that all readers have accepted, by their bytes: most states have the same ones. */
    private final Map<String, List<String>> wholeArchives = new HashMap<>();

    private final StringWriter text = new StringWriter();
    private FakeDisk disk = new FakeDisk();
    private int pages;
    private int states;

    /** The lines of a file, or the URLs of an archive. */
    private static final class Log {
        private final PageSink sink;
        private List<String> written = new ArrayList<>();
        /** How many of those are forced. */
        private int forced;

        Log(PageSink sink) {
            this.sink = sink;
        }
    }

    OutputPowerCutRun(Path root, long seed) {
        this.root = root;
        folder = root.resolve("outputs");
        this.seed = seed;
        random = new Random(seed);
        unsynced = seed % 4 == 0 ? Unsynced.ANY : Unsynced.GROWN;
        archive = seed % 2 == 0 ? "a.warc.gz" : "a.warc";
        logs.put(archive, new Log(exchange -> {}));
        for (LineFormat format : LineFormat.values()) {
            logs.put("a" + format.endings().get(0), new Log(format.sink(text, true)));
        }
        logs.put("skipped", new Log(new SkipListSink(text)));
    }

    /** Runs to the end and returns how many states were tried. */
    int run() throws IOException {
        try {
            for (int i = 0; i < SESSIONS; i++) {
                session();
            }
        } catch (UncheckedIOException | AssertionError e) {
            throw new AssertionError("state " + states + " of seed " + seed + ": " + e.getMessage(), e);
        }
        return states;
    }

    private void session() throws IOException {
        store(disk, Files.createDirectory(folder));
        boolean isKill;
        FakeDisk left;
        disk.onChange(call -> trySomeState());
        try (Outputs outputs = resume(folder, new Lengths())) {
            for (int round = 0; round < ROUNDS; round++) {
                for (int i = random.nextInt(PAGES); i >= 0; i--) {
                    page(outputs.sinks, "http://a.test/" + pages++, true);
                    mirror(files(folder));
                }
                if (random.nextInt(3) > 0) {
                    outputs.sinks.flush();
                    logs.values().forEach(log -> log.forced = log.written.size());
                }
            }
            disk.onChange(call -> {});
            isKill = random.nextBoolean();
            left = isKill ? disk.afterKill() : disk.afterPowerCut(unsynced, Names.SOME, random);
        }
        delete(folder);
        // To know what is left of each; it is resumed again in the next session.
        store(left, Files.createDirectory(folder));
        resume(folder, left.copy()).close();
        for (Map.Entry<String, Log> each : logs.entrySet()) {
            Log log = each.getValue();
            log.written = new ArrayList<>(read(each.getKey()));
            log.forced = isKill ? Math.min(log.forced, log.written.size()) : log.written.size();
        }
        delete(folder);
        disk = left;
    }

    /**
     * Opens the outputs as a resume does it.
     *
     * @param lengths the disk that has their lengths
     */
    private Outputs resume(Path place, Disk lengths) throws IOException {
        List<Path> files = logs.keySet().stream()
                .filter(name -> !name.equals("skipped"))
                .map(place::resolve)
                .toList();
        Path skipped = place.resolve("skipped");
        new OutputChecks(CommandSpec.create(), new MemoryPlace()).outputs(files, null, skipped, APPEND);
        return Outputs.open(files, null, skipped, APPEND, false, OutputLengths.open(lengths, OWNER));
    }

    /** Writes what a crawl writes about a page. */
    private void page(PageSink outputs, String url, boolean isExpected) throws IOException {
        byte[] body = body();
        String request = "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n";
        outputs.exchanged(new Exchange(url, Instant.EPOCH, null, request, HEAD, body, Exchange.Cut.NONE, null, null));
        FetchResult result = new FetchResult.Page(200, Map.of(), "text/html", body, body.length, false);
        String title = "\u00fc, \"" + "\u4f8b".repeat(random.nextInt(200)) + "\n\0\"";
        Visit visit = new Visit(
                url,
                url,
                1,
                null,
                result,
                new Visit.Timing(Instant.EPOCH, Duration.ZERO, Duration.ZERO),
                new Visit.Content(title, List.of(), List.of(), false),
                Visit.Marks.NONE,
                null,
                null,
                -1);
        Link link = new Link(url, url + "/" + "long/".repeat(random.nextInt(300)), true, null);
        Skip skip = new Skip(random.nextInt(2) + "mailto:\0" + url, new SkipReason("excluded"), url);
        outputs.accept(visit);
        outputs.linked(link);
        outputs.skipped(skip);
        if (!isExpected) {
            return;
        }
        logs.get(archive).written.add(url);
        for (Log log : logs.values()) {
            text.getBuffer().setLength(0);
            log.sink.accept(visit);
            log.sink.linked(link);
            log.sink.skipped(skip);
            text.toString().lines().forEach(log.written::add);
        }
    }

    /** Returns bytes that cannot be compressed, zeros, or both; some twice, which an archive stores once. */
    private byte[] body() {
        Random choice = new Random(SPREAD * random.nextInt(40));
        byte[] body = new byte[choice.nextInt(4) == 0 ? choice.nextInt(6000) : choice.nextInt(300)];
        choice.nextBytes(body);
        if (choice.nextInt(3) == 0) {
            Arrays.fill(body, choice.nextInt(body.length + 1) / 2, body.length, (byte) 0);
        }
        return body;
    }

    /**
     * The disk, on which the lengths of the outputs are stored. Before they are written, it does what was done to the outputs,
     * and forces that, as the outputs of such a job do: a length of bytes that are not in the file is a length without them.
     */
    private final class Lengths implements Disk {
        @Override
        public Sink append(String name) throws IOException {
            Sink sink = disk.append(name);
            return new Sink() {
                @Override
                public void append(byte[] bytes, int from, int length) throws IOException {
                    mirrorForced();
                    sink.append(bytes, from, length);
                }

                @Override
                public void force() throws IOException {
                    sink.force();
                }

                @Override
                public void close() throws IOException {
                    sink.close();
                }
            };
        }

        @Override
        public void requireOwned() throws IOException {
            disk.requireOwned();
        }

        @Override
        public long usableBytes() throws IOException {
            return disk.usableBytes();
        }

        @Override
        public List<String> names() throws IOException {
            return disk.names();
        }

        @Override
        public String path(String name) {
            return disk.path(name);
        }

        @Override
        public Source read(String name) throws IOException {
            return disk.read(name);
        }

        @Override
        public Sink create(String name) throws IOException {
            return disk.create(name);
        }

        @Override
        public void cut(String name, long size) throws IOException {
            disk.cut(name, size);
        }

        @Override
        public void rename(String from, String to) throws IOException {
            disk.rename(from, to);
        }

        @Override
        public void delete(String name) throws IOException {
            disk.delete(name);
        }

        @Override
        public void forceNames() throws IOException {
            disk.forceNames();
        }
    }

    /** Does on the disk what was done to the files since the last call. */
    private void mirror(List<Path> files) throws IOException {
        for (Path file : files) {
            String name = file.getFileName().toString();
            if (!disk.names().contains(name)) {
                disk.create(name).close();
                disk.forceNames();
            }
            byte[] before = disk.bytes(name);
            byte[] bytes = Files.readAllBytes(file);
            int same = Arrays.mismatch(before, bytes);
            if (same >= 0 && same < before.length) {
                // What a crash has left was removed, and the rest forced.
                disk.replace(name, bytes);
            } else if (bytes.length > before.length) {
                try (Disk.Sink sink = disk.append(name)) {
                    sink.append(bytes, before.length, bytes.length - before.length);
                }
            }
        }
    }

    private void mirrorForced() throws IOException {
        List<Path> files = files(folder);
        mirror(files);
        for (Path file : files) {
            try (Disk.Sink sink = disk.append(file.getFileName().toString())) {
                sink.force();
            }
        }
    }

    private void trySomeState() {
        states++;
        Random choice = new Random(SPREAD * (31 * seed + states));
        List<Names> all = List.of(Names.values());
        Names names = all.get(choice.nextInt(all.size()));
        try {
            FakeDisk left = disk.afterPowerCut(unsynced, names, choice);
            // The files have their lengths by their paths.
            Path aside = Files.move(folder, root.resolve("aside"));
            store(left, Files.createDirectory(folder));
            try (Outputs outputs = resume(folder, left)) {
                page(outputs.sinks, "http://later.test/", false);
            }
            verify();
            delete(folder);
            Files.move(aside, folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void verify() throws IOException {
        for (Map.Entry<String, Log> each : logs.entrySet()) {
            Log log = each.getValue();
            List<String> left = read(each.getKey());
            List<String> kept = left.subList(0, left.size() - 1);
            assertThat(left.get(left.size() - 1)).as(each.getKey()).contains("http://later.test/");
            assertThat(kept)
                    .as("whole lines of %s, in order", each.getKey())
                    .isEqualTo(log.written.stream().filter(kept::contains).toList());
            assertThat(kept.subList(0, Math.min(log.forced, kept.size())))
                    .as("forced to %s", each.getKey())
                    .isEqualTo(log.written.subList(0, log.forced));
        }
    }

    /** Returns the lines of a file without its header, or the URLs of the responses of an archive. */
    private List<String> read(String name) throws IOException {
        Path file = folder.resolve(name);
        if (!name.equals(archive)) {
            String lines = Files.readString(file, UTF_8);
            assertThat(lines.isEmpty() || lines.endsWith("\n")).as(name).isTrue();
            return lines.lines().filter(line -> !line.startsWith("url,")).toList();
        }
        List<String> urls = new ArrayList<>();
        for (Path part : WarcSink.existing(file)) {
            String bytes = Files.readString(part, ISO_8859_1);
            List<String> known = wholeArchives.get(bytes);
            List<String> found = known == null ? responses(part) : known;
            wholeArchives.put(bytes, found);
            urls.addAll(found);
        }
        return urls;
    }

    private static List<String> responses(Path archive) throws IOException {
        List<Archive.Entry> records = Archive.read(archive);
        List<String> urls = new ArrayList<>();
        // A request, then what it was answered with.
        for (int i = 1; i < records.size(); i += 2) {
            assertThat(records.get(i).type()).isEqualTo("request");
            assertThat(records.get(i + 1).type()).isIn("response", "revisit");
            urls.add(records.get(i + 1).url());
        }
        return urls;
    }

    private static void store(FakeDisk from, Path to) throws IOException {
        for (String name : from.names()) {
            if (!name.startsWith("crawl-")) {
                Files.write(to.resolve(name), from.bytes(name));
            }
        }
    }

    private static List<Path> files(Path place) throws IOException {
        try (Stream<Path> files = Files.list(place)) {
            return files.sorted().toList();
        }
    }

    static void delete(Path place) throws IOException {
        try (Stream<Path> files = Files.walk(place)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
