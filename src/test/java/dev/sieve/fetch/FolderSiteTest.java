package dev.sieve.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.fetch.FetchResult.Failed;
import dev.sieve.fetch.FetchResult.Page;
import dev.sieve.fetch.FetchResult.Redirect;
import java.io.IOException;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FolderSiteTest {
    @TempDir
    private Path directory;

    private Path folder;

    @BeforeEach
    void makeFolder() throws IOException {
        folder = Files.createDirectory(directory.resolve("public"));
        Files.writeString(directory.resolve("secret.html"), "secret");
        write("index.html", "<p>home");
        write("docs/index.html", "<p>docs");
        write("docs/a b.html", "<p>a b");
        write("style.CSS", "p {}");
        write("image.png", "png");
        write("data", "data");
        write("a\\b.html", "<p>a\\b");
        Files.createDirectory(folder.resolve("empty"));
        Files.createSymbolicLink(folder.resolve("out.html"), directory.resolve("secret.html"));
        Files.createSymbolicLink(folder.resolve("in.html"), folder.resolve("index.html"));
        Files.createSymbolicLink(folder.resolve("up"), directory);
    }

    private void write(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    /** Requests a URL; a request that is sent fails, since no name has an address. */
    private FetchResult fetch(String path, String url) throws IOException {
        return fetch(path.startsWith("/") ? FolderSite.ORIGIN + path : path, false, url);
    }

    private FetchResult fetch(String base, boolean hasCleanUrls, String url) throws IOException {
        Resolver none = host -> {
            throw new UnknownHostException(host);
        };
        try (Fetcher fetcher = new Fetcher(new Fetcher.Options(
                "testbot",
                Map.of(),
                Duration.ofSeconds(30),
                1000,
                4,
                none,
                AddressPolicy.publicOnly(),
                1 << 20,
                ProxySettings.NONE,
                false))) {
            return new Origins(fetcher, List.of(new FolderSite(folder, base, hasCleanUrls)))
                    .fetch(new FetchRequest(url).reading(FetchRequest.Body.ANY_TYPE));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/, text/html, <p>home",
        "/?q, text/html, <p>home",
        "/index.html, text/html, <p>home",
        "/docs/, text/html, <p>docs",
        "/a%5Cb.html, text/html, <p>a\\b",
        "/docs/a%20b.html, text/html, <p>a b",
        "/in.html, text/html, <p>home",
        "/style.CSS, text/css, p {}",
        "/image.png, image/png, png",
        "/data, application/octet-stream, data",
    })
    void fileIsAPage(String path, String type, String body) throws IOException {
        assertThat(fetch("/", "http://localhost" + path)).isInstanceOfSatisfying(Page.class, page -> {
            assertThat(page.status()).isEqualTo(200);
            assertThat(page.type()).isEqualTo(type);
            assertThat(page.body()).asString().isEqualTo(body);
            assertThat(page.length()).isEqualTo(body.length());
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/missing.html",
                "/empty/",
                "/data/",
                "/..%2fsecret.html",
                "/docs/..%2f..%2fsecret.html",
                "/%2e%2e/secret.html",
                "/docs/..%5c..%5csecret.html",
                "/index.html%00",
            })
    void nothingElseIsRead(String path) throws IOException {
        assertThat(fetch("/", "http://localhost" + path)).isInstanceOfSatisfying(Page.class, page -> {
            assertThat(page.status()).isEqualTo(404);
            assertThat(page.body()).isEmpty();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"/out.html", "/up/secret.html"})
    void fileOutsideOfTheFolderIsNotMissing(String path) throws IOException {
        assertThat(fetch("/", "http://localhost" + path)).isInstanceOfSatisfying(Failed.class, failed -> {
            assertThat(failed.status()).isEqualTo(404);
            assertThat(failed.description()).isEqualTo("file not readable: a symbolic link leads out of the folder");
        });
    }

    @Test
    void folderWithoutASlashRedirects() throws IOException {
        assertThat(fetch("/p/", "http://localhost/p/docs?x=1"))
                .isInstanceOfSatisfying(
                        Redirect.class,
                        redirect -> assertThat(redirect.target()).isEqualTo("http://localhost/p/docs/?x=1"));
    }

    @Test
    void basePathIsWhereTheFolderIs() throws IOException {
        assertThat(fetch("/p/", "http://localhost/p/docs/").status()).isEqualTo(200);
        assertThat(fetch("/p/", "http://localhost/docs/").status()).isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://localhost:8080/", "https://localhost/", "http://other.test/"})
    void otherOriginsAreNotOfTheFolder(String url) throws IOException {
        assertThat(fetch("/", url).status()).isZero();
    }

    @Test
    void folderNeedsAnIndexAndAUrlThatEndsWithASlash() {
        assertThatThrownBy(() -> new FolderSite(folder.resolve("empty"), "http://localhost/", false))
                .isInstanceOf(IOException.class)
                .hasMessage("no file index.html in " + folder.resolve("empty"));
        for (String url :
                new String[] {"p/", "ftp://h.test/", "http://h.test/p", "http://h.test/p/?q/", "http://u:p@h.test/"}) {
            assertThatThrownBy(() -> new FolderSite(folder, url, false))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("url must be http or https, end with a slash, and have no user or query");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "https://h.test/p/, 200",
        "https://H.test:443/p/docs/, 200",
        "https://h.test/p/missing.html, 404",
        "https://h.test/other/, 0",
        "https://h.test/, 0",
        "https://h.test:8443/p/, 0",
        "https://www.h.test/p/, 0",
        "http://localhost/p/, 0",
    })
    void whatTheSiteHasBelowItsUrlIsInTheFolder(String url, int status) throws IOException {
        assertThat(fetch("https://h.test/p/", url).status()).isEqualTo(status);
    }

    @ParameterizedTest
    @CsvSource({
        "https://h.test/p/, http://h.test/p/docs/?x, https://h.test/p/docs/?x",
        "https://h.test/p/, https://h.test/p, https://h.test/p/",
        "http://h.test/, https://h.test/docs/, http://h.test/docs/",
        "http://localhost/p/, http://localhost/p, http://localhost/p/",
    })
    void otherSpellingsOfTheSiteRedirect(String base, String url, String target) throws IOException {
        assertThat(fetch(base, url))
                .isInstanceOfSatisfying(
                        Redirect.class,
                        redirect -> assertThat(redirect.target()).isEqualTo(target));
    }

    @Test
    void aSiteWithAPortHasOneScheme() throws IOException {
        assertThat(fetch("http://h.test:8080/", "http://h.test:8080/").status()).isEqualTo(200);
        assertThat(fetch("http://h.test:8080/", "https://h.test:8080/").status())
                .isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "/about, true, 200, <p>about",
        "/about, false, 404, ''",
        "/docs/a%20b, true, 200, <p>a b",
        "/v1.2, true, 200, <p>v1.2",
        "/data, true, 200, data",
        "/about/, true, 404, ''",
        "/docs, true, 301, ''",
        "/docs/secret, true, 404, ''",
        "/out, true, 404, ''",
        "/, true, 200, <p>home",
    })
    void cleanUrlsLackTheExtension(String path, boolean isClean, int status, String body) throws IOException {
        write("about.html", "<p>about");
        write("about/team.html", "<p>team");
        write("v1.2.html", "<p>v1.2");
        write("data.html", "<p>data");
        write("secret.html", "no");

        FetchResult result = fetch("http://localhost/", isClean, "http://localhost" + path);

        assertThat(result.status()).isEqualTo(path.equals("/about") && !isClean ? 301 : status);
        if (result instanceof Page page) {
            assertThat(page.body()).asString().isEqualTo(body);
        }
    }

    @Test
    void fileOfACleanUrlIsNamed() throws IOException {
        write("about.html", "<p>about");

        FolderSite site = new FolderSite(folder, "https://h.test/", true);

        assertThat(site.file("https://h.test/about")).isEqualTo(folder.resolve("about.html"));
        assertThat(site.file("https://h.test/out")).isNull();
    }
}
