package dev.sieve.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sieve.parse.Sketch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import org.jsoup.nodes.Element;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class AlikeTest {
    private final Aggregate crawl = new Aggregate(true);

    /** Adds a page with the fields of a record. */
    private void page(String path, String fields) {
        line("{\"url\":\"http://h/" + path + "\",\"status\":200" + (fields.isEmpty() ? "" : "," + fields) + "}");
    }

    private void line(String json) {
        try {
            crawl.add(Entry.of(JsonLine.parse(json)));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private Element section() {
        Element main = Html.document().body();
        crawl.alike.append(main, crawl.broken);
        return main.child(0);
    }

    /** The rows of a table, cell by cell. */
    private @Nullable List<List<String>> rows(String table) {
        Element body = section().selectFirst("#" + table + " tbody");
        return body == null
                ? null
                : body.children().stream().map(row -> row.children().eachText()).toList();
    }

    @Test
    void pagesWithTheSameTextAreAGroupWithTheirFirstPage() {
        page("a", "");
        page("b", "\"duplicate_of\":\"http://h/a\"");
        page("x", "\"duplicate_of\":\"http://h/y\"");
        page("c", "\"duplicate_of\":\"http://h/a\",\"canonical\":\"http://h/a\"");

        assertThat(rows("same-text"))
                .containsExactly(
                        List.of("3", "1", "http://h/a http://h/b http://h/c"),
                        List.of("2", "0", "http://h/y http://h/x"));
    }

    @Test
    void largeGroupsAreCutAndCounted() {
        for (int i = 0; i < 1000; i++) {
            page("p" + i, "\"title\":\"Home\",\"description\":\"d" + i / 2 + "\"");
        }
        List<List<String>> titles = rows("same-title");
        assertThat(titles).hasSize(1);
        assertThat(titles.get(0).get(0)).isEqualTo("Home");
        assertThat(titles.get(0).get(1)).isEqualTo("1,000");
        assertThat(titles.get(0).get(2)).startsWith("http://h/p0 http://h/p1 ").endsWith(" and 990 more");
        assertThat(rows("same-description")).hasSize(300);
        assertThat(section().text())
                .contains("The same description (500 groups)", "And 200 more groups, only counted.");
    }

    @Test
    void whatIsNotComparedIsCounted() {
        for (int i = 0; i < 20_010; i++) {
            page("p" + i, "\"title\":\"t" + i + "\"");
        }
        assertThat(section().text()).contains("10 further pages not compared: the same title");
    }

    @Test
    void errorsAreNotCompared() {
        line("{\"url\":\"http://h/a\",\"status\":404,\"title\":\"Not found\"}");
        line("{\"url\":\"http://h/b\",\"status\":404,\"title\":\"Not found\"}");
        assertThat(rows("same-title")).isNull();
        assertThat(section().text()).contains("compared in a crawl that writes records");
    }

    @Test
    void canonicalUrlsAreJudged() {
        page("good", "");
        page("a", "\"canonical\":\"http://h/good\"");
        page("b", "\"canonical\":\"http://h/gone\"");
        page("c", "\"canonical\":\"http://h/moved\"");
        page("d", "\"canonical\":\"http://h/a\"");
        page("e", "\"canonical\":\"http://other/\"");
        line("{\"url\":\"http://h/gone\",\"status\":404,\"referrer\":\"http://h/b\"}");
        line("{\"url\":\"http://h/moved\",\"status\":301,\"redirect_to\":\"http://h/good\"}");

        assertThat(rows("canonicals"))
                .containsExactly(
                        List.of("http://h/b", "http://h/gone", "broken: 404"),
                        List.of("http://h/c", "http://h/moved", "redirects"),
                        List.of("http://h/d", "http://h/a", "names another one: http://h/good"),
                        List.of("http://h/e", "http://other/", "not visited by the crawl"));
    }

    @Test
    void recordsWithoutASketchSayHowToHaveOne() {
        page("a", "\"text_digest\":\"0f\"");
        assertThat(section().text()).contains("only if their crawl made a report");

        page("b", "\"sketch\":\"" + sketch(new Random(35)) + "\"");
        assertThat(section().text()).doesNotContain("--report");
    }

    private static String text(byte[] sketch) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(sketch);
    }

    private static String sketch(Random random) {
        byte[] bytes = new byte[Sketch.BITS / Byte.SIZE];
        random.nextBytes(bytes);
        return text(bytes);
    }

    /** Returns a sketch that differs in so many bits, at random places. */
    private static String flipped(String sketch, int bits, Random random) {
        byte[] flipped = Base64.getUrlDecoder().decode(sketch);
        List<Integer> places = new ArrayList<>();
        while (places.size() < bits) {
            int bit = random.nextInt(Sketch.BITS);
            if (!places.contains(bit)) {
                places.add(bit);
                flipped[bit / Byte.SIZE] = (byte) (flipped[bit / Byte.SIZE] ^ 1 << bit % Byte.SIZE);
            }
        }
        return text(flipped);
    }

    /** All pairs are compared with each other here. */
    @Test
    void pagesAreNearTheFirstOfTheirGroupAndNoOthersAre() {
        Random random = new Random(1);
        List<String> sketches = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            String first = sketch(random);
            sketches.add(first);
            for (int distance = 1; distance <= Sketch.NEAR + 20; distance += 24) {
                sketches.add(flipped(first, distance, random));
            }
            sketches.add(flipped(first, Sketch.NEAR, random));
            sketches.add(flipped(first, Sketch.NEAR + 1, random));
        }
        List<String> expected = new ArrayList<>();
        boolean[] grouped = new boolean[sketches.size()];
        for (int first = 0; first < sketches.size(); first++) {
            page(String.valueOf(first), "\"sketch\":\"" + sketches.get(first) + "\"");
            StringBuilder group = new StringBuilder("http://h/" + first);
            for (int other = first + 1; other < sketches.size() && !grouped[first]; other++) {
                Sketch one = Sketch.parse(sketches.get(first));
                if (!grouped[other] && one.distance(Sketch.parse(sketches.get(other))) <= Sketch.NEAR) {
                    grouped[other] = true;
                    group.append(" http://h/").append(other);
                }
            }
            if (group.indexOf(" ") > 0) {
                expected.add(group.toString());
            }
        }

        List<List<String>> rows = rows("near-text");

        assertThat(rows).hasSizeGreaterThan(150);
        assertThat(rows)
                .extracting(
                        row -> List.of(row.get(1).split(" ")).stream().sorted().toList())
                .containsExactlyInAnyOrderElementsOf(expected.stream()
                        .map(group ->
                                List.of(group.split(" ")).stream().sorted().toList())
                        .toList());
    }

    /** A site can make sketches of which many have the same bits in some blocks, and which are not near. */
    @Test
    @Tag("slow")
    void hostileSketchesEndTheSearchWithAWord() {
        Random random = new Random(2);
        int half = Sketch.BITS / Byte.SIZE / 2;
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[2 * half];
            random.nextBytes(bytes);
            Arrays.fill(bytes, 0, half, (byte) 0);
            page("p" + i, "\"sketch\":\"" + text(bytes) + "\"");
        }
        assertThat(section().text()).containsPattern("1\\d,\\d{3} further pages not compared: nearly the same text");
    }
}
