package dev.sieve.parse;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;

/**
 * A decoder of the <a href="https://encoding.spec.whatwg.org/">WHATWG Encoding standard</a>: it takes one byte after the other, and
 * writes characters and errors for them.
 */
abstract class StandardDecoder extends CharsetDecoder {
    static final char ERROR = '\uFFFD';

    private static final int NONE = -1;
    private static final CharBuffer NOWHERE = CharBuffer.allocate(0);
    private static final char[] ASCII = new char[0x80];

    static {
        for (char c = 0; c < ASCII.length; c++) {
            ASCII[c] = c;
        }
    }

    /** Pairs of bytes in Big5 that Java decodes otherwise, or not: their code and the character, of four the first one of two. */
    private static final String BIG5 =
            "8862Ê8864Ê88a3ê88a5ê8e69箸8e6f簆8e7e糎8eab緒8eb4縝8ecd者8ed0耨8f57菁8f69蒨8f6e萏8fcb覦8fcc覩8ffe起906d都907a銹90dc靜90f1響91bf鼖9244蔃"
                    + "92af兙92b0兛92b1兝92b2兞92c8鍮92d1瑹9447浧94ca禛95d9邗9644靝96ed瀞96fc嬨9b76爁9b78矗9b7b纇9bc6駖9bde釔9bec惞9bf6澶9c42輶9c53侻"
                    + "9c62營9c68鄄9c6b鷰9c77菏9cbc尐9cbd秣9cd0婧9d57輋9d5a筑9dc4拐9ea9恢9eef痹9efd汊9f60鬮9f66鼗9fcb僭9fd8弌a063蠏a077拎a0d5瑨a0df煢"
                    + "a0e4牐a145‧a14e﹑a15a╴a1c2¯a1c3￣a1c5ˍa1e3～a1f2⊕a1f3⊙a1fe／a240＼a241∕a242﹨a244￥a246￠a247￡a3e1€c6cf廴c6d3无c6d5癶c6d7隶"
                    + "c6de〃c6df仝fa5f倩fa66偽fabd包fac5卄fad5卿fb48嘅fbb8婷fbf3幵fbf9廐fc4f彘fc6c悤fcb9撐fce2晴fcf1杞fdb7沜fdb8渝fdbb港fdf1煮fe52猪"
                    + "fe6f瑜feaa瓩fedd砉";

    /** Private characters in Java's tables of GB18030, some of them only of earlier releases, and what the standard has instead. */
    private static final String PRIVATE =
            "\uE5E5\u3000\uE78D\uFE10\uE78E\uFE12\uE78F\uFE11\uE790\uFE13\uE791\uFE14\uE792\uFE15"
                    + "\uE793\uFE16\uE794\uFE17\uE795\uFE18\uE796\uFE19\uE81E\u9FB4\uE826\u9FB5\uE82B\u9FB6\uE82C\u9FB7\uE832\u9FB8"
                    + "\uE843\u9FB9\uE854\u9FBA\uE864\u9FBB";

    /** The characters of single bytes, from 0 on. */
    private final char[] plain;

    /** What was written and had no room in the output. */
    private final StringBuilder written = new StringBuilder();

    private int taken;
    private CharBuffer output = NOWHERE;
    /** The bytes of a character that is not complete. */
    int lead = NONE;

    int second = NONE;
    int third = NONE;

    private StandardDecoder(Charset charset, char[] plain) {
        super(charset, 1, 3);
        this.plain = plain;
    }

    /** Takes a byte that is not a character of its own, or is part of one that has begun. */
    abstract void step(int next);

    /** Takes the end of the text. */
    void end() {
        if (lead != NONE || second != NONE) {
            write(ERROR);
        }
    }

    void restart() {
        lead = NONE;
        second = NONE;
        third = NONE;
    }

    final void write(int codePoint) {
        boolean isUnit = codePoint < Character.MIN_SUPPLEMENTARY_CODE_POINT;
        if (isUnit && written.length() == 0 && output.hasRemaining()) {
            output.put((char) codePoint);
        } else {
            written.appendCodePoint(codePoint);
        }
    }

    @Override
    protected final CoderResult decodeLoop(ByteBuffer in, CharBuffer out) {
        output = out;
        try {
            while (drain(out)) {
                if (lead == NONE) {
                    copyPlain(in, out);
                }
                if (!in.hasRemaining()) {
                    return CoderResult.UNDERFLOW;
                } else if (!out.hasRemaining()) {
                    return CoderResult.OVERFLOW;
                }
                step(in.get() & 0xff);
            }
            return CoderResult.OVERFLOW;
        } finally {
            output = NOWHERE;
        }
    }

    /** Decodes the single bytes before the first other one. */
    private void copyPlain(ByteBuffer in, CharBuffer out) {
        int from = in.position();
        int length = Math.min(in.remaining(), out.remaining());
        int at = 0;
        for (int next; at < length && (next = in.get(from + at) & 0xff) < plain.length; at++) {
            out.put(plain[next]);
        }
        in.position(from + at);
    }

    /** Moves what was written to the output; returns whether all of it had room. */
    private boolean drain(CharBuffer out) {
        while (taken < written.length() && out.hasRemaining()) {
            out.put(written.charAt(taken++));
        }
        boolean isEmpty = taken == written.length();
        if (isEmpty) {
            written.setLength(0);
            taken = 0;
        }
        return isEmpty;
    }

    @Override
    protected final CoderResult implFlush(CharBuffer out) {
        end();
        restart();
        return drain(out) ? CoderResult.UNDERFLOW : CoderResult.OVERFLOW;
    }

    @Override
    protected final void implReset() {
        restart();
        written.setLength(0);
        taken = 0;
    }

    /** Returns the character of some bytes in a charset of Java; 0 for none. */
    private static int point(CharsetDecoder java, int... bytes) {
        ByteBuffer all = ByteBuffer.allocate(bytes.length);
        for (int each : bytes) {
            all.put((byte) each);
        }
        CharBuffer out = CharBuffer.allocate(4);
        boolean isText = java.reset().decode(all.flip(), out, true).isUnderflow();
        String text = isText ? out.flip().toString() : "";
        return !text.isEmpty() && text.codePointCount(0, text.length()) == 1 ? text.codePointAt(0) : 0;
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

    /** A decoder of an encoding with one byte per character. */
    static final class Single extends StandardDecoder {
        Single(Charset charset, char[] characters) {
            super(charset, characters);
        }

        @Override
        void step(int next) {
            throw new IllegalStateException("no character for " + next);
        }
    }

    /** A decoder whose lead is the first byte of a unit, and whose second is a high surrogate. */
    static final class Utf16 extends StandardDecoder {
        private final int firstShift;

        Utf16(Charset charset, int firstShift) {
            super(charset, new char[0]);
            this.firstShift = firstShift;
        }

        @Override
        void step(int next) {
            if (lead == NONE) {
                lead = next;
                return;
            }
            char unit = (char) ((lead << firstShift) | (next << (8 - firstShift)));
            int high = second;
            restart();
            if (high != NONE && Character.isLowSurrogate(unit)) {
                write(Character.toCodePoint((char) high, unit));
                return;
            }
            if (high != NONE) {
                write(ERROR);
            }
            if (Character.isHighSurrogate(unit)) {
                second = unit;
            } else {
                write(Character.isLowSurrogate(unit) ? ERROR : unit);
            }
        }
    }

    /** The characters of pairs of bytes, by Java's decoder: 0 for none. */
    private static final class Table {
        private final int[] points = new int[1 << 15];

        Table(String name) {
            CharsetDecoder decoder = Charset.forName(name).newDecoder();
            for (int pair = 0x8140; pair < 0xFF00; pair++) {
                put(pair, (pair & 0xff) < 0x40 ? 0 : point(decoder, pair >> 8, pair));
            }
        }

        void put(int pair, int point) {
            points[pair & 0x7fff] = point;
        }

        int get(int lead, int trail) {
            return points[(lead << 8 | trail) & 0x7fff];
        }
    }

    /** A decoder of characters with a lead byte from 0x80 on, after which comes at least one other byte. */
    private abstract static class Leading extends StandardDecoder {
        Leading(Charset charset) {
            super(charset, ASCII);
        }

        /** Returns what a byte from 0x80 on is alone: a character, 0 for a lead byte. */
        int alone(int next) {
            return next == 0x80 || next == 0xFF ? ERROR : 0;
        }

        /** Takes the byte after a lead byte. */
        void follow(int before, int next) {
            writeOr(pair(before, next), next);
        }

        /** Returns the character of a pair of bytes; 0 for none. */
        abstract int pair(int before, int next);

        @Override
        final void step(int next) {
            int before = lead;
            lead = NONE;
            if (before != NONE) {
                follow(before, next);
            } else if (next < 0x80) {
                write(next);
            } else if (alone(next) != 0) {
                write(alone(next));
            } else {
                lead = next;
            }
        }

        /** Writes a character, or an error if that is 0, which does not include a byte of ASCII. */
        final void writeOr(int codePoint, int next) {
            write(codePoint == 0 ? ERROR : codePoint);
            if (codePoint == 0 && next < 0x80) {
                write(next);
            }
        }
    }

    static final class Big5 extends Leading {
        private static final Table TABLE = new Table("Big5-HKSCS");

        static {
            for (int i = 0; i < BIG5.length(); i += 5) {
                TABLE.put(Integer.parseInt(BIG5.substring(i, i + 4), 16), BIG5.charAt(i + 4));
            }
            for (int i = 0; i <= 0x20; i++) {
                TABLE.put(0xA3C0 + i, 0x2400 + (i == 0x20 ? 0x21 : i));
            }
        }

        Big5(Charset charset) {
            super(charset);
        }

        @Override
        int pair(int before, int next) {
            return TABLE.get(before, next);
        }

        @Override
        void follow(int before, int next) {
            super.follow(before, next);
            int pair = before << 8 | next;
            if (pair == 0x8862 || pair == 0x88A3) {
                write(0x304);
            } else if (pair == 0x8864 || pair == 0x88A5) {
                write(0x30C);
            }
        }
    }

    static final class Korean extends Leading {
        private static final Table TABLE = new Table("x-windows-949");

        Korean(Charset charset) {
            super(charset);
        }

        @Override
        int pair(int before, int next) {
            int point = TABLE.get(before, next);
            // Java has characters of users there.
            return Character.getType(point) == Character.PRIVATE_USE ? 0 : point;
        }
    }

    static final class ShiftJis extends Leading {
        private static final Table TABLE = new Table("windows-31j");

        ShiftJis(Charset charset) {
            super(charset);
        }

        @Override
        int alone(int next) {
            return next == 0x80
                    ? next
                    : next >= 0xA1 && next <= 0xDF ? 0xFF61 - 0xA1 + next : next == 0xA0 || next > 0xFC ? ERROR : 0;
        }

        @Override
        int pair(int before, int next) {
            return TABLE.get(before, next);
        }

        /** Returns the character in a row and cell of JIS X 0208, from 0; 0 for none. */
        static int jis(int row, int cell) {
            if (row < 0 || row > 93 || cell < 0 || cell > 93) {
                return 0;
            }
            int lead = row / 2 + (row < 62 ? 0x81 : 0xC1);
            int trail = row % 2 == 1 ? cell + 0x9F : cell + (cell < 63 ? 0x40 : 0x41);
            return TABLE.get(lead, trail);
        }
    }

    static final class EucJp extends Leading {
        private static final int SINGLE_SHIFT_2 = 0x8E;
        private static final int SINGLE_SHIFT_3 = 0x8F;

        /** For the supplement, JIS X 0212. */
        private final CharsetDecoder supplement = Charset.forName("EUC-JP").newDecoder();

        EucJp(Charset charset) {
            super(charset);
        }

        @Override
        int alone(int next) {
            return next == SINGLE_SHIFT_2 || next == SINGLE_SHIFT_3 || (next >= 0xA1 && next <= 0xFE) ? 0 : ERROR;
        }

        @Override
        int pair(int before, int next) {
            return before == SINGLE_SHIFT_3
                    ? 0
                    : before != SINGLE_SHIFT_2
                            ? ShiftJis.jis(before - 0xA1, next - 0xA1)
                            : next >= 0xA1 && next <= 0xDF ? 0xFF61 - 0xA1 + next : 0;
        }

        @Override
        void follow(int before, int next) {
            int middle = second;
            second = NONE;
            if (middle != NONE) {
                writeOr(next < 0xA1 ? 0 : point(supplement, SINGLE_SHIFT_3, middle, next), next);
            } else if (before == SINGLE_SHIFT_3 && next >= 0xA1 && next <= 0xFE) {
                lead = before;
                second = next;
            } else {
                super.follow(before, next);
            }
        }
    }

    static final class Gb extends Leading {
        private static final Table TABLE = new Table("GB18030");

        private final CharsetDecoder four = Charset.forName("GB18030").newDecoder();

        Gb(Charset charset) {
            super(charset);
        }

        @Override
        int alone(int next) {
            return next == 0x80 ? '€' : super.alone(next);
        }

        @Override
        int pair(int before, int next) {
            return standard(TABLE.get(before, next));
        }

        @Override
        void follow(int before, int next) {
            boolean isDigit = next >= '0' && next <= '9';
            int digit = second;
            int middle = third;
            restart();
            if (digit == NONE && !isDigit) {
                super.follow(before, next);
            } else if (digit == NONE || (middle == NONE && next >= 0x81 && next <= 0xFE)) {
                lead = before;
                second = digit == NONE ? next : digit;
                third = digit == NONE ? NONE : next;
            } else if (middle != NONE && isDigit) {
                int point = point(four, before, digit, middle, next);
                write(point == 0 ? ERROR : standard(point));
            } else {
                // Only the first byte is an error.
                write(ERROR);
                step(digit);
                if (middle != NONE) {
                    step(middle);
                }
                step(next);
            }
        }

        /** Returns the character of the standard for one of Java. */
        private static int standard(int point) {
            for (int i = 0; point >= 0xE5E5 && point <= 0xE864 && i < PRIVATE.length(); i += 2) {
                if (PRIVATE.charAt(i) == point) {
                    return PRIVATE.charAt(i + 1);
                }
            }
            return point;
        }
    }

    static final class Iso2022Jp extends StandardDecoder {
        private static final int ESC = 0x1B;

        private enum State {
            ASCII,
            ROMAN,
            KATAKANA,
            PAIRS
        }

        private State state = State.ASCII;
        /** 0 outside of an escape sequence, ESC after that, then the second byte. */
        private int escape;
        /** Whether an escape sequence came last, so that another one is an error. */
        private boolean hasEscaped;

        Iso2022Jp(Charset charset) {
            super(charset, new char[0]);
        }

        @Override
        void step(int next) {
            if (escape == ESC && (next == '$' || next == '(')) {
                escape = next;
            } else if (escape == ESC) {
                fail(next);
            } else if (escape != 0) {
                choose(escape, next);
            } else if (next == ESC) {
                if (lead != NONE) {
                    write(ERROR);
                }
                lead = NONE;
                escape = ESC;
            } else {
                hasEscaped = false;
                character(next);
            }
        }

        private void choose(int second, int last) {
            int index = "(B(J(I$@$B".indexOf("" + (char) second + (char) last);
            if (index < 0) {
                fail(second, last);
                return;
            }
            state = State.values()[Math.min(3, index / 2)];
            escape = 0;
            if (hasEscaped) {
                write(ERROR);
            }
            hasEscaped = true;
        }

        /** ESC is an error, and what comes after it is not an escape sequence. */
        private void fail(int... rest) {
            escape = 0;
            hasEscaped = false;
            write(ERROR);
            for (int each : rest) {
                step(each);
            }
        }

        private void character(int next) {
            boolean isPrintable = next >= 0x21 && next <= 0x7E;
            if (state == State.PAIRS && lead == NONE && isPrintable) {
                lead = next;
            } else if (state == State.PAIRS) {
                int point = lead == NONE || !isPrintable ? 0 : ShiftJis.jis(lead - 0x21, next - 0x21);
                lead = NONE;
                write(point == 0 ? ERROR : point);
            } else if (state == State.KATAKANA) {
                write(next >= 0x21 && next <= 0x5F ? 0xFF61 - 0x21 + next : ERROR);
            } else if (next >= 0x80 || next == 0x0E || next == 0x0F) {
                write(ERROR);
            } else {
                boolean isRoman = state == State.ROMAN;
                write(isRoman && next == '\\' ? '¥' : isRoman && next == '~' ? '‾' : next);
            }
        }

        @Override
        void end() {
            if (escape > ESC) {
                fail(escape);
            } else if (escape == ESC) {
                write(ERROR);
            }
            super.end();
        }

        @Override
        void restart() {
            super.restart();
            state = State.ASCII;
            escape = 0;
            hasEscaped = false;
        }
    }
}
