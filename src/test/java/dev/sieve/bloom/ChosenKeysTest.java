package dev.sieve.bloom;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whoever chooses keys and knows everything but the seed does no more harm with them than with any others. */
@Tag("hostile")
class ChosenKeysTest {
    private static final int CAPACITY = 1000;
    private static final double RATE = 0.01;
    private static final long KNOWN_SEED = 1;
    private static final long SECRET_SEED = 0x5ec2e7;
    private static final int HEAD_BYTES = 32;

    private final Random random = new Random(20261121);

    private String url() {
        return "http://evil.test/" + Long.toString(random.nextLong() >>> 1, 36);
    }

    private static BitSet bits(Membership membership) throws IOException {
        ByteArrayOutputStream form = new ByteArrayOutputStream();
        membership.writeTo(form);
        return BitSet.valueOf(Arrays.copyOfRange(form.toByteArray(), HEAD_BYTES, form.size() - Integer.BYTES));
    }

    /** The bits that a key sets in a set of the known seed. */
    private static BitSet bits(byte[] empty, String key) throws IOException {
        Membership one = Memberships.read(new ByteArrayInputStream(empty));
        BitSet before = bits(one);
        one.add(key);
        BitSet bits = bits(one);
        bits.xor(before);
        return bits;
    }

    private static byte[] empty(Kind kind) throws IOException {
        ByteArrayOutputStream form = new ByteArrayOutputStream();
        kind.create(CAPACITY, RATE, KNOWN_SEED).writeTo(form);
        return form.toByteArray();
    }

    /** Of some keys, the one that sets the most bits which are not set yet. */
    private String keyThatSetsMost(byte[] empty, BitSet isSet) throws IOException {
        String best = null;
        int most = -1;
        for (int i = 0; i < 10; i++) {
            String url = url();
            BitSet fresh = bits(empty, url);
            fresh.andNot(isSet);
            if (fresh.cardinality() > most) {
                most = fresh.cardinality();
                best = url;
            }
        }
        isSet.or(bits(empty, best));
        return best;
    }

    private double measuredRate(Membership membership) {
        int probes = 200_000;
        int wrong = 0;
        for (int i = 0; i < probes; i++) {
            wrong += membership.mightContain(url()) ? 1 : 0;
        }
        return (double) wrong / probes;
    }

    @ParameterizedTest
    @EnumSource(names = {"CLASSIC", "SPLIT_BLOCK"})
    void keysChosenToFillASetFillOneOfASecretSeedNoFaster(Kind kind) throws IOException {
        Membership known = kind.create(CAPACITY, RATE, KNOWN_SEED);
        Membership secret = kind.create(CAPACITY, RATE, SECRET_SEED);
        byte[] empty = empty(kind);
        BitSet isSet = new BitSet();
        for (int i = 0; i < CAPACITY; i++) {
            String url = keyThatSetsMost(empty, isSet);
            known.add(url);
            secret.add(url);
        }

        assertThat(measuredRate(known)).isGreaterThan(2 * RATE);
        assertThat(measuredRate(secret)).isLessThan(1.2 * RATE);
    }

    @ParameterizedTest
    @Tag("slow")
    @EnumSource(names = {"CLASSIC", "SPLIT_BLOCK"})
    void chosenKeysHideNoKeyUnderASecretSeed(Kind kind) throws IOException {
        byte[] empty = empty(kind);
        int hidden = 0;
        for (int i = 0; i < 20; i++) {
            String victim = "http://good.test/page" + i;
            BitSet toCover = bits(empty, victim);
            Membership known = kind.create(CAPACITY, RATE, KNOWN_SEED);
            Membership secret = kind.create(CAPACITY, RATE, SECRET_SEED);
            while (!toCover.isEmpty()) {
                String url = url();
                BitSet bits = bits(empty, url);
                if (bits.intersects(toCover)) {
                    toCover.andNot(bits);
                    known.add(url);
                    secret.add(url);
                }
            }
            assertThat(known.mightContain(victim)).isTrue();
            hidden += secret.mightContain(victim) ? 1 : 0;
        }
        assertThat(hidden).isZero();
    }
}
