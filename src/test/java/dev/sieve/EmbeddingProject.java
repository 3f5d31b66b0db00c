package dev.sieve;

import java.net.URL;
import java.net.URLClassLoader;
import org.slf4j.Logger;

/** The class path of a project that embeds Sieve: this project and slf4j-api, and the libraries that it adds. */
public final class EmbeddingProject {
    private EmbeddingProject() {}

    /** Returns a class loader with the libraries that contain these classes, and no other optional library. */
    public static URLClassLoader with(Class<?>... libraries) {
        URL[] places = new URL[libraries.length + 2];
        places[0] = home(Sieve.class);
        places[1] = home(Logger.class);
        for (int i = 0; i < libraries.length; i++) {
            places[i + 2] = home(libraries[i]);
        }
        return new URLClassLoader(places, ClassLoader.getPlatformClassLoader());
    }

    private static URL home(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation();
    }
}
