package dev.sieve.url;

/** The reason why a text is not a URL that can be fetched. */
public enum Refusal {
    /** A scheme other than http and https: {@code mailto:}, {@code javascript:}, {@code data:} and others. */
    OTHER_SCHEME("not http or https"),
    /** A relative reference without a base. */
    NO_SCHEME("no scheme"),
    /** Longer than {@link UrlNormalizer#MAX_LENGTH}, as written or as it would be fetched. */
    TOO_LONG("longer than " + UrlBuffer.MAX_LENGTH + " characters"),
    /** A missing host, or one that cannot exist. */
    BAD_HOST("no valid host"),
    /** A port that is not a number from 1 to 65535. */
    BAD_PORT("no valid port");

    private final String words;

    Refusal(String words) {
        this.words = words;
    }

    /** Returns the reason in a few words. */
    public String words() {
        return words;
    }
}
