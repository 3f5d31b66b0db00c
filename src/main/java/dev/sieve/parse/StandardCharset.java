package dev.sieve.parse;

import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CharsetEncoder;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An encoding of the <a href="https://encoding.spec.whatwg.org/">WHATWG Encoding standard</a>, decoded as the standard
 * says where Java's charset of that name does not: a byte of ASCII that cannot belong to a character is never part of
 * an error, so that a broken character leaves the markup after it. Errors become U+FFFD. Characters are those of Java's
 * charset, but for the few that differ. Queries of URLs are encoded by Java's charset; not at all, if Java has none.
 */
final class StandardCharset extends Charset {
    private static final String LATIN_6 = "\u00A0ĄĒĢĪĨĶ§ĻĐŠŦŽ\u00ADŪŊ°ąēģīĩķ·ļđšŧž―ūŋĀÁÂÃÄÅÆĮČÉĘËĖÍÎÏÐŅŌÓÔÕÖŨØŲÚÛÜÝÞß"
            + "āáâãäåæįčéęëėíîïðņōóôõöũøųúûüýþĸ";
    private static final String LATIN_8 = "\u00A0Ḃḃ£ĊċḊ§Ẁ©ẂḋỲ\u00AD®ŸḞḟĠġṀṁ¶ṖẁṗẃṠỳẄẅṡÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏŴÑÒÓÔÕÖṪØÙÚÛÜÝŶß"
            + "àáâãäåæçèéêëìíîïŵñòóôõöṫøùúûüýŷÿ";

    /** Bytes that Java decodes otherwise, or not: the name of its charset, the byte, the character. */
    private static final Map<String, String> SINGLE =
            Map.of("KOI8-U", "\u00AEў\u00BEЎ", "windows-1255", "\u00CA\u05BA", "x-MacUkraine", "\u00FF€");

    private final @Nullable Charset java;
    private final Function<Charset, CharsetDecoder> decoding;

    private StandardCharset(String name, @Nullable Charset java, Function<Charset, CharsetDecoder> decoding) {
        super("whatwg-" + name, new String[0]);
        this.java = java;
        this.decoding = decoding;
    }

    /** Returns an encoding, by the name of Java's charset with the same characters, or of the encoding where Java has none. */
    static Charset of(String name) {
        Charset java = Charset.isSupported(name) ? Charset.forName(name) : null;
        return switch (name) {
            case "UTF-8" -> new StandardCharset(name, null, StandardDecoder.Utf8::new);
            case "UTF-16LE" -> new StandardCharset(name, null, charset -> new StandardDecoder.Utf16(charset, 0));
            case "UTF-16BE" -> new StandardCharset(name, null, charset -> new StandardDecoder.Utf16(charset, 8));
            case "GB18030" -> new StandardCharset(name, java, StandardDecoder.Gb::new);
            case "Big5-HKSCS" ->
                new StandardCharset(
                        name, java, charset -> new StandardDecoder.Pairs(charset, StandardTables.Chinese.BIG5));
            case "x-windows-949" ->
                new StandardCharset(
                        name, java, charset -> new StandardDecoder.Pairs(charset, StandardTables.Korean.TABLE));
            case "windows-31j" ->
                new StandardCharset(
                        name, java, charset -> new StandardDecoder.Pairs(charset, StandardTables.Japanese.SHIFT));
            case "x-eucJP-Open" -> new StandardCharset(name, java, StandardDecoder.EucJp::new);
            case "x-windows-iso2022jp" -> new StandardCharset(name, java, StandardDecoder.Iso2022Jp::new);
            default -> {
                char[] characters = characters(name, java);
                yield new StandardCharset(name, java, charset -> new StandardDecoder(charset, characters));
            }
        };
    }

    /** Returns the characters of the bytes of an encoding with one byte per character. */
    private static char[] characters(String name, @Nullable Charset java) {
        char[] characters = new char[256];
        for (int i = 0; i < characters.length; i++) {
            char same = java == null ? StandardTables.ERROR : new String(new byte[] {(byte) i}, java).charAt(0);
            // What is not assigned in code pages of Windows is a control character.
            boolean isControl = same == StandardTables.ERROR && i < 0xA0 && (i < 0x80 || !name.startsWith("ISO"));
            characters[i] = isControl || i < 0x80 ? (char) i : same;
        }
        String latin = name.equals("ISO-8859-10") ? LATIN_6 : name.equals("ISO-8859-14") ? LATIN_8 : "";
        for (int i = 0x80; i < 256 && !latin.isEmpty(); i++) {
            characters[i] = i < 0xA0 ? (char) i : latin.charAt(i - 0xA0);
        }
        for (int i = 0x80; i < 256 && name.equals("x-user-defined"); i++) {
            characters[i] = (char) (0xF700 + i);
        }
        String others = SINGLE.getOrDefault(name, "");
        for (int i = 0; i < others.length(); i += 2) {
            characters[others.charAt(i)] = others.charAt(i + 1);
        }
        return characters;
    }

    @Override
    public boolean contains(Charset other) {
        return equals(other);
    }

    @Override
    public boolean canEncode() {
        return java != null && java.canEncode();
    }

    @Override
    public CharsetEncoder newEncoder() {
        if (java == null) {
            throw new UnsupportedOperationException(name());
        }
        return java.newEncoder();
    }

    @Override
    public CharsetDecoder newDecoder() {
        return decoding.apply(this);
    }
}
