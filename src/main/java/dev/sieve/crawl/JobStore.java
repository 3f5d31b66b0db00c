package dev.sieve.crawl;

import dev.sieve.output.FileEnds;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Where a job keeps its seeds, what the user has allowed for their origins, and the pauses of hosts. Methods without an
 * {@link IOException} throw an {@link java.io.UncheckedIOException} when the place fails. Safe for use by many threads.
 */
public interface JobStore {
    /** That of a job which keeps nothing. */
    JobStore NONE = new JobStore() {
        @Override
        public void read(Consumer<String> seeds, Consumer<String> origins) {}

        @Override
        public void add(List<String> seeds, List<String> origins) {}

        @Override
        public void force() {}

        @Override
        public Map<String, Duration> takePauses() {
            return Map.of();
        }

        @Override
        public void addPause(String host, Duration pause, Duration use, Instant now) {}

        @Override
        public FileEnds outputs(List<Path> outputs, boolean forces) {
            return FileEnds.NONE;
        }
    };

    interface Opening {
        /** Opens the store, and passes on what it has, as far as {@link #read} passes it on again. */
        JobStore open(Consumer<String> seeds, Consumer<String> origins) throws IOException;
    }

    /** Passes on all that is stored, or what was added since the last call where other processes add something. */
    void read(Consumer<String> seeds, Consumer<String> origins) throws IOException;

    void add(List<String> seeds, List<String> origins);

    /** Forces seeds and origins to the disk; what an engine has accepted is as safe as it can be. */
    void force();

    /** Returns how long hosts have to pause because of earlier runs or of other processes, and forgets it. Never waits. */
    Map<String, Duration> takePauses();

    /** Stores the pause that a host requires for requests that are made from now on, until a time has passed. */
    void addPause(String host, Duration pause, Duration use, Instant now);

    /** Returns the ends of the outputs, as {@link CrawlJob#outputs} does. */
    FileEnds outputs(List<Path> outputs, boolean forces) throws IOException;
}
