package dev.sieve.parse;

/** What a resource must be. One that is used in several ways is of the last of these. */
public enum Resource {
    /** Anything: it is embedded, and may be an HTML document. */
    ANY,
    /** Not an HTML document, but an image, a script or another file. */
    FILE,
    /** A style sheet, which may name further resources. */
    STYLE_SHEET;

    Resource stricter(Resource other) {
        return compareTo(other) < 0 ? other : this;
    }
}
