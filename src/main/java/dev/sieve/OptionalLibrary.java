package dev.sieve;

/** A library that a part of the project needs, and that a project which embeds the rest does not get, or gets in another version. */
public final class OptionalLibrary {
    private OptionalLibrary() {}

    /**
     * Requires OkHttp, which maps international host names, holds the public suffix list and fetches pages.
     *
     * @throws NoClassDefFoundError when it is not on the class path, or too old
     */
    public static void requireOkHttp() {
        // OkHttp 5.0 and 5.1 throw an exception by mistake after a deadline.
        require("okhttp3.OkHttpClient", "okhttp3.CompressionInterceptor", "com.squareup.okhttp3:okhttp-jvm", "5.2.0");
    }

    /**
     * Requires jsoup, which parses documents.
     *
     * @throws NoClassDefFoundError when it is not on the class path, or too old
     */
    public static void requireJsoup() {
        require("org.jsoup.Jsoup", "org.jsoup.parser.Tag#TextBoundary", "org.jsoup:jsoup", "1.22.2");
    }

    /**
     * Requires a library, so that its absence shows at once and not in the middle of a crawl.
     *
     * @param className one of its classes
     * @param artifact its name in a build: {@code org.jsoup:jsoup}
     * @throws NoClassDefFoundError when it is not on the class path; the message contains the artifact
     */
    public static void require(String className, String artifact) {
        require(className, className, artifact, "");
    }

    private static void require(String className, String marker, String artifact, String version) {
        if (!has(className)) {
            throw new NoClassDefFoundError(
                    className + ": add " + artifact + " to the class path, an optional dependency of dev.sieve:sieve");
        } else if (!has(marker)) {
            throw new NoClassDefFoundError(jar(className) + " on the class path is too old: dev.sieve:sieve requires "
                    + artifact + ":" + version + " or later");
        }
    }

    /** Returns whether there is a class or, after its name and #, a field, which the version before the required one did not have. */
    private static boolean has(String marker) {
        String[] names = marker.split("#", 2);
        try {
            Class<?> found = Class.forName(names[0], false, OptionalLibrary.class.getClassLoader());
            return names.length == 1 || found.getField(names[1]) != null;
        } catch (ClassNotFoundException | NoSuchFieldException e) {
            return false;
        }
    }

    private static String jar(String className) {
        String file = className.replace('.', '/') + ".class";
        String place = String.valueOf(OptionalLibrary.class.getClassLoader().getResource(file));
        return place.replaceFirst("!/.*", "").replaceFirst(".*/", "");
    }
}
