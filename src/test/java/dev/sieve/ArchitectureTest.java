package dev.sieve;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noCodeUnits;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which package may import which: those above it in this list, and only the libraries that it names. */
class ArchitectureTest {
    private static final String[] LIBRARIES = {
        "okhttp3..",
        "okio..",
        "kotlin..",
        "org.jsoup..",
        "org.slf4j..",
        "picocli..",
        "ch.qos.logback..",
        "org.netpreserve.jwarc..",
        "redis.clients..",
        "com.fasterxml.jackson..",
        "io.grpc..",
        "com.google.protobuf..",
        "crawlercommons.urlfrontier.."
    };
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .importUrl(Sieve.class.getProtectionDomain().getCodeSource().getLocation());

    /** One class schedules the crawl; the other waits until its engine is reachable, between attempts. */
    private static final DescribedPredicate<JavaClass> MAY_WAIT = describe(
            "may wait",
            type -> Set.of("dev.sieve.crawl.Dispatcher", "dev.sieve.shared.Engine")
                    .contains(type.getName()));

    /** A nested class belongs to the class around it. */
    private static final SliceAssignment TOP_LEVEL_CLASSES = new SliceAssignment() {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            return SliceIdentifier.of(type.getName().replaceFirst("\\$.*", ""));
        }

        @Override
        public String getDescription() {
            return "top-level classes";
        }
    };

    /** The packages, in the order of the path of a URL. */
    private static final List<String> PACKAGES = List.of(
            "dev.sieve.bloom",
            "dev.sieve.io",
            "dev.sieve",
            "dev.sieve.durable",
            "dev.sieve.shared",
            "dev.sieve.url",
            "dev.sieve.scope",
            "dev.sieve.polite",
            "dev.sieve.fetch",
            "dev.sieve.robots",
            "dev.sieve.parse",
            "dev.sieve.output",
            "dev.sieve.crawl",
            "dev.sieve.report",
            "dev.sieve.demo",
            "dev.sieve.serve",
            "dev.sieve.cli");

    /** Those that import no other package of ours. */
    private static final List<String> GROUND_FLOOR = List.of("dev.sieve.bloom", "dev.sieve.io");

    private static final Map<String, List<String>> LIBRARIES_OF = Map.ofEntries(
            Map.entry("dev.sieve", List.of("org.slf4j..")),
            Map.entry("dev.sieve.durable", List.of("org.slf4j..")),
            Map.entry("dev.sieve.shared", List.of("org.slf4j..", "redis.clients.jedis..")),
            Map.entry("dev.sieve.url", List.of("okhttp3..")),
            Map.entry("dev.sieve.polite", List.of("org.slf4j..")),
            Map.entry("dev.sieve.fetch", List.of("org.slf4j..", "okhttp3..", "okio..", "kotlin..")),
            Map.entry("dev.sieve.parse", List.of("org.jsoup..")),
            Map.entry("dev.sieve.output", List.of("org.netpreserve.jwarc..")),
            Map.entry("dev.sieve.crawl", List.of("org.slf4j..")),
            Map.entry(
                    "dev.sieve.report",
                    List.of(
                            "org.slf4j..",
                            "org.jsoup..",
                            "com.fasterxml.jackson.core..",
                            "io.micrometer..",
                            "io.prometheus..")),
            Map.entry("dev.sieve.demo", List.of("org.slf4j..")),
            Map.entry(
                    "dev.sieve.serve",
                    List.of(
                            "org.slf4j..",
                            "com.fasterxml.jackson.core..",
                            "io.grpc..",
                            "com.google.protobuf..",
                            "crawlercommons.urlfrontier..")),
            Map.entry("dev.sieve.cli", List.of("org.slf4j..", "picocli..", "ch.qos.logback..")));

    static Stream<String> packages() {
        return PACKAGES.stream();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("packages")
    void aPackageImportsThoseAboveItAndItsOwnLibraries(String name) {
        boolean isGroundFloor = GROUND_FLOOR.contains(name);
        List<String> allowed =
                new ArrayList<>(isGroundFloor ? List.of(name) : PACKAGES.subList(0, PACKAGES.indexOf(name) + 1));
        allowed.addAll(LIBRARIES_OF.getOrDefault(name, List.of()));
        allowed.addAll(List.of(
                "java..", "javax.net..", "javax.xml..", "com.sun.net.httpserver..", "org.jspecify.annotations.."));
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
    void packagesHaveNoCycles() {
        slices().matching("dev.sieve.(*)..").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void classesHaveNoCycles() {
        slices().assignedFrom(TOP_LEVEL_CLASSES).should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void libraryTypesAreNotPartOfASignature() {
        DescribedPredicate<JavaClass> ofALibrary = resideInAnyPackage(LIBRARIES);
        noCodeUnits()
                .that(describe("can be called from other packages", ArchitectureTest::isCallable))
                .should()
                .haveRawReturnType(ofALibrary)
                .orShould()
                .haveRawParameterTypes(describe(
                        "of a library", parameters -> parameters.stream().anyMatch(ofALibrary)))
                .check(CLASSES);
    }

    private static boolean isCallable(JavaCodeUnit unit) {
        return isVisible(unit.getModifiers()) && isVisible(unit.getOwner());
    }

    private static boolean isVisible(JavaClass type) {
        return isVisible(type.getModifiers())
                && type.getEnclosingClass().map(ArchitectureTest::isVisible).orElse(true);
    }

    private static boolean isVisible(Set<JavaModifier> modifiers) {
        return modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED);
    }

    /** So that the build checks what may be null in it, and other compilers see it. */
    @Test
    void everyPublicClassIsNullMarked() {
        classes()
                .that()
                .arePublic()
                .and()
                .areTopLevelClasses()
                .and()
                .resideOutsideOfPackage("dev.sieve.cli")
                .should(ArchCondition.from(describe("be null-marked", ArchitectureTest::isNullMarked)))
                .check(CLASSES);
    }

    private static boolean isNullMarked(JavaClass type) {
        return type.isAnnotatedWith(NullMarked.class) || type.getPackage().isAnnotatedWith(NullMarked.class);
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

    /** Which replaces characters that a terminal interprets. A script for a shell is printed as it is. */
    @Test
    void messagesArePrintedByOneClass() {
        noClasses()
                .that()
                .resideInAPackage("dev.sieve.cli")
                .and()
                .doNotHaveSimpleName("Terminal")
                .and()
                .doNotHaveSimpleName("CompletionCommand")
                .should()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err")
                .orShould()
                .callMethodWhere(describe(
                        "prints",
                        call -> call.getTargetOwner().isAssignableTo(PrintWriter.class)
                                && call.getName().startsWith("print")))
                .check(CLASSES);
    }

    @Test
    void onlyTwoClassesSleepOrPark() {
        noClasses()
                .that(DescribedPredicate.not(MAY_WAIT))
                .should()
                .callMethodWhere(describe("sleeps or parks", ArchitectureTest::waits))
                .check(CLASSES);
    }

    /** Waiting for an event of another thread, as with a latch, is neither. */
    private static boolean waits(JavaAccess<?> call) {
        String owner = call.getTargetOwner().getName();
        return switch (call.getName()) {
            case "sleep", "timedWait", "timedJoin" -> true;
            case "wait" -> owner.equals("java.lang.Object");
            case "park", "parkNanos", "parkUntil" -> owner.equals("java.util.concurrent.locks.LockSupport");
            case "await", "awaitNanos", "awaitUntil" -> owner.equals("java.util.concurrent.locks.Condition");
            default -> false;
        };
    }
}
