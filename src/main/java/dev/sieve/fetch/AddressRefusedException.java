package dev.sieve.fetch;

import java.net.UnknownHostException;

/** Says that a host has no address that may be asked; of a type that a look-up may throw. */
final class AddressRefusedException extends UnknownHostException {
    private static final long serialVersionUID = 1;

    AddressRefusedException(String objection) {
        super(objection);
    }

    /** The refusal that is behind a failure; null when there is none. */
    static AddressRefusedException behind(Throwable failure) {
        // A chain of causes may be made to run in a circle.
        Throwable cause = failure;
        for (int i = 0; i < 10 && cause != null; i++) {
            if (cause instanceof AddressRefusedException refused) {
                return refused;
            }
            cause = cause.getCause();
        }
        return null;
    }
}
