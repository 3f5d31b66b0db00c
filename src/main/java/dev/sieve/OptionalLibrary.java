package dev.sieve;

/** A library that only the crawler needs, so that projects which embed a frontier do not get it. */
public final class OptionalLibrary {
    private OptionalLibrary() {}

    /**
     * Requires OkHttp, without which international host names and IPv6 addresses cannot be read, nor pages fetched.
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
