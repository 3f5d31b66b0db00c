package dev.sieve.demo;

/** The words that URLs and titles on a demo web are made of, each chosen by a hash. */
final class Words {
    private static final String[] FOLDERS = {
        "archive", "articles", "atlas", "blog", "catalogue", "docs", "essays", "events", "gallery", "guides", "help",
        "history", "letters", "library", "maps", "news", "notes", "papers", "people", "recipes", "reviews", "shop",
        "stories", "travel"
    };
    private static final String[] ADJECTIVES = {
        "amber", "autumn", "blue", "bright", "calm", "clear", "cold", "deep", "early", "eastern", "empty", "fallen",
        "gentle", "golden", "green", "hidden", "high", "late", "little", "long", "northern", "old", "open", "pale",
        "quiet", "red", "silver", "slow", "small", "still", "western", "young"
    };
    private static final String[] NOUNS = {
        "bay", "bridge", "brook", "cliff", "cloud", "coast", "field", "forest", "garden", "glade", "harbour", "heath",
        "hill", "island", "lake", "lane", "leaf", "meadow", "mill", "moor", "orchard", "pine", "pond", "rain",
        "ridge", "river", "road", "shore", "stone", "tower", "valley", "wind"
    };

    private Words() {}

    static String folder(long hash) {
        return FOLDERS[Dice.below(FOLDERS.length, hash)];
    }

    static String adjective(long hash) {
        return ADJECTIVES[Dice.below(ADJECTIVES.length, hash)];
    }

    static String noun(long hash) {
        return NOUNS[Dice.below(NOUNS.length, hash)];
    }
}
