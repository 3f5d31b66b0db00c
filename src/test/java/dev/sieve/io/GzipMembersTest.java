package dev.sieve.io;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GzipMembersTest {
    private static byte[] member(String text) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(text.getBytes(ISO_8859_1));
        }
        return out.toByteArray();
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Arrays.stream(parts).forEach(out::writeBytes);
        return out.toByteArray();
    }

    private static GzipMembers open(boolean isJoined, int bufferBytes, byte[]... parts) {
        return new GzipMembers(new ByteArrayInputStream(join(parts)), isJoined, bufferBytes);
    }

    private static String read(GzipMembers members) throws IOException {
        return new String(members.readAllBytes(), ISO_8859_1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 18, 4096})
    void membersAreJoined(int bufferBytes) throws IOException {
        byte[] named =
                join(new byte[] {0x1f, (byte) 0x8b, 8, 2 + 4 + 8 + 16, 0, 0, 0, 0, 0, 0, 1, 0, 'x', 'n', 0, 'c', 0});
        byte[] rest = member("c");
        byte[] all = join(named, new byte[] {0, 0}, Arrays.copyOfRange(rest, 10, rest.length));

        assertThat(read(open(true, bufferBytes, member("a"), member(""), member("b"), all)))
                .isEqualTo("abc");
    }

    @Test
    void manyEmptyMembersAreRead() throws IOException {
        byte[] empty = member("");
        byte[] many = new byte[empty.length * 100_000];
        for (int i = 0; i < many.length; i++) {
            many[i] = empty[i % empty.length];
        }

        assertThat(read(open(true, 4096, many, member("end")))).isEqualTo("end");
    }

    @Test
    void otherBytesAfterAMemberAreIgnored() throws IOException {
        byte[] broken = {0x1f, (byte) 0x8b, 7};

        assertThat(read(open(true, 64, member("a"), new byte[40]))).isEqualTo("a");
        assertThat(read(open(true, 64, member("a"), broken))).isEqualTo("a");
        assertThat(read(open(true, 64, member("a"), new byte[] {0x1f}))).isEqualTo("a");
    }

    @Test
    void eachMemberEndsAndSaysWhereItBegan() throws IOException {
        byte[] first = member("first");
        byte[] second = member("second");
        List<String> read = new ArrayList<>();
        try (GzipMembers members = open(false, 16, first, second, member("third"))) {
            while (members.next()) {
                read.add(members.start() + (read.size() == 1 ? "" : " " + read(members)));
            }
        }

        assertThat(read).containsExactly("0 first", "" + first.length, first.length + second.length + " third");
    }

    @Test
    void damageIsAnError() throws IOException {
        byte[] wrong = member("content");
        wrong[wrong.length - 6] ^= 1;
        byte[] cut = Arrays.copyOf(member("content"), 14);

        assertThatThrownBy(() -> read(open(true, 64, wrong))).isInstanceOf(ZipException.class);
        assertThatThrownBy(() -> read(open(true, 64, cut))).isInstanceOf(EOFException.class);
        assertThatThrownBy(() -> read(open(true, 64, new byte[] {0x1f, (byte) 0x8b, 9, 0, 0, 0, 0, 0, 0, 0})))
                .isInstanceOf(ZipException.class);
    }
}
