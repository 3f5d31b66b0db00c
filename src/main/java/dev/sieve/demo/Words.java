package dev.sieve.demo;

/** The words in the URLs and titles of a demo web. */
final class Words {
    static final String[] FOLDERS = {
        "archive", "articles", "atlas", "blog", "catalogue", "docs", "essays", "events", "gallery", "guides", "help",
        "history", "letters", "library", "maps", "news", "notes", "papers", "people", "recipes", "reviews", "shop",
        "stories", "travel"
    };
    static final String[] ADJECTIVES = {
        "amber", "autumn", "blue", "bright", "calm", "clear", "cold", "deep", "early", "eastern", "empty", "fallen",
        "gentle", "golden", "green", "hidden", "high", "late", "little", "long", "northern", "old", "open", "pale",
        "quiet", "red", "silver", "slow", "small", "still", "western", "young"
    };
    static final String[] NOUNS = {
        "bay", "bridge", "brook", "cliff", "cloud", "coast", "field", "forest", "garden", "glade", "harbour", "heath",
        "hill", "island", "lake", "lane", "leaf", "meadow", "mill", "moor", "orchard", "pine", "pond", "rain",
        "ridge", "river", "road", "shore", "stone", "tower", "valley", "wind"
    };

    private Words() {}

    static String pick(String[] words, long hash) {
        return words[Dice.below(words.length, hash)];
    }
}
