package dev.sieve.browser;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A Chromium with a network, which is started for its first tab. */
public final class Browser implements AutoCloseable {
    static final ObjectMapper JSON = new ObjectMapper();
    private static final List<String> OPTIONS =
            List.of("proxy-server=direct://", "host-resolver-rules=", "hide-scrollbars", "force-color-profile=srgb");

    private @Nullable Chromium chromium;

    /** Returns the program, if this machine has it. */
    public static Optional<Path> program() {
        return Optional.ofNullable(Chromium.find());
    }

    /** Opens an empty tab that shares no cache or storage with others. */
    public synchronized Tab tab() {
        try {
            if (chromium == null) {
                chromium = new Chromium(program().orElseThrow(), OPTIONS);
                chromium.awaitStart();
            }
            return new Tab(chromium.cdp);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public synchronized void close() {
        if (chromium != null) {
            chromium.close();
        }
    }
}
