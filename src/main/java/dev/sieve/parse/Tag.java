package dev.sieve.parse;

import java.util.Locale;

/** The elements that matter to who reads a document for its links, known by a hash of their names. */
enum Tag {
    /** Has an href. */
    A,
    AREA,
    LINK,
    BASE,
    /** Has a src. */
    FRAME,
    IFRAME(true),
    META,
    /** What is in these is text, up to their own end tag. */
    TITLE(true),
    TEXTAREA(true),
    SCRIPT(true),
    STYLE(true),
    XMP(true),
    NOEMBED(true),
    NOFRAMES(true),
    /** All that follows is text. */
    PLAINTEXT,
    /** Begin another language than HTML. */
    SVG,
    MATH,
    /** HTML again, inside of those. */
    FOREIGNOBJECT,
    DESC,
    MI,
    MO,
    MN,
    MS,
    MTEXT,
    /** Cannot be inside of those, so end them, as dozens of others do, of which these are the most usual. */
    B,
    BLOCKQUOTE,
    BODY,
    BR,
    CENTER,
    CODE,
    DIV,
    DL,
    EM,
    H1,
    H2,
    H3,
    H4,
    HEAD,
    HR,
    I,
    IMG,
    LI,
    OL,
    P,
    PRE,
    SMALL,
    SPAN,
    STRONG,
    TABLE,
    UL,
    OTHER;

    private static final int SLOT_BITS = 9;
    private static final Tag[] SLOTS = new Tag[1 << SLOT_BITS];

    private final boolean isText;
    private final int hash = hash(name());
    private final String lowerCase = name().toLowerCase(Locale.ROOT);

    static {
        for (Tag tag : values()) {
            int slot = slot(tag.hash);
            while (SLOTS[slot] != null) {
                slot = (slot + 1) & (SLOTS.length - 1);
            }
            SLOTS[slot] = tag;
        }
    }

    Tag() {
        this(false);
    }

    Tag(boolean isText) {
        this.isText = isText;
    }

    /** One step of the hash of a name, in which upper and lower case are the same. */
    static int hash(int hash, int letter) {
        return hash * 31 + (letter | 0x20);
    }

    /** The hash of a whole name. */
    static int hash(String name) {
        int hash = 0;
        for (int i = 0; i < name.length(); i++) {
            hash = hash(hash, name.charAt(i));
        }
        return hash;
    }

    private static int slot(int hash) {
        return (hash * 0x9E3779B1) >>> (Integer.SIZE - SLOT_BITS);
    }

    /** The tag whose name has a hash. Another name of the same hash counts as that tag; no document has one by chance. */
    static Tag of(int hash) {
        for (int slot = slot(hash); SLOTS[slot] != null; slot = (slot + 1) & (SLOTS.length - 1)) {
            if (SLOTS[slot].hash == hash) {
                return SLOTS[slot];
            }
        }
        return OTHER;
    }

    /** Whether its content is text up to its own end tag, in which nothing else is a tag. */
    boolean isText() {
        return isText;
    }

    /** Whether it cannot be inside of SVG or MathML and ends them. */
    boolean endsForeign() {
        return (compareTo(B) >= 0 && this != OTHER) || this == META;
    }

    /** Whether there is HTML again in it, inside of SVG or MathML. */
    boolean isIntegrationPoint() {
        return (compareTo(FOREIGNOBJECT) >= 0 && compareTo(MTEXT) <= 0) || this == TITLE;
    }

    /** Its name, in lower case. */
    String lowerCase() {
        return lowerCase;
    }
}
