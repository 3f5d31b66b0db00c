package dev.sieve.parse;

import static dev.sieve.parse.StandardTables.ERROR;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;

/**
 * A decoder of the <a href="https://encoding.spec.whatwg.org/">WHATWG Encoding standard</a>. It reports as malformed
 * the bytes of one error of the standard, which its caller replaces by {@link StandardTables#ERROR}.
 */
class StandardDecoder extends CharsetDecoder {
    /** What is found when more bytes are needed. */
    private static final int MORE = -1;

    /** The characters of single bytes, from 0 on. */
    private final char[] plain;
    /** How many bytes the last character or error has. */
    int length;

    /** Creates a decoder of an encoding in which single bytes are characters, as far as they are given. */
    StandardDecoder(Charset charset, char[] plain) {
        super(charset, 1, 2);
        this.plain = plain;
    }

    /** Returns the character at a position, {@link StandardTables#ERROR}, or {@link #MORE}, and sets its length if that is not 1. */
    int find(ByteBuffer in, int at, int left) {
        return ERROR;
    }

    @Override
    protected CoderResult decodeLoop(ByteBuffer in, CharBuffer out) {
        while (true) {
            copyPlain(in, out);
            if (!in.hasRemaining() || !out.hasRemaining()) {
                return in.hasRemaining() ? CoderResult.OVERFLOW : CoderResult.UNDERFLOW;
            }
            length = 1;
            int found = find(in, in.position(), in.remaining());
            boolean isUnit = found < Character.MIN_SUPPLEMENTARY_CODE_POINT;
            if (found == MORE) {
                return CoderResult.UNDERFLOW;
            } else if (found == ERROR) {
                return CoderResult.malformedForLength(length);
            } else if (isUnit) {
                out.put((char) found);
            } else if (out.remaining() < 2) {
                return CoderResult.OVERFLOW;
            } else {
                int second = found >>> StandardTables.FIRST_BITS;
                out.put(second == 0 ? Character.highSurrogate(found) : (char) found);
                out.put(second == 0 ? Character.lowSurrogate(found) : (char) second);
            }
            in.position(in.position() + length);
        }
    }

    /** Decodes the single bytes before the first other one. */
    private void copyPlain(ByteBuffer in, CharBuffer out) {
        int from = in.position();
        int to = out.position();
        int most = Math.min(in.remaining(), out.remaining());
        int at = 0;
        for (int next; at < most && (next = in.get(from + at) & 0xff) < plain.length; at++) {
            out.put(to + at, plain[next]);
        }
        in.position(from + at);
        out.position(to + at);
    }

    /** Returns the character of a pair of bytes, of which the second is the last one of some bytes. */
    final int found(int[] pairs, int first, int second, int bytes) {
        int found = StandardTables.get(pairs, first, second);
        length = found == 0 && second < 0x80 ? bytes - 1 : bytes;
        return found == 0 ? ERROR : found;
    }

    /** Java's decoder, which takes an encoded surrogate for one error, and the standard for one per byte. */
    static final class Utf8 extends CharsetDecoder {
        private final CharsetDecoder same = StandardCharsets.UTF_8.newDecoder();

        Utf8(Charset charset) {
            super(charset, 1, 1);
        }

        @Override
        protected CoderResult decodeLoop(ByteBuffer in, CharBuffer out) {
            CoderResult result = same.decode(in, out, false);
            boolean isCut = result.isUnderflow() && in.remaining() == 2;
            boolean mayBeSurrogate = isCut || (result.isMalformed() && result.length() >= 2);
            boolean isSurrogate = mayBeSurrogate
                    && in.get(in.position()) == (byte) 0xED
                    && (in.get(in.position() + 1) & 0xff) >= 0xA0;
            return isSurrogate ? CoderResult.malformedForLength(1) : result;
        }

        @Override
        protected void implReset() {
            same.reset();
        }
    }

    static final class Utf16 extends StandardDecoder {
        private final int firstShift;

        Utf16(Charset charset, int firstShift) {
            super(charset, new char[0]);
            this.firstShift = firstShift;
        }

        @Override
        int find(ByteBuffer in, int at, int left) {
            char unit = left < 2 ? 0 : unit(in, at);
            if (left < 2 || (Character.isHighSurrogate(unit) && left < 4)) {
                return MORE;
            }
            char next = Character.isHighSurrogate(unit) ? unit(in, at + 2) : 0;
            length = Character.isLowSurrogate(next) ? 4 : 2;
            return length == 4 ? Character.toCodePoint(unit, next) : Character.isSurrogate(unit) ? ERROR : unit;
        }

        private char unit(ByteBuffer in, int at) {
            return (char) ((in.get(at) & 0xff) << firstShift | (in.get(at + 1) & 0xff) << (8 - firstShift));
        }
    }

    /** A decoder of ASCII and of pairs of bytes with a lead byte from 0x80 on. An error does not include a byte of ASCII. */
    static class Pairs extends StandardDecoder {
        private final int[] table;

        Pairs(Charset charset, int[] table) {
            super(charset, StandardTables.ASCII);
            this.table = table;
        }

        @Override
        final int find(ByteBuffer in, int at, int left) {
            int alone = StandardTables.alone(table, in.get(at));
            return alone != 0 ? alone : left < 2 ? MORE : find(in, at, in.get(at) & 0xff, in.get(at + 1) & 0xff, left);
        }

        /** Returns the character of two bytes, or more of those that are left. */
        int find(ByteBuffer in, int at, int first, int second, int left) {
            return found(table, first, second, 2);
        }
    }

    static final class EucJp extends Pairs {
        EucJp(Charset charset) {
            super(charset, StandardTables.Japanese.EUC);
        }

        @Override
        int find(ByteBuffer in, int at, int first, int second, int left) {
            if (first != StandardTables.SINGLE_SHIFT_3 || second < 0xA1 || second > 0xFE) {
                return super.find(in, at, first, second, left);
            }
            return left < 3 ? MORE : found(StandardTables.Japanese.SUPPLEMENT, second, in.get(at + 2) & 0xff, 3);
        }
    }

    static final class Gb extends Pairs {
        private final CharsetDecoder java = Charset.forName("GB18030").newDecoder();

        Gb(Charset charset) {
            super(charset, StandardTables.Chinese.GB);
        }

        @Override
        int find(ByteBuffer in, int at, int first, int second, int left) {
            if (!isDigit(second)) {
                return super.find(in, at, first, second, left);
            }
            int third = left < 3 ? 0x81 : in.get(at + 2) & 0xff;
            if (third < 0x81 || third > 0xFE || (left > 3 && !isDigit(in.get(at + 3)))) {
                // Only the first byte.
                return ERROR;
            }
            length = 4;
            return left < 4 ? MORE : StandardTables.gb(java, first, second, third, in.get(at + 3));
        }

        private static boolean isDigit(int next) {
            return next >= '0' && next <= '9';
        }
    }

    static final class Iso2022Jp extends StandardDecoder {
        private static final int ESC = 0x1B;
        /** The ends of escape sequences, at four times the state that they choose. */
        private static final String ESCAPES = "(B  (J  (I  $@$B";

        private static final int ROMAN = 1;
        private static final int KATAKANA = 2;
        private static final int PAIRS = 3;

        private int state;
        /** Whether an escape sequence came last, so that another one is an error. */
        private boolean hasEscaped;
        /** The byte after ESC, if they are the last ones so far; 0 if not. */
        private int unfinished;

        Iso2022Jp(Charset charset) {
            super(charset, new char[0]);
        }

        @Override
        int find(ByteBuffer in, int at, int left) {
            int next = in.get(at);
            int second = left < 2 ? '$' : in.get(at + 1);
            unfinished = 0;
            if (next != ESC) {
                hasEscaped = false;
                return left < 2 && isLead(next) ? MORE : character(next, second);
            }
            boolean mayChoose = second == '$' || second == '(';
            if (mayChoose && left < 3) {
                unfinished = left < 2 ? 0 : second;
                return MORE;
            }
            int chosen = mayChoose ? ESCAPES.indexOf("" + (char) second + (char) in.get(at + 2)) : -1;
            boolean isError = chosen < 0 || hasEscaped;
            hasEscaped = chosen >= 0;
            state = chosen < 0 ? state : Math.min(PAIRS, chosen / 4);
            length = chosen < 0 ? 1 : 3;
            if (isError) {
                return ERROR;
            }
            in.position(at + 3);
            length = 1;
            return left == 3 ? MORE : find(in, at + 3, left - 3);
        }

        private boolean isLead(int next) {
            return state == PAIRS && next >= 0x21 && next <= 0x7E;
        }

        private int character(int next, int second) {
            if (state == PAIRS) {
                boolean isPair = isLead(next) && isLead(second);
                length = isLead(next) && second != ESC ? 2 : 1;
                return isPair ? found(StandardTables.Japanese.EUC, next | 0x80, second | 0x80, 2) : ERROR;
            } else if (state == KATAKANA) {
                return next >= 0x21 && next <= 0x5F ? 0xFF61 - 0x21 + next : ERROR;
            } else if (next < 0 || next == 0x0E || next == 0x0F) {
                return ERROR;
            }
            return state == ROMAN && next == '\\' ? '¥' : state == ROMAN && next == '~' ? '‾' : next;
        }

        /** Decodes the byte after an ESC at the end of the text, which is an error of its own. */
        @Override
        protected CoderResult implFlush(CharBuffer out) {
            if (unfinished != 0 && !out.hasRemaining()) {
                return CoderResult.OVERFLOW;
            } else if (unfinished != 0) {
                out.put(state == PAIRS ? ERROR : (char) character(unfinished, 0));
            }
            implReset();
            return CoderResult.UNDERFLOW;
        }

        @Override
        protected void implReset() {
            state = 0;
            hasEscaped = false;
            unfinished = 0;
        }
    }
}
