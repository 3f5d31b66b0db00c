package dev.sieve;

/**
 * How much a test does: little in the minutes of {@code mvn verify}, more with {@code -Pci}, and most with
 * {@code -Dsieve.proof=true}. Tests that cannot do less are tagged {@code slow}, and run only with {@code -Pci}.
 */
public final class Tier {
    /** Whether the tests take hours. */
    public static final boolean IS_PROOF = Boolean.getBoolean("sieve.proof");

    private static final boolean IS_CI = Boolean.getBoolean("sieve.ci");

    private Tier() {}

    /** Returns the first number, the second in continuous integration, or the third in a proof. */
    public static int of(int verify, int ci, int proof) {
        if (IS_PROOF) {
            return proof;
        }
        return IS_CI ? ci : verify;
    }

    /** Returns the first number, or the second one in a proof. */
    public static int of(int usual, int proof) {
        return of(usual, usual, proof);
    }
}
