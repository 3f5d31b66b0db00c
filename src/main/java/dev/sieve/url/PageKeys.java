package dev.sieve.url;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The keys of the pages of a crawl: those of {@link UrlNormalizer#key}, perhaps without some parameters of the query,
 * such as those by which links are counted. A page is fetched by the URL by which it was found first, with all its
 * parameters. Immutable.
 */
public final class PageKeys {
    /** The keys with all parameters. */
    public static final PageKeys ALL = new PageKeys(List.of());

    /** The characters of a name in a URL, but those that end it. */
    private static final Pattern NAME = Pattern.compile("(?=.)[!-~&&[^#&*=]]*\\*?");

    private final List<String> names;
    private final @Nullable Pattern ignored;

    private PageKeys(List<String> names) {
        this.names = names;
        String any = names.stream()
                .map(each -> each.endsWith("*")
                        ? Pattern.quote(each.substring(0, each.length() - 1)) + "[^&=]*+"
                        : Pattern.quote(each))
                .collect(Collectors.joining("|"));
        ignored = names.isEmpty() ? null : Pattern.compile("(?<=[?&])(?:" + any + ")(?:=[^&]*+)?(?:&|$)");
    }

    /**
     * Returns these keys without a parameter.
     *
     * @param name as it is spelled in URLs, upper and lower case alike only if they are; a {@code *} at its end stands
     *     for any further characters
     * @throws IllegalArgumentException when no parameter in a key has such a name
     */
    public PageKeys ignoring(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "not the name of a parameter, as in utm_source, or its beginning, as in utm_*: " + name);
        }
        return new PageKeys(Stream.concat(names.stream(), Stream.of(name)).toList());
    }

    /**
     * Returns the key of a URL, or of another key.
     *
     * @param url a URL returned by {@link UrlNormalizer#parse} or {@link UrlNormalizer.Base#resolve}
     */
    public String of(String url) {
        String key = UrlNormalizer.key(url);
        return ignored == null || key.indexOf('?') < 0 ? key : UrlNormalizer.without(ignored, key);
    }

    @Override
    public String toString() {
        return String.join(", ", names);
    }
}
