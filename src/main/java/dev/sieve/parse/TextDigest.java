package dev.sieve.parse;

import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/** Computes a {@link PageText} from the parts of a text, in memory that does not grow with it. */
public final class TextDigest implements DocumentReader {
    /** Words of a shingle. */
    private static final int SHINGLE = 3;

    private static final int BUFFER_BYTES = 4 << 10;
    private static final int MAX_BYTES_PER_CHAR = 3;

    private final MessageDigest sha256 = Digest.sha256();
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private Sketch.@Nullable Builder sketch;
    private @Nullable PageText result;
    /** The hashes of the last words. */
    private final long[] last = new long[SHINGLE];

    private int used;
    private long words;
    private long wordHash;
    private boolean isInWord;

    /** Has the sketch of the text computed as well. To be called before the text is read. */
    public void sketch() {
        sketch = new Sketch.Builder();
    }

    @Override
    public void begin(DocumentElement element) {
        end(element);
    }

    @Override
    public void end(DocumentElement element) {
        isInWord = isInWord && element.gap() == Gap.NONE;
    }

    @Override
    public void text(String part) {
        // In variables, which the loop reads and writes faster than fields.
        int length = part.length();
        int at = used;
        boolean isWord = isInWord;
        for (int i = 0; i < length; i++) {
            char c = part.charAt(i);
            if (Gap.isWhiteSpace(c)) {
                isWord = false;
                continue;
            }
            if (at + 1 + MAX_BYTES_PER_CHAR > BUFFER_BYTES) {
                sha256.update(buffer, 0, at);
                at = 0;
            }
            if (!isWord) {
                isWord = true;
                if (words > 0) {
                    buffer[at++] = ' ';
                    endWord();
                }
                words++;
            }
            if (c < 0x80) {
                buffer[at++] = (byte) c;
            } else if (c < 0x800) {
                buffer[at++] = (byte) (0xc0 | (c >> 6));
                buffer[at++] = (byte) (0x80 | (c & 0x3f));
            } else {
                // Also a surrogate, which UTF-8 would encode together with its other half.
                buffer[at++] = (byte) (0xe0 | (c >> 12));
                buffer[at++] = (byte) (0x80 | ((c >> 6) & 0x3f));
                buffer[at++] = (byte) (0x80 | (c & 0x3f));
            }
            if (sketch != null) {
                wordHash = (wordHash ^ c) * 0x100000001b3L;
            }
        }
        used = at;
        isInWord = isWord;
    }

    /** Adds the shingle that the last word ends, if there is one. */
    private void endWord() {
        if (sketch != null) {
            System.arraycopy(last, 1, last, 0, SHINGLE - 1);
            last[SHINGLE - 1] = wordHash;
            wordHash = 0;
            if (words >= SHINGLE) {
                sketch.add(shingle());
            }
        }
    }

    /** Returns the hash of the last words in their order. */
    private long shingle() {
        long hash = 0;
        for (long word : last) {
            hash = Sketch.Builder.mix(hash + word);
        }
        return hash;
    }

    /** Returns the result, after which no more text is read. */
    public PageText finish() {
        if (result != null) {
            return result;
        }
        if (words > 0) {
            endWord();
        }
        if (sketch != null && words > 0 && words < SHINGLE) {
            sketch.add(shingle());
        }
        sha256.update(buffer, 0, used);
        result = new PageText(Digest.finish(sha256), sketch == null ? null : sketch.build(), words);
        return result;
    }
}
