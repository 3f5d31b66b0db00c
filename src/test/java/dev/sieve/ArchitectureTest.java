package dev.sieve;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which package may import which: those above it in this list, and only the libraries that it names. */
class ArchitectureTest {
    private static final String[] LIBRARIES = {
        "okhttp3..", "okio..", "kotlin..", "org.jsoup..", "org.slf4j..", "picocli..", "ch.qos.logback.."
    };
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.sieve");

    /** The packages, in the order of the path of a URL. */
    private static final List<String> PACKAGES = List.of(
            "dev.sieve.bloom",
            "dev.sieve",
            "dev.sieve.durable",
            "dev.sieve.url",
            "dev.sieve.scope",
            "dev.sieve.polite",
            "dev.sieve.fetch",
            "dev.sieve.robots",
            "dev.sieve.parse",
            "dev.sieve.output",
            "dev.sieve.crawl",
            "dev.sieve.demo",
            "dev.sieve.cli");

    private static final Map<String, List<String>> LIBRARIES_OF = Map.of(
            "dev.sieve", List.of("org.slf4j.."),
            "dev.sieve.durable", List.of("org.slf4j.."),
            "dev.sieve.url", List.of("okhttp3.."),
            "dev.sieve.polite", List.of("org.slf4j.."),
            "dev.sieve.fetch", List.of("org.slf4j..", "okhttp3..", "okio..", "kotlin.."),
            "dev.sieve.parse", List.of("org.jsoup.."),
            "dev.sieve.crawl", List.of("org.slf4j.."),
            "dev.sieve.demo", List.of("org.slf4j.."),
            "dev.sieve.cli", List.of("org.slf4j..", "picocli..", "ch.qos.logback.."));

    static Stream<String> packages() {
        return PACKAGES.stream();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("packages")
    void aPackageImportsThoseAboveItAndItsOwnLibraries(String name) {
        List<String> allowed = new ArrayList<>(PACKAGES.subList(0, PACKAGES.indexOf(name) + 1));
        allowed.addAll(LIBRARIES_OF.getOrDefault(name, List.of()));
        allowed.addAll(List.of("java..", "javax.net..", "javax.xml..", "com.sun.net.httpserver.."));
        classes()
                .that()
                .resideInAPackage(name)
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(allowed.toArray(String[]::new)))
                .check(CLASSES);
    }

    @Test
    void everyClassIsInAListedPackage() {
        classes().should().resideInAnyPackage(PACKAGES.toArray(String[]::new)).check(CLASSES);
    }

    @Test
    void libraryTypesAreNotPartOfASignature() {
        noMethods()
                .that()
                .arePublic()
                .and()
                .areDeclaredInClassesThat()
                .resideOutsideOfPackage("dev.sieve.cli")
                .should()
                .haveRawReturnType(resideInAnyPackage(LIBRARIES))
                .check(CLASSES);
    }

    @Test
    void onlyTheCommandLinePrintsAndExits() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.sieve.cli")
                .should()
                .callMethod(System.class, "exit", int.class)
                .orShould()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err")
                .check(CLASSES);
    }

    @Test
    void noClassSleeps() {
        noClasses().should().callMethod(Thread.class, "sleep", long.class).check(CLASSES);
    }
}
