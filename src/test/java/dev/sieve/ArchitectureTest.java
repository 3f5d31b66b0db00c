package dev.sieve;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noCodeUnits;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.commons.annotation.Testable;

/** Which package may import which others and which libraries, and further rules for all classes. */
class ArchitectureTest {
    private static final String[] LIBRARIES = """
                        okhttp3.. okio.. org.brotli.. kotlin.. org.jsoup.. org.slf4j.. picocli..
                        ch.qos.logback.. org.netpreserve.jwarc.. redis.clients.. com.fasterxml.jackson..
                        io.grpc.. com.google.protobuf.. crawlercommons.urlfrontier..""".split("\\s+", -1);
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .importUrl(Sieve.class.getProtectionDomain().getCodeSource().getLocation());

    /** One class schedules the crawl; one waits until its engine is reachable, between attempts; one does background work. */
    private static final DescribedPredicate<JavaClass> MAY_WAIT = describe(
            "may wait",
            type -> Set.of("dev.sieve.crawl.Dispatcher", "dev.sieve.shared.Engine", "dev.sieve.io.RepeatingThread")
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

    /**
     * What a package may import.
     *
     * @param rooms other packages of ours
     */
    private record Imports(List<String> rooms, List<String> libraries) {}

    private static Map.Entry<String, Imports> room(String name, List<String> rooms, String... libraries) {
        return Map.entry(name, new Imports(rooms, List.of(libraries)));
    }

    private static final String ROOT = "dev.sieve";
    private static final String BLOOM = "dev.sieve.bloom";
    private static final String IO = "dev.sieve.io";
    private static final String DURABLE = "dev.sieve.durable";
    private static final String SHARED = "dev.sieve.shared";
    private static final String URL = "dev.sieve.url";
    private static final String SCOPE = "dev.sieve.scope";
    private static final String POLITE = "dev.sieve.polite";
    private static final String FETCH = "dev.sieve.fetch";
    private static final String ROBOTS = "dev.sieve.robots";
    private static final String PARSE = "dev.sieve.parse";
    private static final String OUTPUT = "dev.sieve.output";
    private static final String CRAWL = "dev.sieve.crawl";
    private static final String STAGE = "dev.sieve.stage";
    private static final String JOB = "dev.sieve.job";
    private static final String BROWSER = "dev.sieve.browser";
    private static final String REPORT = "dev.sieve.report";
    private static final String DEMO = "dev.sieve.demo";
    private static final String SERVE = "dev.sieve.serve";
    private static final String CLI = "dev.sieve.cli";

    private static final String JACKSON = "com.fasterxml.jackson..";

    private static final Map<String, Imports> ROOMS = Map.ofEntries(
            room(BLOOM, List.of()),
            room(IO, List.of(), "org.slf4j.."),
            room(ROOT, List.of(BLOOM), "org.slf4j.."),
            room(DURABLE, List.of(ROOT, BLOOM, IO), "org.slf4j.."),
            room(SHARED, List.of(IO, ROOT, BLOOM, DURABLE), "org.slf4j..", "redis.clients.jedis.."),
            room(URL, List.of(ROOT), "okhttp3.."),
            room(SCOPE, List.of(URL)),
            room(POLITE, List.of(ROOT)),
            room(FETCH, List.of(IO, ROOT, URL, SCOPE, POLITE), "okhttp3..", "okio..", "org.brotli.dec.."),
            room(ROBOTS, List.of(IO, URL, SCOPE, POLITE, FETCH)),
            room(PARSE, List.of(IO, URL, FETCH), "org.jsoup.."),
            room(OUTPUT, List.of(BLOOM, ROOT, IO, URL, SCOPE, FETCH), "org.netpreserve.jwarc.."),
            room(
                    CRAWL,
                    List.of(BLOOM, IO, ROOT, DURABLE, URL, SCOPE, POLITE, FETCH, ROBOTS, PARSE, OUTPUT),
                    "org.slf4j.."),
            room(
                    STAGE,
                    List.of(BLOOM, IO, ROOT, DURABLE, URL, SCOPE, FETCH, ROBOTS, PARSE, OUTPUT, CRAWL),
                    "org.slf4j.."),
            room(JOB, List.of(IO, ROOT, DURABLE, SHARED, URL, SCOPE, OUTPUT, CRAWL, STAGE), "org.slf4j.."),
            room(
                    REPORT,
                    List.of(BLOOM, IO, ROOT, URL, SCOPE, POLITE, FETCH, PARSE, OUTPUT, CRAWL),
                    "org.slf4j..",
                    "org.jsoup..",
                    JACKSON,
                    "io.micrometer..",
                    "io.prometheus.."),
            room(BROWSER, List.of(ROOT, IO, URL, SCOPE, FETCH, OUTPUT, CRAWL), JACKSON),
            room(DEMO, List.of(URL)),
            room(
                    SERVE,
                    List.of(BLOOM, IO, ROOT, DURABLE, POLITE),
                    "org.slf4j..",
                    JACKSON,
                    "io.grpc..",
                    "com.google.protobuf..",
                    "crawlercommons.urlfrontier.."),
            room(
                    CLI,
                    List.of(
                            BLOOM, IO, ROOT, DURABLE, SHARED, URL, SCOPE, POLITE, FETCH, ROBOTS, PARSE, OUTPUT, CRAWL,
                            STAGE, JOB, BROWSER, REPORT, DEMO, SERVE),
                    "org.slf4j..",
                    "picocli..",
                    "ch.qos.logback.."));

    static Stream<String> rooms() {
        return ROOMS.keySet().stream().sorted();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rooms")
    void aRoomImportsOnlyWhatItsEntryNames(String name) {
        Imports imports = ROOMS.get(name);
        String[] allowed = Stream.of(
                        List.of(name),
                        imports.rooms,
                        imports.libraries,
                        List.of("java..", "javax.net..", "javax.xml..", "com.sun.net.httpserver.."),
                        List.of("org.jspecify.annotations.."))
                .flatMap(List::stream)
                .toArray(String[]::new);
        classes()
                .that()
                .resideInAPackage(name)
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(allowed))
                .check(CLASSES);
    }

    @Test
    void everyClassIsInAListedPackage() {
        classes()
                .should()
                .resideInAnyPackage(ROOMS.keySet().toArray(String[]::new))
                .check(CLASSES);
    }

    /** Its objects are not safe for many threads, also where they are only read. */
    @Test
    void nothingOfTheHtmlParserIsShared() {
        fields().that()
                .areStatic()
                .should()
                .notHaveRawType(resideInAPackage("org.jsoup.."))
                .check(CLASSES);
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("dev.sieve.(*)..").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void classesHaveNoCycles() {
        slices().assignedFrom(TOP_LEVEL_CLASSES).should().beFreeOfCycles().check(CLASSES);
    }

    /** Also by constants, which the compiler copies, so that class files do not show where they are from. */
    @Test
    void sourcesOfAPackageHaveNoCycles() throws IOException {
        try (Stream<Path> folders =
                Files.walk(Path.of("src/main/java/dev/sieve")).filter(Files::isDirectory)) {
            for (Path folder : folders.toList()) {
                assertThat(sourcesInCycles(folder)).as("%s", folder).isEmpty();
            }
        }
    }

    /** What a crawl may do besides, and what a result has beyond its kind, are the business of stages and readers. */
    @Test
    void theLoopNamesNoCapability() throws IOException {
        Set<String> words = Set.of("BotWall", "FolderSite", "SetCookie", "TextForm", "isLocal");
        for (String name : """
                        Crawler Dispatcher HostResults Levels LinkQueue Outcome Politeness Reachability Recorder
                        RequestWatch Task UrlProcessor VisitContext Workers""".split("\\s+", -1)) {
            String source = Files.readString(Path.of("src/main/java/dev/sieve/crawl/" + name + ".java"));
            assertThat(source.split("\\W+")).as(name).doesNotContainAnyElementsOf(words);
        }
    }

    private static Set<String> sourcesInCycles(Path folder) throws IOException {
        Map<String, Set<String>> uses = new TreeMap<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(Files::isRegularFile)
                    .filter(each -> !each.endsWith("package-info.java"))
                    .toList()) {
                String code = Files.readString(file)
                        .replaceAll("(?s)/\\*.*?\\*/|//[^\n]*|'\"'|\"(\\\\.|[^\"\\\\\n])*+\"", " ");
                uses.put(
                        file.getFileName().toString().replace(".java", ""), new HashSet<>(List.of(code.split("\\W+"))));
            }
        }
        while (uses.keySet()
                .removeIf(name -> uses.keySet().stream()
                        .noneMatch(
                                other -> !other.equals(name) && uses.get(name).contains(other)))) {
            // A class that uses none of the rest is not part of a cycle.
        }
        return uses.keySet();
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
    void everyPackageIsNullMarked() {
        classes()
                .should(ArchCondition.from(describe(
                        "be in a null-marked package", type -> type.getPackage().isAnnotatedWith(NullMarked.class))))
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

    /** Levels of a log are set for the whole process, so a library leaves them to the program. */
    @Test
    void onlyTheCommandLineUsesTheLogOfTheJdk() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.sieve.cli")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("java.util.logging")
                .check(CLASSES);
    }

    /** Which replaces characters that a terminal interprets. */
    @Test
    void messagesArePrintedByOneClass() {
        noClasses()
                .that()
                .resideInAPackage("dev.sieve.cli")
                .and()
                .doNotHaveSimpleName("Terminal")
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
    void onlyThreeClassesSleepOrPark() {
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

    @Test
    void onlyTheCommandLineNamesItsOptions() throws IOException {
        assertNoSourceContains("\"[^\"\n]*--[a-z]", ".*/(cli|demo)/.*");
    }

    /** A library may change what is internal in any version. */
    @Test
    void noSourceUsesAnInternalPackage() throws IOException {
        assertNoSourceContains("import (static )?[a-zA-Z0-9_.]+\\.internal\\.", "");
    }

    private static void assertNoSourceContains(String pattern, String exceptions) throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("src/main/java/dev/sieve"))) {
            List<Path> others = files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !file.toString().matches(exceptions))
                    .toList();
            for (Path file : others) {
                assertThat(Files.readString(file)).as(file.toString()).doesNotContainPattern(pattern);
            }
        }
    }

    @Test
    void namesOfTestsHaveAtMostFiftyLetters() {
        List<String> names = new ClassFileImporter()
                        .importUrl(ArchitectureTest.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation())
                        .stream()
                        .flatMap(type -> type.getMethods().stream())
                        .filter(method -> method.isMetaAnnotatedWith(Testable.class))
                        .map(JavaMethod::getName)
                        .toList();

        assertThat(names).hasSizeGreaterThan(1000).allMatch(name -> name.length() <= 50);
    }
}
