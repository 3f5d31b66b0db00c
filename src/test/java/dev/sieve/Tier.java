package dev.sieve;

/**
 * How much a test does: little in a usual build, most with {@code -Dsieve.proof=true}. Tests that cannot do less are
 * tagged {@code slow}, and run only with {@code -Pci}.
 */
public final class Tier {
    /** Whether the tests take hours. */
    public static final boolean IS_PROOF = Boolean.getBoolean("sieve.proof");

    private Tier() {}

    /** Returns the first number, or the second one in a proof. */
    public static int of(int usual, int proof) {
        return IS_PROOF ? proof : usual;
    }
}
