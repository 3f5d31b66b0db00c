package dev.sieve.crawl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.EmbeddingProject;
import dev.sieve.Frontier;
import dev.sieve.Sieve;
import dev.sieve.fetch.Fetcher;
import dev.sieve.fetch.HostileServer;
import dev.sieve.fetch.Response;
import dev.sieve.shared.EngineAlone;
import dev.sieve.shared.TestEngine;
import dev.sieve.url.UrlNormalizer;
import dev.sieve.url.UrlParts;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import javax.tools.ToolProvider;
import kotlin.Unit;
import okio.Okio;
import org.jsoup.Jsoup;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Connection;

/** Loads the classes of this project as a project does that embeds it: without its optional dependencies. */
@Tag("engine")
class OptionalLibraryTest {
    @Test
    void frontierNeedsNone() throws Exception {
        try (URLClassLoader project = EmbeddingProject.with()) {
            Class<?> sieve = project.loadClass(Sieve.class.getName());
            assertThatCode(() -> sieve.getConstructor(long.class).newInstance(100L))
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void missingOneIsNamed() throws Exception {
        try (URLClassLoader bare = EmbeddingProject.with();
                URLClassLoader withoutJsoup = EmbeddingProject.with(okhttp3.OkHttpClient.class)) {
            assertThatThrownBy(() -> load(bare, Crawler.class))
                    .isInstanceOf(NoClassDefFoundError.class)
                    .hasMessageContaining("com.squareup.okhttp3:okhttp-jvm");
            assertThatThrownBy(() -> load(withoutJsoup, Crawler.class)).hasMessageContaining("org.jsoup:jsoup");
            // The first thing that an example of a crawl does.
            Class<?> options = bare.loadClass(CrawlOptions.class.getName());
            Object made = options.getConstructor().newInstance();
            assertThatThrownBy(
                            () -> options.getMethod("userAgent", String.class).invoke(made, "mybot/1.0"))
                    .cause()
                    .isInstanceOf(NoClassDefFoundError.class)
                    .hasMessageContaining("com.squareup.okhttp3:okhttp-jvm");
            load(bare, Frontier.class);
        }
        try (URLClassLoader complete = EmbeddingProject.with(okhttp3.OkHttpClient.class, Jsoup.class)) {
            load(complete, Crawler.class);
        }
    }

    @Test
    void oneThatIsTooOldIsNamedWithItsJar(@TempDir Path folder) throws Exception {
        URL okHttp = jar(folder.resolve("okhttp-4.12.0.jar"), "okhttp3", "OkHttpClient");
        URL jsoup = jar(folder.resolve("jsoup-1.20.1.jar"), "org.jsoup", "Jsoup");
        try (URLClassLoader oldOkHttp = replacing(okHttp);
                URLClassLoader oldJsoup = replacing(jsoup)) {
            assertThatThrownBy(() -> load(oldOkHttp, Crawler.class))
                    .hasMessage("okhttp-4.12.0.jar on the class path is too old: dev.sieve:sieve requires"
                            + " com.squareup.okhttp3:okhttp-jvm:5.2.0 or later");
            assertThatThrownBy(() -> load(oldJsoup, Crawler.class))
                    .hasMessage("jsoup-1.20.1.jar on the class path is too old: dev.sieve:sieve requires"
                            + " org.jsoup:jsoup:1.22.2 or later");
        }
    }

    @Test
    void bodyInACodingNamesTheLibraryThatDecodesIt() throws Exception {
        try (URLClassLoader without = EmbeddingProject.with(okhttp3.OkHttpClient.class, Okio.class, Unit.class)) {
            Class<?> response = without.loadClass(Response.class.getName());
            Object inBr = response.getConstructor(int.class, Map.class, InputStream.class, long.class)
                    .newInstance(
                            200,
                            Map.of("content-encoding", List.of("br")),
                            new ByteArrayInputStream(HostileServer.brotli(new byte[1])),
                            -1L);
            String room = Fetcher.class.getPackageName() + ".BodyMemory$Body";
            Method decoded = without.loadClass(Fetcher.class.getPackageName() + ".ContentCoding")
                    .getDeclaredMethod("decoded", response, without.loadClass(room));
            decoded.setAccessible(true);

            assertThatThrownBy(() -> decoded.invoke(null, inBr, null))
                    .cause()
                    .isInstanceOf(ProtocolException.class)
                    .hasMessage("encoded as br; org.brotli.dec.BrotliInputStream: add org.brotli:dec to the class path,"
                            + " an optional dependency of dev.sieve:sieve");
        }
    }

    /** Makes a jar with a class that has no members. */
    private static URL jar(Path file, String packageName, String className) throws IOException {
        Path source = Files.writeString(
                file.resolveSibling(className + ".java"),
                "package " + packageName + "; public class " + className + " {}");
        ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-d", source.getParent().toString(), source.toString());
        String name = packageName.replace('.', '/') + "/" + className + ".class";
        try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(file))) {
            jar.putNextEntry(new ZipEntry(name));
            Files.copy(source.resolveSibling(name), jar);
        }
        return file.toUri().toURL();
    }

    private static URLClassLoader replacing(URL library) throws IOException {
        try (URLClassLoader all = EmbeddingProject.with(okhttp3.OkHttpClient.class, Jsoup.class)) {
            URL[] places = Stream.of(all.getURLs())
                    .map(each -> each.getPath()
                                    .matches(".*/" + library.getPath().replaceAll(".*/|-[0-9].*", "") + "(-jvm)?-[^/]*")
                            ? library
                            : each)
                    .toArray(URL[]::new);
            return new URLClassLoader(places, ClassLoader.getPlatformClassLoader());
        }
    }

    @Test
    void hostThatNeedsOkHttpNamesIt() throws Exception {
        try (URLClassLoader bare = EmbeddingProject.with()) {
            Method parse = bare.loadClass(UrlNormalizer.class.getName()).getMethod("parse", String.class);
            Method domain = bare.loadClass(UrlParts.class.getName()).getMethod("domain", String.class);
            assertThat(parse.invoke(null, "http://[::127.0.0.1]:80/%7e")).isEqualTo("http://[::7f00:1]/%7e");
            assertThat(parse.invoke(null, "http://H%41~.example./")).isEqualTo("http://ha~.example./");
            for (String host : List.of("é.example", "a.XN--r8jz45g.jp", "%c3%a9", "é.example")) {
                assertThatThrownBy(() -> parse.invoke(null, "http://" + host + "/"))
                        .cause()
                        .isInstanceOf(NoClassDefFoundError.class)
                        .hasMessageContaining("com.squareup.okhttp3:okhttp-jvm");
            }
            assertThatThrownBy(() -> domain.invoke(null, "http://www.example.org/"))
                    .cause()
                    .hasMessageContaining("com.squareup.okhttp3:okhttp-jvm");
        }
    }

    @Test
    void sharedFrontierNeedsOneJarOfItsClient() throws Exception {
        try (TestEngine engine = TestEngine.start();
                URLClassLoader bare = EmbeddingProject.with(EngineAlone.class);
                URLClassLoader complete = EmbeddingProject.with(EngineAlone.class, Connection.class)) {
            String address = "redis://127.0.0.1:" + engine.port() + "/a";
            assertThatThrownBy(() -> push(bare, address))
                    .cause()
                    .isInstanceOf(NoClassDefFoundError.class)
                    .hasMessageContaining("redis.clients:jedis");
            push(complete, address);
            assertThat(engine.text("LLEN", "{a}0q")).isEqualTo("1");
            engine.stop();
            assertThatThrownBy(() -> push(complete, address))
                    .rootCause()
                    .hasMessageStartingWith("Failed to connect to 127.0.0.1")
                    .satisfies(e -> assertThat(e.getSuppressed()).allMatch(ConnectException.class::isInstance));
        }
    }

    private static void push(ClassLoader project, String address) throws ReflectiveOperationException {
        project.loadClass(EngineAlone.class.getName())
                .getMethod("push", String.class)
                .invoke(null, address);
    }

    private static void load(ClassLoader project, Class<?> type) throws ClassNotFoundException {
        Class.forName(type.getName(), true, project);
    }
}
