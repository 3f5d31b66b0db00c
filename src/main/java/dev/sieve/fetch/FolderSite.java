package dev.sieve.fetch;

import dev.sieve.url.UrlNormalizer;
import dev.sieve.url.UrlParts;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URLConnection;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/**
 * The files of a folder as a site: they are the responses to all requests for the origin {@value #ORIGIN}, or for the
 * URLs below that of the site for which they were built, of which none is sent.
 *
 * <p>A path that ends with a slash is the file {@code index.html} of its folder; that of a folder without the slash
 * redirects, as does the other one of http and https. Folders are not listed, queries do not matter, and nothing
 * outside of the folder is read, also by a symbolic link. Safe for use by many threads.
 */
public final class FolderSite implements LocalSource {
    /** The origin of the files. */
    public static final String ORIGIN = "http://localhost";

    private static final String INDEX = "index.html";

    /** Types that matter to a crawl, by the extensions of names; the others are those of the JDK. */
    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html",
            "htm", "text/html",
            "xhtml", "application/xhtml+xml",
            "css", "text/css",
            "js", "text/javascript",
            "mjs", "text/javascript",
            "xml", "application/xml",
            "svg", "image/svg+xml",
            "webp", "image/webp",
            "json", "application/json");

    private final Path named;
    private final Path folder;
    private final HttpUrl base;
    private final boolean hasCleanUrls;

    /**
     * Opens a folder.
     *
     * @param url where the folder is, such as {@code https://example.org/project/}
     * @param hasCleanUrls whether a path without a file is that of the file with {@code .html} after it
     * @throws IllegalArgumentException when the URL is not one of a folder; the message does not repeat it
     * @throws IOException when the folder cannot be read, or has no index.html
     */
    public FolderSite(Path folder, String url, boolean hasCleanUrls) throws IOException {
        String parsed = UrlNormalizer.parse(url);
        if (parsed == null || !parsed.endsWith("/") || !url.matches("[^?#@]+")) {
            throw new IllegalArgumentException(
                    "url must be http or https, end with a slash, and have no user or query");
        }
        named = folder;
        this.folder = folder.toRealPath();
        this.hasCleanUrls = hasCleanUrls;
        base = HttpUrl.get(parsed);
        if (file(url()) == null) {
            throw new IOException("no file " + INDEX + " in " + folder);
        }
    }

    public String url() {
        return base.toString();
    }

    /**
     * Returns whether a URL belongs to the folder: any URL of the origin {@value #ORIGIN}, if that is its site;
     * otherwise those below its URL.
     */
    @Override
    public boolean has(String url) {
        if (UrlParts.origin(url()).equals(ORIGIN)) {
            return UrlParts.origin(url).equals(ORIGIN);
        }
        String place = UrlParts.hostAndPort(url) + UrlParts.pathAndQuery(url);
        String own = UrlParts.hostAndPort(url()) + base.encodedPath();
        boolean isDefaultPort = base.port() == HttpUrl.defaultPort(base.scheme());
        return (place.startsWith(own) || (place + "/").equals(own)) && (isDefaultPort || hasScheme(url));
    }

    private boolean hasScheme(String url) {
        return url.startsWith(base.scheme() + ":");
    }

    /** Returns the file of a URL, in the folder as it was named; null when there is none. */
    public @Nullable Path file(String url) {
        HttpUrl parsed = HttpUrl.parse(url);
        Path path = parsed == null || !has(parsed.toString()) ? null : path(parsed);
        Path found = path == null ? null : inside(path);
        return path != null && found != null && Files.isRegularFile(found)
                ? named.resolve(folder.relativize(path))
                : null;
    }

    /** Returns where the file of a URL would be; null for a URL that cannot have one. */
    private @Nullable Path path(HttpUrl url) {
        String path = url.encodedPath();
        if (!path.startsWith(base.encodedPath())) {
            return null;
        }
        Path found = folder;
        for (String segment : url.pathSegments()
                .subList(base.pathSegments().size() - 1, url.pathSegments().size())) {
            try {
                Path next = found.resolve(segment);
                boolean isName = !segment.equals("..") && found.equals(next.getParent());
                if (!isName && !segment.isEmpty()) {
                    return null;
                }
                found = next;
            } catch (InvalidPathException e) {
                // Such as a character that names of files cannot have in the locale of the process.
                return null;
            }
        }
        if (path.endsWith("/")) {
            return found.resolve(INDEX);
        }
        Path html = found.resolveSibling(found.getFileName() + ".html");
        return hasCleanUrls && !Files.isRegularFile(found) && Files.isRegularFile(html) ? html : found;
    }

    /** Returns where a path really is; null when that is not in the folder, or there is nothing. */
    private @Nullable Path inside(Path path) {
        try {
            Path real = path.toRealPath();
            return real.startsWith(folder) ? real : null;
        } catch (IOException e) {
            return null;
        }
    }

    @Override
    public Response respond(String request) throws IOException {
        HttpUrl url = HttpUrl.get(request);
        if (!hasScheme(request)) {
            return moved(url.newBuilder().scheme(base.scheme()).build());
        } else if ((url.encodedPath() + "/").equals(base.encodedPath())) {
            return moved(url.newBuilder().addPathSegment("").build());
        }
        Path path = path(url);
        Path found = path == null ? null : inside(path);
        if (found != null && Files.isRegularFile(found)) {
            Map<String, List<String>> headers = Map.of("content-type", List.of(type(found)));
            return new Response(HttpURLConnection.HTTP_OK, headers, Files.newInputStream(found), Files.size(found));
        } else if (found != null
                && Files.isDirectory(found)
                && !url.encodedPath().endsWith("/")) {
            return moved(url.newBuilder().addPathSegment("").build());
        }
        if (found == null && path != null && Files.exists(path)) {
            throw new AccessDeniedException(path.toString(), null, "a symbolic link leads out of the folder");
        }
        return new Response(HttpURLConnection.HTTP_NOT_FOUND, Map.of());
    }

    private static Response moved(HttpUrl target) {
        return new Response(HttpURLConnection.HTTP_MOVED_PERM, Map.of("location", List.of(target.toString())));
    }

    private static String type(Path file) {
        String name = String.valueOf(file.getFileName());
        String known = TYPES.get(name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT));
        String guess = known == null ? URLConnection.guessContentTypeFromName(name) : known;
        return guess == null ? "application/octet-stream" : guess;
    }
}
