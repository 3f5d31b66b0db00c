package dev.sieve.serve;

import dev.sieve.FrontierSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;

/** A process that serves frontiers until it is ended, and prints its port. Arguments: folder, expected URLs, error rate. */
public final class ServeChild {
    private ServeChild() {}

    /** Starts it. */
    public static void main(String[] args) throws Exception {
        FrontierServer server = FrontierServer.builder(Path.of(args[0]))
                .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .settings(FrontierSettings.DEFAULTS
                        .withCapacity(Long.parseLong(args[1]))
                        .withFalsePositiveRate(Double.parseDouble(args[2])))
                .open();
        Runtime.getRuntime().addShutdownHook(new Thread(server::close));
        System.out.println(server.port());
        Thread.currentThread().join();
    }
}
