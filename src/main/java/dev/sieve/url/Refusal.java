package dev.sieve.url;

/** Why a spelling is no URL that can be fetched. */
public enum Refusal {
    /** Some other scheme than http and https: {@code mailto:}, {@code javascript:}, {@code data:} and the like. */
    OTHER_SCHEME("not http or https"),
    /** No scheme, and nothing to resolve it against. */
    NO_SCHEME("no scheme"),
    /** Longer than {@link UrlNormalizer#MAX_LENGTH}, as written or as it would be fetched. */
    TOO_LONG("longer than " + UrlBuffer.MAX_LENGTH + " characters"),
    /** No host, or one that no name server and no network could know. */
    BAD_HOST("no valid host"),
    /** A port that is no number from 1 to 65535. */
    BAD_PORT("no valid port");

    private final String words;

    Refusal(String words) {
        this.words = words;
    }

    /** The reason in a few words, to follow "refused: ". */
    public String words() {
        return words;
    }
}
