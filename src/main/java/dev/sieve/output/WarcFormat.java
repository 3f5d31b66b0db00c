package dev.sieve.output;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Archives, see {@link WarcSink}. */
final class WarcFormat implements OutputFormat {
    /** Of the heap, what the digests of payloads may take. */
    private static final int MEMORY_SHARE = 32;

    @Override
    public List<String> endings() {
        return List.of(".warc.gz", ".warc");
    }

    @Override
    public String help() {
        return "an archive of all requests and responses, with the headers that were sent, -H included; a new file per GB:"
                + " NAME-00001.warc.gz";
    }

    @Override
    public boolean takesExchanges() {
        return true;
    }

    @Override
    public List<Path> existing(Path file) throws IOException {
        return WarcSink.existing(file);
    }

    @Override
    public PageSink open(Path file, OutputOpening opening) throws IOException {
        return new WarcSink(file, opening, Runtime.getRuntime().maxMemory() / MEMORY_SHARE);
    }
}
