package dev.sieve.fetch;

import dev.sieve.url.UrlNormalizer;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import okhttp3.HttpUrl;
import okhttp3.MediaType;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import okio.BufferedSource;
import okio.Okio;
import org.jspecify.annotations.Nullable;

/**
 * The files of a folder as a site: they are the responses to all requests for the origin {@value #ORIGIN}, of which none
 * is sent.
 *
 * <p>A path that ends with a slash is the file {@code index.html} of its folder; that of a folder without the slash
 * redirects. Folders are not listed, queries do not matter, and nothing outside of the folder is read, also by a symbolic link.
 * Safe for use by many threads.
 */
public final class FolderSite {
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

    /**
     * Opens a folder.
     *
     * @param path where the folder is in URLs, such as {@code /} or {@code /project/}
     * @throws IllegalArgumentException when the path does not begin and end with a slash, or is not a path of a URL
     * @throws IOException when the folder cannot be read, or has no index.html
     */
    public FolderSite(Path folder, String path) throws IOException {
        String parsed = UrlNormalizer.parse(ORIGIN + path);
        if (!path.startsWith("/") || !path.endsWith("/") || parsed == null) {
            throw new IllegalArgumentException("path must begin and end with a slash: " + path);
        }
        named = folder;
        this.folder = folder.toRealPath();
        base = HttpUrl.get(parsed);
        if (file(url()) == null) {
            throw new IOException("no file " + INDEX + " in " + folder);
        }
    }

    public String url() {
        return base.toString();
    }

    /** Returns whether the folder is what responds to requests for a URL. */
    boolean has(HttpUrl url) {
        return url.scheme().equals(base.scheme()) && url.host().equals(base.host()) && url.port() == base.port();
    }

    /** Returns the file of a URL, in the folder as it was named; null when there is none. */
    public @Nullable Path file(String url) {
        HttpUrl parsed = HttpUrl.parse(url);
        Path path = parsed == null || !has(parsed) ? null : path(parsed);
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
            if (segment.equals("..") || segment.indexOf('/') >= 0 || segment.indexOf('\\') >= 0) {
                return null;
            }
            try {
                found = found.resolve(segment);
            } catch (InvalidPathException e) {
                // Such as a character that names of files cannot have in the locale of the process.
                return null;
            }
        }
        return path.endsWith("/") ? found.resolve(INDEX) : found;
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

    /** Returns the response to a request for one of the files; its body has to be closed. */
    Response respond(Request request) throws IOException {
        HttpUrl url = request.url();
        Path path = path(url);
        Path found = path == null ? null : inside(path);
        if (found != null && Files.isRegularFile(found)) {
            BufferedSource source = Okio.buffer(Okio.source(found));
            return response(request, HttpURLConnection.HTTP_OK)
                    .body(ResponseBody.create(source, MediaType.parse(type(found)), Files.size(found)))
                    .build();
        }
        boolean isFolder =
                found != null && Files.isDirectory(found) && !url.encodedPath().endsWith("/");
        Response.Builder response = isFolder
                ? response(request, HttpURLConnection.HTTP_MOVED_PERM)
                        .header(
                                "Location",
                                url.newBuilder().addPathSegment("").build().toString())
                : response(request, HttpURLConnection.HTTP_NOT_FOUND);
        return response.body(ResponseBody.create(new Buffer(), null, 0)).build();
    }

    private static Response.Builder response(Request request, int status) {
        return new Response.Builder()
                .request(request)
                .protocol(Protocol.HTTP_1_1)
                .code(status)
                .message("");
    }

    private static String type(Path file) {
        String name = String.valueOf(file.getFileName());
        String known = TYPES.get(name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT));
        String guess = known == null ? URLConnection.guessContentTypeFromName(name) : known;
        return guess == null ? "application/octet-stream" : guess;
    }
}
