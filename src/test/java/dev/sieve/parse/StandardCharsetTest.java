package dev.sieve.parse;

import static java.nio.charset.StandardCharsets.UTF_16LE;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.util.List;
import java.util.Objects;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Encodings are decoded as by the decoders of the standard. The checksums are those of an implementation of the standard in JavaScript
 * ({@code @exodus/bytes} of npm): the CRC-32 of what it makes of all bytes or, for encodings with several bytes per character, of each
 * pair of bytes, alone and after some beginnings, followed by a line feed; as UTF-16LE.
 */
class StandardCharsetTest {
    private static Charset charset(String label) {
        return Objects.requireNonNull(CharsetLabels.charset(label));
    }

    private static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }

    /** Beginnings in which a character, an escape sequence or a surrogate is not complete. */
    private static List<byte[]> beginnings(String label) {
        return switch (label) {
            case "iso-2022-jp" ->
                List.of(bytes(), bytes(0x1b, '$'), bytes(0x1b, '$', 'B'), bytes(0x1b, '(', 'J'), bytes(0x1b, '(', 'I'));
            case "euc-jp" -> List.of(bytes(), bytes(0x8f), bytes(0xa4));
            case "gbk", "gb18030" ->
                List.of(bytes(), bytes(0x81), bytes(0x81, 0x30), bytes(0x84, 0x31, 0xa4), bytes(0xe3, 0x32));
            case "utf-8" -> List.of(bytes(), bytes(0xe2), bytes(0xf0), bytes(0xed), bytes(0xf4, 0x8f));
            case "utf-16le", "utf-16be" -> List.of(bytes(), bytes(0xd8), bytes(0x3c, 0xd8), bytes(0xd8, 0x3c));
            default -> List.of(bytes());
        };
    }

    @ParameterizedTest
    @CsvSource({
        "ibm866, 131f4673",
        "iso-8859-2, 7f9be008",
        "iso-8859-3, d1a2f551",
        "iso-8859-4, b577d67a",
        "iso-8859-5, 4458fa5e",
        "iso-8859-6, ec2c203f",
        "iso-8859-7, a0bef70a",
        "iso-8859-8, 2faaa863",
        "iso-8859-8-i, 2faaa863",
        "iso-8859-10, 89868cc",
        "iso-8859-13, 5c6439a4",
        "iso-8859-14, 253dd934",
        "iso-8859-15, 231c9963",
        "iso-8859-16, 851621fc",
        "koi8-r, 23ff1017",
        "koi8-u, c162f4f1",
        "macintosh, bfb53c76",
        "windows-874, 82c97973",
        "windows-1250, 8a0fe903",
        "windows-1251, 22dd8a7",
        "windows-1252, 60ab2be1",
        "windows-1253, 221f65c6",
        "windows-1254, 497bbd92",
        "windows-1255, 2034a143",
        "windows-1256, 8367b5df",
        "windows-1257, cbddeca0",
        "windows-1258, 14153ba4",
        "x-mac-cyrillic, cfb866f5",
        "x-user-defined, ad29fe43",
    })
    void everyByteIsDecodedByTheStandard(String label, String checksum) {
        byte[] all = new byte[256];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        CRC32 crc = new CRC32();
        crc.update(new String(all, charset(label)).getBytes(UTF_16LE));

        assertThat(Long.toHexString(crc.getValue())).isEqualTo(checksum);
    }

    @ParameterizedTest
    @CsvSource({
        "gbk, 422fd9a1",
        "gb18030, 422fd9a1",
        "big5, f8c5c8a9",
        "euc-jp, 48c5a446",
        "iso-2022-jp, 7f19b77f",
        "euc-kr, 21a0daf2",
        "utf-8, 9673e6c6",
        "utf-16le, 533a2a46",
        "utf-16be, a29c7aa",
    })
    @Tag("slow")
    void everyPairOfBytesIsDecodedByTheStandard(String label, String checksum) throws IOException {
        CRC32 crc = new CRC32();
        CharsetDecoder decoder = charset(label)
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPLACE)
                .onUnmappableCharacter(CodingErrorAction.REPLACE);
        for (byte[] beginning : beginnings(label)) {
            ByteBuffer bytes =
                    ByteBuffer.allocate(beginning.length + 2).put(beginning).mark();
            for (int pair = 0; pair < 1 << 16; pair++) {
                bytes.reset().put((byte) (pair >> 8)).put((byte) pair);
                crc.update((decoder.decode(bytes.rewind()) + "\n").getBytes(UTF_16LE));
                bytes.position(beginning.length).mark();
            }
        }

        assertThat(Long.toHexString(crc.getValue())).isEqualTo(checksum);
    }

    /** The checksum is that of their text without line feeds. */
    @Test
    @Tag("slow")
    void allCharactersOfFourBytesAreDecoded() {
        CRC32 crc = new CRC32();
        for (int first = 0x81; first <= 0xfe; first++) {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (int rest = 0; rest < 10 * 126 * 10; rest++) {
                all.writeBytes(bytes(first, '0' + rest / 1260, 0x81 + rest / 10 % 126, '0' + rest % 10));
            }
            crc.update(all.toString(charset("gb18030")).getBytes(UTF_16LE));
        }

        assertThat(Long.toHexString(crc.getValue())).isEqualTo("8748af17");
    }

    @ParameterizedTest
    @ValueSource(strings = {"gbk", "big5", "euc-jp", "shift_jis", "euc-kr", "windows-1251", "utf-8"})
    void aBrokenCharacterLeavesTheMarkupAfterIt(String label) {
        Charset charset = charset(label);
        for (int lead = 0x80; lead < 256; lead++) {
            assertThat(new String(bytes(lead, '<', 'b', '>'), charset))
                    .endsWith("<b>")
                    .hasSizeLessThan(5);
        }
    }

    /** A reader of a stream decodes parts of its buffer, and a parser asks for few characters at a time. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "gbk",
                "big5",
                "euc-jp",
                "iso-2022-jp",
                "shift_jis",
                "euc-kr",
                "windows-1252",
                "utf-8",
                "utf-16be"
            })
    void bordersOfBuffersDoNotMatter(String label) throws IOException {
        byte[] beginning = beginnings(label).get(beginnings(label).size() - 1);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < 20_000; i++) {
            all.writeBytes(beginning);
            all.write(i >> 8);
            all.write(i);
        }
        StringWriter read = new StringWriter();
        try (Reader reader = new InputStreamReader(new ByteArrayInputStream(all.toByteArray()), charset(label))) {
            char[] few = new char[3];
            for (int count = reader.read(few); count >= 0; count = reader.read(few)) {
                read.write(few, 0, count);
            }
        }

        assertThat(read).hasToString(all.toString(charset(label)));
    }
}
