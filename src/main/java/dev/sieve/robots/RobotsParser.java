package dev.sieve.robots;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Parses a robots.txt line by line, like Google's parser where RFC 9309 leaves room: common misspellings of {@code
 * Disallow} and {@code User-agent} are accepted, so is a missing colon, and a partial byte order mark is skipped.
 *
 * <p>A group begins with a user-agent line that follows a rule; other lines do not end a group. A Crawl-delay applies
 * to the agents named since the last rule or Crawl-delay, for files that give each agent a Crawl-delay but no rules; so
 * does a line of {@link #SIGNALS}, since the last rule or signal.
 */
final class RobotsParser {
    static final int MAX_BYTES = 500 * 1024;
    static final Duration MAX_CRAWL_DELAY = Duration.ofHours(24);
    static final int MAX_SITEMAPS = 1000;
    static final int MAX_SITEMAP_LENGTH = 2048;

    /** Longer lines are cut, as Google does: eight times the longest URL that browsers took. */
    private static final int MAX_LINE = 2083 * 8;

    private static final Set<String> USER_AGENT = Set.of("user-agent", "useragent", "user agent");
    private static final Set<String> DISALLOW =
            Set.of("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw");
    private static final Set<String> CRAWL_DELAY = Set.of("crawl-delay", "crawldelay", "crawl delay");
    private static final Set<String> SITEMAP = Set.of("sitemap", "site-map");
    static final Set<String> SIGNALS =
            Collections.unmodifiableSet(new LinkedHashSet<>(List.of("content-signal", "content-usage")));
    /** How many are kept per group, since each is matched with each URL. */
    private static final int MAX_SIGNALS = 16;

    private static final Pattern SECONDS = Pattern.compile("[0-9]{0,20}\\.?[0-9]{1,20}(?:[eE]\\+?[0-9]{1,3})?");
    private static final Pattern TOKEN_END = Pattern.compile("[^A-Za-z_-]");
    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

    final Set<String> sitemaps = new LinkedHashSet<>();
    int sitemapsLeftOut;

    private final String productToken;
    private final Group own = new Group();
    private final Group anyone = new Group();
    private final List<Group> groups = List.of(own, anyone);
    private boolean ruleSeen;
    private boolean delaySeen;
    private boolean signalSeen;

    /** The records for one agent, collected from all of its groups. */
    static final class Group {
        final List<RuleList.Rule> rules = new ArrayList<>();
        Optional<Duration> crawlDelay = Optional.empty();
        private boolean isNamed;
        private boolean takesRules;
        private boolean takesDelay;
        final List<Signal> signals = new ArrayList<>();
        private boolean takesSignals;

        private void name() {
            isNamed = true;
            takesRules = true;
            takesDelay = true;
            takesSignals = true;
        }
    }

    RobotsParser(byte[] content, String productToken) {
        this.productToken = productToken;
        readLines(inUtf8(Arrays.copyOf(content, usedLength(content))));
    }

    /** The group that applies to the crawler. */
    Group group() {
        return own.isNamed ? own : anyone;
    }

    /** The length up to the last complete line: half of a rule could mean the opposite of the whole rule. */
    private static int usedLength(byte[] content) {
        int end = Math.min(content.length, MAX_BYTES);
        if (end == content.length || isLineEnd(content[end])) {
            return end;
        }
        while (end > 0 && !isLineEnd(content[end - 1])) {
            end--;
        }
        return end;
    }

    private static byte[] inUtf8(byte[] content) {
        int mark = content.length < 2 ? 0 : ((content[0] & 0xff) << 8) | (content[1] & 0xff);
        return mark == 0xfffe || mark == 0xfeff ? new String(content, UTF_16).getBytes(UTF_8) : content;
    }

    private void readLines(byte[] text) {
        int start = 0;
        while (start < BYTE_ORDER_MARK.length && start < text.length && text[start] == BYTE_ORDER_MARK[start]) {
            start++;
        }
        for (int end = start; end <= text.length; end++) {
            if (end == text.length || isLineEnd(text[end])) {
                readLine(new String(text, start, Math.min(end - start, MAX_LINE), ISO_8859_1));
                start = end + 1;
            }
        }
    }

    private static boolean isLineEnd(byte b) {
        return b == '\n' || b == '\r';
    }

    private void readLine(String line) {
        int comment = line.indexOf('#');
        String record = (comment < 0 ? line : line.substring(0, comment)).strip();
        int colon = record.indexOf(':');
        if (colon >= 0) {
            readRecord(
                    record.substring(0, colon).strip(),
                    record.substring(colon + 1).strip());
            return;
        }
        String[] words = record.split("[ \t]+", 3);
        if (words.length == 2) {
            readRecord(words[0], words[1]);
        }
    }

    private void readRecord(String key, String value) {
        String name = key.length() > 16 ? "" : key.toLowerCase(Locale.ROOT);
        if (USER_AGENT.contains(name)) {
            readUserAgent(value);
        } else if (DISALLOW.contains(name)) {
            readRule(value, false);
        } else if (name.equals("allow")) {
            readRule(value, true);
        } else if (CRAWL_DELAY.contains(name)) {
            readCrawlDelay(value);
        } else if (SITEMAP.contains(name) && !value.isEmpty()) {
            readSitemap(value);
        } else if (SIGNALS.contains(name) && !value.isEmpty()) {
            readSignal(name, value);
        }
    }

    private void readSitemap(String value) {
        String sitemap = new String(value.getBytes(ISO_8859_1), UTF_8);
        boolean hasRoom = sitemaps.size() < MAX_SITEMAPS || sitemaps.contains(sitemap);
        if (hasRoom && value.length() <= MAX_SITEMAP_LENGTH) {
            sitemaps.add(sitemap);
        } else {
            sitemapsLeftOut++;
        }
    }

    private void readUserAgent(String value) {
        for (Group group : groups) {
            group.takesRules &= !ruleSeen;
            group.takesDelay &= !ruleSeen && !delaySeen;
            group.takesSignals &= !ruleSeen && !signalSeen;
        }
        ruleSeen = false;
        delaySeen = false;
        signalSeen = false;
        if (value.equals("*") || value.startsWith("* ") || value.startsWith("*\t")) {
            anyone.name();
        } else if (!productToken.isEmpty() && productToken(value).equalsIgnoreCase(productToken)) {
            own.name();
            anyone.rules.clear();
        }
    }

    private void readRule(String value, boolean allow) {
        ruleSeen = true;
        if (value.isEmpty()) {
            return;
        }
        RuleList.Rule rule = new RuleList.Rule(value.getBytes(ISO_8859_1), allow);
        for (Group group : groups) {
            if (group.takesRules && group == group()) {
                group.rules.add(rule);
            }
        }
    }

    private void readSignal(String name, String value) {
        signalSeen = true;
        for (Group group : groups) {
            if (group.takesSignals && group.signals.size() < MAX_SIGNALS) {
                group.signals.add(Signal.of(name, value));
            }
        }
    }

    private void readCrawlDelay(String value) {
        delaySeen = true;
        if (!SECONDS.matcher(value).matches()) {
            return;
        }
        double seconds = Math.min(Double.parseDouble(value), (double) MAX_CRAWL_DELAY.toSeconds());
        Duration delay = Duration.ofMillis((long) Math.ceil(seconds * 1000));
        for (Group group : groups) {
            if (group.takesDelay
                    && group.crawlDelay
                            .filter(known -> known.compareTo(delay) >= 0)
                            .isEmpty()) {
                group.crawlDelay = Optional.of(delay);
            }
        }
    }

    static String productToken(String userAgent) {
        return TOKEN_END.split(userAgent, 2)[0];
    }
}
