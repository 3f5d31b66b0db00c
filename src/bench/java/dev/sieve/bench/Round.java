package dev.sieve.bench;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sieve.UrlBatch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The URLs that one call of a benchmark pushes, made anew for each call: as Strings, and as bytes in one buffer. */
final class Round {
    /** URLs of a round. */
    static final int URLS = 4096;

    /** URLs that are pushed as one batch, as if they were the links of a page. */
    static final int PAGE = 64;

    final List<List<String>> pages = new ArrayList<>();
    final byte[] bytes = new byte[URLS * Urls.MAX_LENGTH];

    /** URL i lies from offsets[i] to offsets[i + 1]. */
    final int[] offsets = new int[URLS + 1];

    /** To be used again by whoever pushes. */
    final UrlBatch batch = new UrlBatch();

    Round() {
        for (int i = 0; i < URLS / PAGE; i++) {
            pages.add(Arrays.asList(new String[PAGE]));
        }
    }

    void set(int index, long number) {
        offsets[index + 1] = Urls.write(number, bytes, offsets[index]);
    }

    /** Makes Strings of the bytes. */
    void makeStrings() {
        for (int i = 0; i < URLS; i++) {
            String url = new String(bytes, offsets[i], offsets[i + 1] - offsets[i], ISO_8859_1);
            pages.get(i / PAGE).set(i % PAGE, url);
        }
    }

    String url(int index) {
        return pages.get(index / PAGE).get(index % PAGE);
    }
}
