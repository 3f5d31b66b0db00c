package dev.sieve.cli;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The packaged program, in a process of its own. */
final class Program {
    static final Path JAR = Path.of(System.getProperty("sieve.cli")).toAbsolutePath();

    private static final String JAVA =
            Path.of(System.getProperty("java.home"), "bin", "java").toString();
    private static final List<String> QUICK = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");
    private static final Path CLASSES = JAR.resolveSibling("cli-classes.jsa");

    static {
        try {
            archiveClasses();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Program() {}

    /** Archives the classes of a short crawl: the program then starts in much less processor time. */
    private static void archiveClasses() throws IOException, InterruptedException {
        try (FileChannel file = FileChannel.open(JAR.resolveSibling("cli-classes.lock"), CREATE, WRITE);
                FileLock lock = file.lock()) {
            assertThat(lock.isValid()).isTrue();
            if (Files.exists(CLASSES)
                    && Files.getLastModifiedTime(CLASSES).compareTo(Files.getLastModifiedTime(JAR)) > 0) {
                return;
            }
            Path made = CLASSES.resolveSibling("cli-classes.tmp");
            Files.deleteIfExists(made);
            Path outputs = Files.createTempDirectory("sieve-classes");
            List<String> command = new ArrayList<>(List.of(JAVA));
            command.addAll(QUICK);
            command.addAll(List.of("-Xlog:disable", "-XX:ArchiveClassesAtExit=" + made, "-jar", JAR.toString()));
            command.addAll(List.of("demo", "--hosts", "2", "--pages", "10", "--report", "r.html"));
            command.addAll(List.of("-o", "pages.jsonl", "-o", "sitemap.xml"));
            new ProcessBuilder(command)
                    .directory(outputs.toFile())
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
            Files.move(made, CLASSES, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** Returns the command that runs the program in a JVM that starts quickly. */
    static List<String> command(List<String> jvm, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(JAVA));
        command.addAll(QUICK);
        // Where the archive does not fit, Java ignores it silently.
        command.addAll(List.of("-Xshare:auto", "-Xlog:cds=off", "-Xlog:cds+dynamic=off"));
        command.add("-XX:SharedArchiveFile=" + CLASSES);
        command.addAll(jvm);
        command.addAll(List.of("-jar", JAR.toString()));
        command.addAll(List.of(arguments));
        return Interrupts.heededBy(command);
    }

    /** A process in a folder, which writes to the files {@code out} and {@code err} there. */
    static ProcessBuilder of(Path folder, String... arguments) throws IOException {
        return of(folder, List.of(), arguments);
    }

    static ProcessBuilder of(Path folder, List<String> jvm, String... arguments) throws IOException {
        return new ProcessBuilder(command(jvm, arguments))
                .directory(folder.toFile())
                .redirectOutput(folder.resolve("out").toFile())
                .redirectError(folder.resolve("err").toFile());
    }

    /** Waits until a process has ended. */
    static int exitCode(Process process) throws InterruptedException {
        assertThat(process.waitFor(1000, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    static void signal(Process process, String name) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }
}
