package dev.sieve.bench;

import java.util.Locale;

/** All that is measured, in the order of the table. */
public enum Kind {
    /** The whole sieve, given the links of a page at a time. */
    SIEVE_STRINGS("Sieve, batch of Strings", true, Ours.SieveStrings::new),
    /** The whole sieve, given the links of a page at a time as bytes. */
    SIEVE_BYTES("Sieve, batch of bytes", false, Ours.SieveBytes::new),
    /** The whole sieve, given a URL at a time. */
    SIEVE_SINGLE("Sieve, single Strings", true, Ours.SieveSingle::new),
    /** Our filter alone, by batch. */
    FILTER_BYTES("its filter alone, bytes", false, Ours.FilterBytes::new),
    /** Our hash alone. */
    HASH_BYTES("its hash alone, bytes", false, Ours.HashBytes::new),
    /** Guava's BloomFilter. */
    GUAVA("Guava, Strings", true, Peers.Guava::new),
    /** Guava's BloomFilter, fed with bytes. */
    GUAVA_BYTES("Guava, bytes", false, Peers.GuavaBytes::new),
    /** Commons Collections' SimpleBloomFilter. */
    COMMONS("Commons Collections", true, Peers.Commons::new),
    /** fastfilter's BlockedBloom, fed by our hash. */
    FASTFILTER("fastfilter BlockedBloom", true, Peers.FastFilter::new),
    /** The Scala bloom-filter by A. Nikitin. */
    SCALA("bloom-filter (Scala)", true, Peers.Scala::new),
    /** A set of the URLs themselves. */
    HASH_SET("HashSet<String>", true, Peers.Exact::new);

    interface Maker {
        Contender make(long urls, double rate);
    }

    /** More Strings than that do not fit into the memory that a run is given. */
    private static final long MOST_STRINGS = 20_000_000;

    final String title;
    final boolean strings;

    @SuppressWarnings("ImmutableEnumChecker") // constructors do not change
    private final Maker maker;

    Kind(String title, boolean strings, Maker maker) {
        this.title = title;
        this.strings = strings;
        this.maker = maker;
    }

    Contender make(long urls, double rate) {
        return maker.make(urls, rate);
    }

    boolean fits(long urls) {
        return this != HASH_SET || urls <= MOST_STRINGS;
    }

    /** The name that is given on the command line. */
    String option() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
