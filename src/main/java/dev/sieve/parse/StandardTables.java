package dev.sieve.parse;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;

/**
 * The characters of pairs of bytes: those of Java's charsets, but for the few that differ in the WHATWG Encoding
 * standard. A table has 0 for none, and two characters for few pairs. In place of pairs with 0x80 it has what bytes
 * from 0x80 on are alone: 0 for a lead byte.
 */
final class StandardTables {
    /** How many bits of an entry are the first character, if it has two. */
    static final int FIRST_BITS = 21;

    static final int SINGLE_SHIFT_3 = 0x8F;

    /** The characters of the bytes of ASCII. */
    static final char[] ASCII = new char[0x80];

    static final char ERROR = '\uFFFD';

    private static final int SINGLE_SHIFT_2 = 0x8E;

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

    private StandardTables() {}

    static final class Chinese {
        static final int[] BIG5 = ofJava("Big5-HKSCS");
        static final int[] GB = ofJava("GB18030");

        private Chinese() {}

        static {
            for (int i = 0; i < StandardTables.BIG5.length(); i += 5) {
                int pair = Integer.parseInt(StandardTables.BIG5.substring(i, i + 4), 16);
                int second = pair == 0x8862 || pair == 0x88A3 ? 0x304 : pair == 0x8864 || pair == 0x88A5 ? 0x30C : 0;
                put(BIG5, pair, StandardTables.BIG5.charAt(i + 4) | second << FIRST_BITS);
            }
            for (int i = 0; i <= 0x20; i++) {
                put(BIG5, 0xA3C0 + i, 0x2400 + (i == 0x20 ? 0x21 : i));
            }
            for (int i = 0; i < GB.length; i++) {
                GB[i] = standard(GB[i]);
            }
            GB[0] = '€';
        }
    }

    static final class Korean {
        static final int[] TABLE = ofJava("x-windows-949");

        private Korean() {}

        static {
            for (int i = 0; i < TABLE.length; i++) {
                // Java has characters of users there.
                TABLE[i] = Character.getType(TABLE[i]) == Character.PRIVATE_USE ? 0 : TABLE[i];
            }
        }
    }

    static final class Japanese {
        static final int[] SHIFT = ofJava("windows-31j");
        /** JIS X 0208. */
        static final int[] EUC = new int[SHIFT.length];
        /** JIS X 0212, by the second and the third byte. */
        static final int[] SUPPLEMENT = new int[SHIFT.length];

        private Japanese() {}

        static {
            for (int i = 0x80; i <= 0xFF; i++) {
                boolean isKana = i >= 0xA1 && i <= 0xDF;
                int kana = isKana ? 0xFF61 - 0xA1 + i : 0;
                put(EUC, SINGLE_SHIFT_2 << 8 | i, kana);
                SHIFT[i & 0x7f] = i == 0x80 ? i : i == 0xA0 || i > 0xFC ? ERROR : kana;
                boolean isLead = (i >= 0xA1 && i < 0xFF) || i == SINGLE_SHIFT_2 || i == SINGLE_SHIFT_3;
                EUC[i & 0x7f] = isLead ? 0 : ERROR;
            }
            CharsetDecoder java = Charset.forName("EUC-JP").newDecoder();
            for (int row = 0; row < 94; row++) {
                for (int cell = 0; cell < 94; cell++) {
                    int lead = row / 2 + (row < 62 ? 0x81 : 0xC1);
                    int trail = row % 2 == 1 ? cell + 0x9F : cell + (cell < 63 ? 0x40 : 0x41);
                    int pair = ((row + 0xA1) << 8) | (cell + 0xA1);
                    put(EUC, pair, get(SHIFT, lead, trail));
                    put(SUPPLEMENT, pair, point(java, SINGLE_SHIFT_3, row + 0xA1, cell + 0xA1));
                }
            }
        }
    }

    private static int[] ofJava(String name) {
        int[] table = new int[1 << 15];
        CharsetDecoder java = Charset.forName(name).newDecoder();
        for (int pair = 0x8140; pair < 0xFF00; pair++) {
            put(table, pair, (pair & 0xff) < 0x40 ? 0 : point(java, pair >> 8, pair));
        }
        table[0] = ERROR;
        table[0x7F] = ERROR;
        return table;
    }

    private static void put(int[] table, int pair, int found) {
        table[pair & 0x7fff] = found;
    }

    static int get(int[] table, int lead, int trail) {
        return table[(lead << 8 | trail) & 0x7fff];
    }

    /** Returns what a byte is alone: a character, {@link #ERROR}, or 0 for a lead byte. */
    static int alone(int[] table, byte next) {
        return table[next & 0x7f];
    }

    /** Returns the character of four bytes of GB18030, or {@link #ERROR}; the decoder is Java's. */
    static int gb(CharsetDecoder java, int... bytes) {
        int found = point(java, bytes);
        return found == 0 ? ERROR : standard(found);
    }

    /** Returns the character of the standard for one in Java's GB18030. */
    private static int standard(int found) {
        for (int i = 0; found >= 0xE5E5 && found <= 0xE864 && i < PRIVATE.length(); i += 2) {
            if (PRIVATE.charAt(i) == found) {
                return PRIVATE.charAt(i + 1);
            }
        }
        return found;
    }

    /** Returns the character of some bytes; 0 for none. */
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
}
