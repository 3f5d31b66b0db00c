package dev.sieve.fuzz;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.Tier;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Runs a fuzz target on random and on mutated inputs.
 *
 * <p>In an ordinary build it runs a number of inputs, made from a fixed seed. With the property {@code sieve.proof} it
 * runs for {@code sieve.fuzz.seconds} (Default: 60) with another seed each time, and prints the number of inputs. The
 * property {@code sieve.fuzz.seed} sets the seed. A failure names the seed and the input; an input that has failed is
 * added to the examples of its target.
 *
 * <p>The method {@code fuzzerTestOneInput} of each target also runs under Jazzer, which is guided by coverage: {@code src/fuzz}.
 */
public final class Fuzzer {
    private static final long SECONDS = Long.getLong("sieve.fuzz.seconds", 60);
    private static final int MAX_RANDOM = 64;
    private static final int MAX_MUTATIONS = 6;
    private static final int[] EDGES = {0, 1, 0x7f, 0x80, 0xfe, 0xff, '\n', '\r', '%', '/', '<', '"', ' ', 0xf5};

    private final Random random;
    private final byte[][] examples;

    /** Checks one input; any exception is a finding. */
    public interface Target {
        /** Throws when something promised does not hold. */
        void test(byte[] input) throws Exception;
    }

    private Fuzzer(long seed, byte[][] examples) {
        random = new Random(seed);
        this.examples = examples;
    }

    /** Returns the words of a text, which are on lines of their own or two spaces apart, and others. */
    public static String[] words(String text, String... others) {
        return Stream.concat(Stream.of(text.split(" {2,}|\n", -1)).filter(word -> !word.isEmpty()), Stream.of(others))
                .toArray(String[]::new);
    }

    /** Runs a target on its examples and on inputs made from them, where an example is a text. */
    public static void run(Target target, int inputs, String... examples) {
        run(
                target,
                inputs,
                Arrays.stream(examples).map(text -> text.getBytes(UTF_8)).toArray(byte[][]::new));
    }

    /** Runs a target on its examples and on inputs made from them. */
    public static void run(Target target, int inputs, byte[]... examples) {
        long seed = Long.getLong("sieve.fuzz.seed", Tier.IS_PROOF ? System.nanoTime() : 20_261_121L);
        Fuzzer fuzzer = new Fuzzer(seed, examples);
        for (byte[] example : examples) {
            test(target, example, seed, 0);
        }
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        long count = 0;
        while (Tier.IS_PROOF ? System.nanoTime() < end : count < inputs) {
            count++;
            test(target, fuzzer.input(), seed, count);
        }
        if (Tier.IS_PROOF) {
            String name = target.getClass().getName().replaceFirst("\\$\\$Lambda.*", "");
            System.out.printf("fuzz: %,d inputs in %d s, seed %d, %s%n", count, SECONDS, seed, name);
        }
    }

    private static void test(Target target, byte[] input, long seed, long number) {
        try {
            target.test(input);
        } catch (Exception | AssertionError | StackOverflowError | OutOfMemoryError e) {
            String text = new String(input, UTF_8).replaceAll("[^ -~]", "?");
            throw new AssertionError(
                    "seed " + seed + ", input " + number + ": hex "
                            + HexFormat.of().formatHex(input) + ": " + text,
                    e);
        }
    }

    /**
     * Returns an input as text: if its first byte is even, the rest as UTF-8; otherwise one word of a dictionary for each
     * further byte.
     */
    public static String text(byte[] input, String... dictionary) {
        if (input.length == 0) {
            return "";
        }
        if ((input[0] & 1) == 0) {
            return new String(input, 1, input.length - 1, UTF_8);
        }
        StringBuilder text = new StringBuilder();
        for (int i = 1; i < input.length; i++) {
            text.append(dictionary[(input[i] & 0xff) % dictionary.length]);
        }
        return text.toString();
    }

    private byte[] input() {
        if (examples.length == 0 || random.nextInt(2) == 0) {
            byte[] bytes = new byte[random.nextInt(1 + random.nextInt(MAX_RANDOM))];
            random.nextBytes(bytes);
            return bytes;
        }
        byte[] bytes = example();
        for (int i = random.nextInt(MAX_MUTATIONS); i >= 0; i--) {
            bytes = mutated(bytes);
        }
        return bytes;
    }

    private byte[] example() {
        return examples[random.nextInt(examples.length)].clone();
    }

    private byte[] mutated(byte[] bytes) {
        int at = random.nextInt(bytes.length + 1);
        int to = at + random.nextInt(1 + Math.min(random.nextBoolean() ? 8 : 256, bytes.length - at));
        if (at < bytes.length && random.nextInt(3) > 0) {
            byte[] changed = bytes.clone();
            changed[at] = switch (random.nextInt(3)) {
                case 0 -> (byte) (changed[at] ^ (1 << random.nextInt(8)));
                case 1 -> (byte) EDGES[random.nextInt(EDGES.length)];
                default -> (byte) random.nextInt(256);
            };
            return changed;
        }
        byte[] middle = switch (random.nextInt(5)) {
            case 0 -> new byte[0];
            case 1 -> repeated(Arrays.copyOfRange(bytes, at, to));
            case 2 -> part(example());
            case 3 -> new byte[] {(byte) EDGES[random.nextInt(EDGES.length)]};
            default -> part(bytes);
        };
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(bytes, 0, at);
        out.writeBytes(middle);
        out.write(bytes, to, bytes.length - to);
        return out.toByteArray();
    }

    private byte[] repeated(byte[] part) {
        byte[] repeated = new byte[part.length * (2 + random.nextInt(3))];
        for (int i = 0; i < repeated.length; i++) {
            repeated[i] = part[i % part.length];
        }
        return repeated;
    }

    private byte[] part(byte[] bytes) {
        int from = random.nextInt(bytes.length + 1);
        return Arrays.copyOfRange(bytes, from, from + random.nextInt(bytes.length - from + 1));
    }
}
