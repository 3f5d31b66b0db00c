package dev.sieve.url;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sieve.EmbeddingProject;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import okhttp3.HttpUrl;
import org.junit.jupiter.api.Test;

/**
 * The URL cases of the Web Platform Tests, {@code urltestdata.json} in the folder that the property {@code
 * sieve.vectors} names. Fragments and credentials are taken off what the standard expects, as the normaliser takes them
 * off; all other differences are listed in {@code whatwg-exceptions.json}, each with its reason.
 */
class WhatwgVectorsTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** A case: what the standard makes of an input, and what the normaliser does; null for a refusal. */
    private record Case(String input, String base, String expected, String actual) {
        boolean passes() {
            return expected == null ? actual == null : expected.equals(actual);
        }
    }

    @Test
    void everyHttpUrlHasTheHrefOfTheStandard() throws IOException {
        List<Case> failing = cases().stream().filter(c -> !c.passes()).toList();
        Map<String, String> exceptions = exceptions();

        assertThat(failing).extracting(Case::input).containsExactlyInAnyOrderElementsOf(exceptions.keySet());
        assertThat(exceptions.values()).allSatisfy(reason -> assertThat(reason).hasSizeGreaterThan(20));
    }

    @Test
    void noFailureOfTheStandardIsAccepted() throws IOException {
        assertThat(cases()).filteredOn(c -> c.expected() == null).isNotEmpty().allMatch(Case::passes);
    }

    @Test
    void noListedExceptionIsAnIpv4Host() throws IOException {
        TreeSet<String> listed = new TreeSet<>(exceptions().keySet());
        assertThat(cases())
                .filteredOn(c -> listed.contains(c.input()) && c.expected() != null)
                .noneMatch(c -> c.expected().matches("https?://[0-9.]+[0-9](:[0-9]+)?/.*"));
    }

    @Test
    void okHttpTakesWhatIsAcceptedForTheSameHost() throws IOException {
        assertThat(cases()).filteredOn(c -> c.actual() != null).allSatisfy(c -> {
            HttpUrl url = HttpUrl.get(c.actual());
            String host = url.host().indexOf(':') < 0 ? url.host() : "[" + url.host() + "]";
            assertThat(c.actual()).startsWith(url.scheme() + "://" + host);
        });
    }

    @Test
    void acceptedUrlsAndTheirKeysAreStable() throws IOException {
        assertThat(cases()).filteredOn(c -> c.actual() != null).allSatisfy(c -> {
            assertThat(UrlNormalizer.parse(c.actual())).isEqualTo(c.actual());
            String key = UrlNormalizer.key(c.actual());
            assertThat(UrlNormalizer.key(key)).isEqualTo(key);
        });
    }

    /** Of the 888 cases, 31 have an international host. */
    @Test
    void onlyInternationalHostsNeedOkHttp() throws Exception {
        int answered = 0;
        try (URLClassLoader project = EmbeddingProject.with()) {
            Class<?> normalizer = project.loadClass(UrlNormalizer.class.getName());
            for (Case c : cases()) {
                try {
                    assertThat(actual(normalizer, c.input(), c.base()))
                            .as(c.input())
                            .isEqualTo(c.actual());
                    answered++;
                } catch (InvocationTargetException e) {
                    assertThat(c.input()).matches("(?is).*([^\\x00-\\x7f]|xn--|%[89a-f]).*");
                    assertThat(e.getCause())
                            .isInstanceOf(NoClassDefFoundError.class)
                            .hasMessage("okhttp3.OkHttpClient: add com.squareup.okhttp3:okhttp-jvm to the class path,"
                                    + " an optional dependency of dev.sieve:sieve");
                }
            }
        }
        assertThat(answered).isEqualTo(857);
    }

    private static List<Case> cases() throws IOException {
        Path file = Path.of(System.getProperty("sieve.vectors", ""), "urltestdata.json");
        assumeTrue(Files.isRegularFile(file), "no " + file + "; name its folder with -Dsieve.vectors=FOLDER");
        List<Case> cases = new ArrayList<>();
        for (JsonNode node : JSON.readTree(file.toFile())) {
            if (node.isObject()) {
                String input = node.get("input").asText();
                String base = node.path("base").asText(null);
                cases.add(new Case(input, base, expected(node), actual(input, base)));
            }
        }
        return cases;
    }

    private static String expected(JsonNode node) {
        String href = node.path("href").asText("");
        String userinfo = node.path("username").asText("");
        String password = node.path("password").asText("");
        if (!href.startsWith("http:") && !href.startsWith("https:")) {
            return null;
        }
        String credentials = userinfo + (password.isEmpty() ? "" : ":" + password) + "@";
        int fragment = href.indexOf('#');
        String whole = fragment < 0 ? href : href.substring(0, fragment);
        int host = whole.indexOf("//") + 2;
        boolean hasCredentials = credentials.length() > 1 && whole.startsWith(credentials, host);
        return hasCredentials ? whole.substring(0, host) + whole.substring(host + credentials.length()) : whole;
    }

    private static String actual(String input, String base) {
        String page = base == null ? null : UrlNormalizer.parse(base);
        return page == null
                ? UrlNormalizer.parse(input)
                : UrlNormalizer.base(page).resolve(input);
    }

    /** Does the same with the normaliser of another class loader. */
    private static Object actual(Class<?> normalizer, String input, String base) throws ReflectiveOperationException {
        Method parse = normalizer.getMethod("parse", String.class);
        Object page = base == null ? null : parse.invoke(null, base);
        if (page == null) {
            return parse.invoke(null, input);
        }
        Object resolver = normalizer.getMethod("base", String.class).invoke(null, page);
        return resolver.getClass().getMethod("resolve", String.class).invoke(resolver, input);
    }

    /** Input to reason, in the order of the file. */
    private static Map<String, String> exceptions() throws IOException {
        try (InputStream in = WhatwgVectorsTest.class.getResourceAsStream("whatwg-exceptions.json")) {
            Map<String, String> exceptions = new LinkedHashMap<>();
            for (JsonNode node : JSON.readTree(in)) {
                assertThat(exceptions.put(
                                node.get("input").asText(), node.get("why").asText()))
                        .isNull();
            }
            return exceptions;
        }
    }
}
