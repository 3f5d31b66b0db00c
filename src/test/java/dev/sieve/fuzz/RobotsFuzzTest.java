package dev.sieve.fuzz;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sieve.robots.RobotsRules;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Any file yields rules of bounded size, and rules match as a direct reading of RFC 9309 does. */
@Tag("hostile")
public class RobotsFuzzTest {
    private static final String[] LINES = {
        "User-agent: *\n",
        "user-agent:sieve\n",
        "User-agent: other\n",
        "Disallow: /a\n",
        "Allow: /a*b$\n",
        "Disallow:\n",
        "Disallow: /",
        "Allow: /",
        "\n",
        "\r\n",
        "\r",
        "#",
        " ",
        ":",
        "*",
        "$",
        "%41",
        "%c3%A9",
        "é",
        "Crawl-delay: ",
        "1",
        "1e9\n",
        ".5\n",
        "Sitemap: ",
        "http://h/s.xml\n",
        "\ufeff",
        "\0",
        "Disallow /x\n",
        "a",
        "b",
        "x".repeat(3000)
    };
    private static final String[] PATHS = {
        "/", "a", "b", "aa", "ab", "*", "$", "?", "%61", "%c3%a9", "%C3", "%2f", "%7c", "~", "%7E", "|", "'", "é", "%",
        ".", "="
    };

    @Test
    void everyFileIsRead() {
        Fuzzer.run(
                RobotsFuzzTest::fuzzerTestOneInput,
                2_400,
                "0User-agent: *\nDisallow: /a\nAllow: /a*b$\nCrawl-delay: 1.5\nSitemap: http://h/s.xml\n",
                "0User-agent: sieve\nUser-agent: other\nCrawl-delay: 3\nUser-agent: *\nDisallow: /\n");
    }

    @Test
    void rulesMatchAsTheStandardSays() {
        Fuzzer.run(MatchTarget::fuzzerTestOneInput, 8_000, "aab");
    }

    public static void fuzzerTestOneInput(byte[] input) {
        byte[] file = Fuzzer.text(input, LINES).getBytes(UTF_8);
        RobotsRules rules = RobotsRules.parse(file, "sieve");
        for (String path : List.of("/", "/a", "/aab", "/%C3%A9?x=%61", "http://h/a#b", "", "%")) {
            rules.allows(path);
        }
        check(rules.memoryBytes() <= 1000 + 200L * file.length, "bytes: " + rules.memoryBytes(), file);
        check(rules.sitemaps().size() <= 1000, "sitemaps", file);
        check(
                rules.crawlDelay().stream()
                        .noneMatch(d -> d.isNegative() || d.compareTo(RobotsRules.MAX_CRAWL_DELAY) > 0),
                "delay",
                file);
    }

    /** Rules and a path from the input, the same for all crawlers. */
    public static final class MatchTarget {
        private MatchTarget() {}

        public static void fuzzerTestOneInput(byte[] input) {
            String[] words = Fuzzer.text(odd(input), WORDS).split("\n", -1);
            String path = words[words.length - 1].replaceAll("[*$]", "");
            List<String> rules = Arrays.asList(words).subList(0, words.length - 1);
            StringBuilder file = new StringBuilder("User-agent: *\n");
            rules.forEach(rule -> file.append(rule.startsWith("+") ? "Allow: /" : "Disallow: /")
                    .append(rule.substring(Math.min(1, rule.length())))
                    .append('\n'));
            byte[] bytes = file.toString().getBytes(UTF_8);
            boolean actual = RobotsRules.parse(bytes, "sieve").allows("/" + path);
            boolean expected = allows(rules, path, false) && allows(rules, path, true);
            check(actual == expected, "expected " + expected + " for /" + path, bytes);
        }

        private static final String[] WORDS = words();

        private static String[] words() {
            String[] words = Arrays.copyOf(PATHS, PATHS.length + 4);
            words[PATHS.length] = "\n+";
            words[PATHS.length + 1] = "\n-";
            words[PATHS.length + 2] = "\n+";
            words[PATHS.length + 3] = "\n-";
            return words;
        }

        private static byte[] odd(byte[] input) {
            byte[] odd = new byte[input.length + 1];
            odd[0] = 1;
            System.arraycopy(input, 0, odd, 1, input.length);
            return odd;
        }

        /** The longest rule that matches applies, Allow if two are equally long. */
        private static boolean allows(List<String> rules, String path, boolean isDecoded) {
            int longest = -1;
            boolean allow = true;
            String spelledPath = spell("/" + path, false, isDecoded);
            for (String rule : rules) {
                String pattern =
                        spell("/" + rule.substring(Math.min(1, rule.length())).strip(), true, isDecoded);
                boolean isAllow = rule.startsWith("+");
                if (matches(pattern, spelledPath)
                        && (pattern.length() > longest || (pattern.length() == longest && isAllow))) {
                    longest = pattern.length();
                    allow = isAllow;
                }
            }
            return allow;
        }

        private static boolean matches(String pattern, String path) {
            if (pattern.isEmpty()) {
                return true;
            }
            if (pattern.equals("$")) {
                return path.isEmpty();
            }
            if (pattern.charAt(0) == '*') {
                return matches(pattern.substring(1), path) || (!path.isEmpty() && matches(pattern, path.substring(1)));
            }
            return !path.isEmpty()
                    && (pattern.charAt(0) == path.charAt(0)
                            || (pattern.charAt(0) == WHOLE && "%\1".indexOf(path.charAt(0)) >= 0))
                    && matches(pattern.substring(1), path.substring(1));
        }

        /** The percent sign of a whole escape in a rule; that of an incomplete one matches only what is sent. */
        private static final char WHOLE = '\2';

        /**
         * Escapes in upper case; what a URL must escape is escaped, in a path with another percent sign; unreserved characters
         * are decoded if required.
         */
        private static String spell(String text, boolean isRule, boolean isDecoded) {
            StringBuilder spelled = new StringBuilder();
            String bytes = new String(text.getBytes(UTF_8), ISO_8859_1);
            for (int i = 0; i < bytes.length(); i++) {
                char c = bytes.charAt(i);
                if (bytes.substring(i).matches("(?s)%[0-9A-Fa-f]{2}.*")) {
                    char decoded = (char) Integer.parseInt(bytes.substring(i + 1, i + 3), 16);
                    boolean isUnreserved = String.valueOf(decoded).matches("[A-Za-z0-9._~-]");
                    spelled.append(
                            isDecoded && isUnreserved
                                    ? String.valueOf(decoded)
                                    : String.format("%c%02X", isRule ? WHOLE : '%', (int) decoded));
                    i += 2;
                } else if ((c >= 0x80 && isRule) || " \"<>^`{}|'".indexOf(c) >= 0) {
                    spelled.append(String.format("%c%02X", isRule ? WHOLE : '\1', (int) c));
                } else {
                    spelled.append(c);
                }
            }
            return spelled.toString();
        }
    }

    private static void check(boolean holds, String what, byte[] file) {
        if (!holds) {
            throw new AssertionError(what + ": " + new String(file, ISO_8859_1));
        }
    }
}
