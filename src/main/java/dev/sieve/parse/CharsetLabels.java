package dev.sieve.parse;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The charsets of documents, by the labels of the WHATWG Encoding standard, "Names and labels".
 *
 * <p>A label often stands for a superset of the charset that it names: iso-8859-1 is decoded as windows-1252, gb2312 as
 * GB18030, euc-kr as windows-949. Labels that only Java supports, such as cp037, are refused, as are those that the
 * standard replaces (iso-2022-kr, hz-gb-2312).
 */
final class CharsetLabels {
    /** Each line: a name for {@link StandardCharset#of}, then the labels. */
    private static final String[] GROUPS = {
        "UTF-8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8",
        "IBM866 866 cp866 csibm866 ibm866",
        "ISO-8859-2 csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2",
        "ISO-8859-3 csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3",
        "ISO-8859-4 csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4",
        "ISO-8859-5 csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988",
        "ISO-8859-6 arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e"
                + " iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987",
        "ISO-8859-7 csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7"
                + " iso_8859-7:1987 sun_eu_greek",
        "ISO-8859-8 csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8"
                + " iso_8859-8:1988 visual csiso88598i iso-8859-8-i logical",
        "ISO-8859-10 csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6",
        "ISO-8859-13 iso-8859-13 iso8859-13 iso885913",
        "ISO-8859-14 iso-8859-14 iso8859-14 iso885914",
        "ISO-8859-15 csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9",
        "ISO-8859-16 iso-8859-16",
        "KOI8-R cskoi8r koi koi8 koi8-r koi8_r",
        "KOI8-U koi8-ru koi8-u",
        "x-MacRoman csmacintosh mac macintosh x-mac-roman",
        "x-windows-874 dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874",
        "windows-1250 cp1250 windows-1250 x-cp1250",
        "windows-1251 cp1251 windows-1251 x-cp1251",
        "windows-1252 ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591"
                + " iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252",
        "windows-1253 cp1253 windows-1253 x-cp1253",
        "windows-1254 cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5"
                + " windows-1254 x-cp1254",
        "windows-1255 cp1255 windows-1255 x-cp1255",
        "windows-1256 cp1256 windows-1256 x-cp1256",
        "windows-1257 cp1257 windows-1257 x-cp1257",
        "windows-1258 cp1258 windows-1258 x-cp1258",
        "x-MacUkraine x-mac-cyrillic x-mac-ukrainian",
        "GB18030 chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk gb18030",
        "Big5-HKSCS big5 big5-hkscs cn-big5 csbig5 x-x-big5",
        "x-eucJP-Open cseucpkdfmtjapanese euc-jp x-euc-jp",
        "x-windows-iso2022jp csiso2022jp iso-2022-jp",
        "windows-31j csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis",
        "x-windows-949 cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601"
                + " windows-949",
        "x-user-defined x-user-defined",
        "UTF-16BE unicodefffe utf-16be",
        "UTF-16LE csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le",
    };

    /** Bytes in which the XML declaration is looked for. */
    static final int LONGEST_DECLARATION = 256;

    private static final Pattern XML =
            Pattern.compile("<\\?xml[ \t\r\n][^>]*?[ \t\r\n]encoding[ \t\r\n]*=[ \t\r\n]*[\"'](?<label>[^\"'>]*)[\"']");

    private static final Map<String, Charset> CHARSETS = new HashMap<>();

    private static final Charset USER_DEFINED = StandardCharset.of("x-user-defined");
    static final Charset UTF_8 = StandardCharset.of("UTF-8");
    static final Charset UTF_16BE = StandardCharset.of("UTF-16BE");
    static final Charset UTF_16LE = StandardCharset.of("UTF-16LE");

    static {
        for (String group : GROUPS) {
            String[] words = group.split(" ", -1);
            Charset charset = StandardCharset.of(words[0]);
            for (int i = 1; i < words.length; i++) {
                CHARSETS.put(words[i], charset);
            }
        }
    }

    private CharsetLabels() {}

    /** Returns the charset of a label, in any case and with blanks around it; null when there is none. */
    static @Nullable Charset charset(@Nullable String label) {
        return label == null ? null : CHARSETS.get(label.strip().toLowerCase(Locale.ROOT));
    }

    /** Returns the same for a label in a document, by the HTML standard: UTF-16 was read as ASCII, so it is another one. */
    static @Nullable Charset ofDocument(@Nullable String label) {
        Charset charset = charset(label);
        boolean isUtf16 = UTF_16BE.equals(charset) || UTF_16LE.equals(charset);
        return isUtf16 ? UTF_8 : USER_DEFINED.equals(charset) ? charset("windows-1252") : charset;
    }

    /** Returns the charset in the XML declaration at the beginning of a document; null when none. */
    static @Nullable Charset inXmlDeclaration(byte[] start) {
        int length = Math.min(start.length, LONGEST_DECLARATION);
        Matcher declaration = XML.matcher(new String(start, 0, length, StandardCharsets.ISO_8859_1));
        return declaration.lookingAt() ? ofDocument(declaration.group("label")) : null;
    }

    /** Returns the label in a Content-Type, as extracted by the HTML standard from a meta element; null when none. */
    static @Nullable String inContentType(String value) {
        String lower = value.toLowerCase(Locale.ROOT);
        for (int at = lower.indexOf("charset"); at >= 0; at = lower.indexOf("charset", at)) {
            at += "charset".length();
            String rest = lower.substring(at).stripLeading();
            if (rest.startsWith("=")) {
                String label = rest.substring(1).stripLeading();
                boolean isQuoted = label.startsWith("\"") || label.startsWith("'");
                String ends = isQuoted ? label.substring(0, 1) : "; \t\n\f\r";
                int from = isQuoted ? 1 : 0;
                int to = from;
                while (to < label.length() && ends.indexOf(label.charAt(to)) < 0) {
                    to++;
                }
                return isQuoted && to == label.length() ? null : label.substring(from, to);
            }
        }
        return null;
    }
}
