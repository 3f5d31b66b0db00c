package dev.sieve.durable;

import java.util.OptionalInt;

/** Names of files that end in a number of eight digits. */
final class Numbered {
    private static final int DIGITS = 8;

    private Numbered() {}

    /** The number at the end of a name; empty when it is no such name. */
    static OptionalInt parse(String prefix, String name) {
        if (!name.startsWith(prefix) || name.length() != prefix.length() + DIGITS) {
            return OptionalInt.empty();
        }
        int number = 0;
        for (int i = prefix.length(); i < name.length(); i++) {
            int digit = name.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return OptionalInt.empty();
            }
            number = number * 10 + digit;
        }
        return number == 0 ? OptionalInt.empty() : OptionalInt.of(number);
    }
}
