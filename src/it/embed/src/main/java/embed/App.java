package embed;

import dev.sieve.Sieve;

/** Pushes and pops with nothing on the class path but the sieve and slf4j-api. */
public final class App {
    public static void main(String[] args) {
        Sieve sieve = new Sieve(1000);
        boolean first = sieve.push("https://example.org/");
        boolean again = sieve.push("https://example.org/");
        System.out.println(first + " " + again + " " + sieve.pop().orElseThrow() + " "
                + sieve.pop().isPresent());
    }
}
