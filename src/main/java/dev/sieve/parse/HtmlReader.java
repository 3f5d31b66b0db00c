package dev.sieve.parse;

import java.io.Reader;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * The characters of a document, decoded when the parser reads them, so that the whole text is never in memory.
 *
 * <p>The end of a tag name longer than {@link #MAX_NAME} characters is replaced by blanks: the parser takes quadratic
 * time for a name, since it copies the beginning with every read.
 */
final class HtmlReader extends Reader {
    /** The longest tag name, far longer than any in a real page. */
    private static final int MAX_NAME = 32 << 10;

    private final ByteBuffer bytes;
    private final CharsetDecoder decoder;
    private final IntPredicate beforeRead;
    private boolean hasEnded;
    private boolean isCut;
    private int count;
    /** Length of the tag name in which the last read ended; 0 outside of a tag name. */
    private int nameLength;

    /**
     * Makes a reader.
     *
     * @param beforeRead receives the length of the last read before each read; the document ends where it returns false
     */
    HtmlReader(DocumentText text, IntPredicate beforeRead) {
        bytes = ByteBuffer.wrap(text.bytes(), text.from(), text.bytes().length - text.from());
        decoder = text.charset()
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPLACE)
                .onUnmappableCharacter(CodingErrorAction.REPLACE);
        this.beforeRead = beforeRead;
    }

    /** Whether a part of the document was not passed to the parser. */
    boolean isCut() {
        return isCut;
    }

    @Override
    public int read(char[] chars, int from, int length) {
        if (hasEnded) {
            return -1;
        }
        if (!beforeRead.test(count)) {
            isCut |= bytes.hasRemaining();
            hasEnded = true;
            return -1;
        }
        CharBuffer out = CharBuffer.wrap(chars, from, length);
        CoderResult result = decoder.decode(bytes, out, true);
        if (result.isUnderflow()) {
            decoder.flush(out);
            hasEnded = true;
        }
        count = out.position() - from;
        limitName(chars, from, from + count);
        return count == 0 && hasEnded ? -1 : count;
    }

    private void limitName(char[] chars, int from, int to) {
        int start = from;
        if (nameLength > 0) {
            while (start < to && !endsName(chars[start])) {
                start++;
            }
            nameLength += start - from;
            if (nameLength > MAX_NAME) {
                Arrays.fill(chars, from, start, ' ');
                isCut = true;
            }
            if (start == to) {
                return;
            }
        }
        int last = to - 1;
        while (last >= start && chars[last] != '<' && !endsName(chars[last])) {
            last--;
        }
        boolean isTag = last >= start && chars[last] == '<' && (last + 1 == to || startsName(chars[last + 1]));
        nameLength = isTag ? to - last : 0;
    }

    private static boolean startsName(char c) {
        return c == '/' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
    }

    private static boolean endsName(char c) {
        return c == '>' || c == ' ' || (c >= '\t' && c <= '\r');
    }

    @Override
    public void close() {
        hasEnded = true;
    }
}
