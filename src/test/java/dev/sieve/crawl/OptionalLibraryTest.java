package dev.sieve.crawl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sieve.Frontier;
import dev.sieve.Sieve;
import dev.sieve.shared.EngineAlone;
import dev.sieve.shared.TestEngine;
import dev.sieve.url.UrlNormalizer;
import java.net.ConnectException;
import java.net.URL;
import java.net.URLClassLoader;
import org.jsoup.Jsoup;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import redis.clients.jedis.Connection;

/** Loads the classes of this project as a project does that embeds it: without its optional dependencies. */
class OptionalLibraryTest {
    private static URL home(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation();
    }

    private static URLClassLoader project(Class<?>... libraries) {
        URL[] places = new URL[libraries.length + 2];
        places[0] = home(Sieve.class);
        places[1] = home(Logger.class);
        for (int i = 0; i < libraries.length; i++) {
            places[i + 2] = home(libraries[i]);
        }
        return new URLClassLoader(places, ClassLoader.getPlatformClassLoader());
    }

    @Test
    void aFrontierNeedsNone() throws Exception {
        try (URLClassLoader project = project()) {
            Class<?> sieve = project.loadClass(Sieve.class.getName());
            assertThatCode(() -> sieve.getConstructor(long.class).newInstance(100L))
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void aMissingOneIsNamed() throws Exception {
        try (URLClassLoader bare = project();
                URLClassLoader withoutJsoup = project(okhttp3.OkHttpClient.class)) {
            assertThatThrownBy(() -> load(bare, UrlNormalizer.class))
                    .isInstanceOf(NoClassDefFoundError.class)
                    .hasMessageContaining("com.squareup.okhttp3:okhttp-jvm");
            assertThatThrownBy(() -> load(bare, Crawler.class)).hasMessageContaining("com.squareup.okhttp3:okhttp-jvm");
            assertThatThrownBy(() -> load(withoutJsoup, Crawler.class)).hasMessageContaining("org.jsoup:jsoup");
            load(bare, Frontier.class);
        }
        try (URLClassLoader complete = project(okhttp3.OkHttpClient.class, Jsoup.class)) {
            load(complete, Crawler.class);
        }
    }

    @Test
    void aSharedFrontierNeedsOneJarOfItsClient() throws Exception {
        try (TestEngine engine = TestEngine.start();
                URLClassLoader bare = project(EngineAlone.class);
                URLClassLoader complete = project(EngineAlone.class, Connection.class)) {
            String address = "redis://127.0.0.1:" + engine.port() + "/a";
            assertThatThrownBy(() -> push(bare, address))
                    .hasRootCauseMessage("redis.clients.jedis.Connection")
                    .cause()
                    .isInstanceOf(NoClassDefFoundError.class)
                    .hasMessageContaining("redis.clients:jedis");
            push(complete, address);
            assertThat(engine.text("LLEN", "{a:0}q")).isEqualTo("1");
            engine.stop();
            assertThatThrownBy(() -> push(complete, address)).hasRootCauseInstanceOf(ConnectException.class);
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
