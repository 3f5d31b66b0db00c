package dev.sieve;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Who may import whom: a room knows those with lower numbers, and no library that is not its own. */
class RoomsTest {
    private static final String OURS = "dev.sieve..";
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.sieve");

    /** A room, the rooms that it may know, the libraries that it may use. */
    static Stream<Arguments> rooms() {
        return Stream.of(
                room("dev.sieve.bloom", rooms("dev.sieve.bloom"), libraries()),
                room("dev.sieve", rooms("dev.sieve", "dev.sieve.bloom"), libraries("org.slf4j..")),
                room("dev.sieve.url", rooms("dev.sieve.url"), libraries("okhttp3..")),
                room("dev.sieve.polite", rooms("dev.sieve.polite"), libraries("org.slf4j..")),
                room(
                        "dev.sieve.fetch",
                        rooms("dev.sieve.fetch", "dev.sieve.url", "dev.sieve.polite"),
                        libraries("org.slf4j..", "okhttp3..", "okio..", "kotlin..", "org.jsoup..")),
                room("dev.sieve.output", rooms("dev.sieve.output", "dev.sieve.url", "dev.sieve.fetch"), libraries()),
                room(
                        "dev.sieve.crawl",
                        rooms(
                                "dev.sieve.crawl",
                                "dev.sieve",
                                "dev.sieve.url",
                                "dev.sieve.polite",
                                "dev.sieve.fetch",
                                "dev.sieve.output"),
                        libraries("org.slf4j..")));
    }

    private static Arguments room(String room, String[] rooms, String[] libraries) {
        return Arguments.of(room, rooms, libraries);
    }

    private static String[] rooms(String... rooms) {
        return rooms;
    }

    private static String[] libraries(String... libraries) {
        return Stream.concat(Stream.of("java..", "javax.net..", "javax.xml.."), Stream.of(libraries))
                .toArray(String[]::new);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rooms")
    void aRoomKnowsLowerRoomsAndItsOwnLibrariesOnly(String room, String[] rooms, String[] libraries) {
        classes()
                .that()
                .resideInAPackage(room)
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(rooms).or(resideInAnyPackage(libraries)))
                .check(CLASSES);
    }

    @Test
    void libraryTypesStandInNoSignature() {
        noMethods()
                .that()
                .arePublic()
                .and()
                .areDeclaredInClassesThat()
                .resideInAPackage(OURS)
                .and()
                .areDeclaredInClassesThat()
                .resideOutsideOfPackage("dev.sieve.cli..")
                .should()
                .haveRawReturnType(resideInAnyPackage("okhttp3..", "org.jsoup.."))
                .check(CLASSES);
    }

    @Test
    void onlyTheDoorPrintsAndExits() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.sieve.cli..")
                .should()
                .callMethod(System.class, "exit", int.class)
                .orShould()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err")
                .check(CLASSES);
    }

    @Test
    void nobodySleeps() {
        noClasses()
                .that(resideInAPackage(OURS))
                .should()
                .callMethod(Thread.class, "sleep", long.class)
                .check(CLASSES);
    }
}
