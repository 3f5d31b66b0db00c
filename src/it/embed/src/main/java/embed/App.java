package embed;

import dev.sieve.Sieve;
import dev.sieve.url.UrlNormalizer;

/** Normalises, pushes and pops with nothing on the class path but the sieve and slf4j-api. */
public final class App {
    public static void main(String[] args) {
        UrlNormalizer.Base page = UrlNormalizer.base("HTTP://[::0:127.0.0.1]:80/a/b");
        System.out.println(page.resolve("../c?d#e"));
        try {
            System.out.println(page.resolve("//b\u00fccher.example/"));
        } catch (NoClassDefFoundError e) {
            System.out.println(e.getMessage());
        }
        Sieve sieve = new Sieve(1000);
        boolean first = sieve.push("https://example.org/");
        boolean again = sieve.push("https://example.org/");
        System.out.println(first + " " + again + " " + sieve.pop().orElseThrow() + " "
                + sieve.pop().isPresent());
    }
}
