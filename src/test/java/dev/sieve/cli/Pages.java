package dev.sieve.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The pages of the documentation: the README first, then CONTRIBUTING and docs/ by name. */
final class Pages {
    static final Path PROJECT = Path.of("").toAbsolutePath();
    private static final Pattern BLOCK = Pattern.compile("^```(\\w*)\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

    /** A code block. The language is empty for most output. */
    record Block(Path page, int line, String language, String text) {
        @Override
        public String toString() {
            return PROJECT.relativize(page) + ":" + line;
        }
    }

    private Pages() {}

    static List<Path> all() {
        try (Stream<Path> docs = Files.list(PROJECT.resolve("docs"))) {
            return Stream.concat(
                            Stream.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
                                    .map(PROJECT::resolve),
                            docs.filter(page -> page.toString().endsWith(".md")).sorted())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String read(Path page) {
        try {
            return Files.readString(page);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String text() {
        return all().stream().map(Pages::read).collect(Collectors.joining("\n"));
    }

    static List<Block> blocks() {
        return all().stream().flatMap(Pages::blocks).toList();
    }

    static Stream<Block> blocks(Path page) {
        String text = read(page);
        return BLOCK.matcher(text)
                .results()
                .map(block -> new Block(
                        page,
                        (int) text.substring(0, block.start()).lines().count() + 1,
                        block.group(1),
                        block.group(2)));
    }

    static String withoutBlocks(String text) {
        return BLOCK.matcher(text).replaceAll("");
    }

    /** The code blocks of one language in their order. */
    static List<String> blocks(String language) {
        return blocks().stream()
                .filter(block -> block.language().equals(language))
                .map(Block::text)
                .toList();
    }
}
