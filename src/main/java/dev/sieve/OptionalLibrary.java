package dev.sieve;

/** A library that a part of the project needs, and that a project which embeds the rest does not get. */
public final class OptionalLibrary {
    private OptionalLibrary() {}

    /**
     * Requires OkHttp, which maps international host names, holds the public suffix list and fetches pages.
     *
     * @throws NoClassDefFoundError when it is not on the class path
     */
    public static void requireOkHttp() {
        require("okhttp3.HttpUrl", "com.squareup.okhttp3:okhttp-jvm");
    }

    /**
     * Requires a library, so that its absence shows at once and not in the middle of a crawl.
     *
     * @param className one of its classes
     * @param artifact its name in a build: {@code org.jsoup:jsoup}
     * @throws NoClassDefFoundError when it is not on the class path; the message contains the artifact
     */
    public static void require(String className, String artifact) {
        try {
            Class.forName(className, false, OptionalLibrary.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            Error missing = new NoClassDefFoundError(
                    className + ": add " + artifact + " to the class path, an optional dependency of dev.sieve:sieve");
            missing.initCause(e);
            throw missing;
        }
    }
}
