package dev.sieve.bench;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * What a program has taken, from its start to its end.
 *
 * @param cpuSeconds of its processes, in user mode and in the system
 * @param seconds on the clock
 * @param megabytes the most that was resident, of its first process
 */
record Program(double cpuSeconds, double seconds, double megabytes) {
    /** Finds a program on the PATH. */
    static Optional<String> find(String name) {
        return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst();
    }

    /**
     * Runs a command on the first processor, while no other process that this one has started ends.
     *
     * @param folder where it runs, and where the file {@code output} gets what it prints
     */
    static Program run(Path folder, List<String> command) throws IOException, InterruptedException {
        List<String> pinned = new ArrayList<>(Bench.pinned(0));
        pinned.addAll(command);
        double before = endedCpuSeconds();
        long start = System.nanoTime();
        Process process = new ProcessBuilder(pinned)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("output").toFile())
                .start();
        double peak = 0;
        do {
            peak = Math.max(peak, peakMegabytes(Path.of("/proc", String.valueOf(process.pid()), "status")));
        } while (!process.waitFor(50, TimeUnit.MILLISECONDS));
        return new Program(endedCpuSeconds() - before, (System.nanoTime() - start) / 1e9, peak);
    }

    /** What the processes that this one has started, and that have ended, have taken, in ticks of 10 ms. */
    private static double endedCpuSeconds() throws IOException {
        String stat = Files.readString(Path.of("/proc/self/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return (Long.parseLong(fields[13]) + Long.parseLong(fields[14])) / 100.0;
    }

    /** Reads the most that was resident from the status of a process; 0 if it has ended. */
    static double peakMegabytes(Path status) {
        try {
            return Files.readAllLines(status).stream()
                    .filter(line -> line.startsWith("VmHWM:"))
                    .mapToDouble(line -> Double.parseDouble(line.replaceAll("\\D", "")) / 1024)
                    .sum();
        } catch (IOException e) {
            return 0;
        }
    }

    @Override
    public String toString() {
        return String.format("%.2f CPU seconds, %.1f on the clock, %.0f MB at most", cpuSeconds, seconds, megabytes);
    }
}
