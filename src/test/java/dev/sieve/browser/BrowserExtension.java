package dev.sieve.browser;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Passes a {@link Browser} to tests, one for all of them, which is closed after the last. On a machine without Chromium
 * these tests are skipped, or fail if the property {@code sieve.chromium} is {@code required}.
 */
public final class BrowserExtension implements ParameterResolver {

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
        return parameter.getParameter().getType() == Browser.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
        Path program = Browser.program().orElse(null);
        if (program == null) {
            String message = "no chromium, chromium-browser or google-chrome on the PATH";
            if ("required".equals(System.getProperty("sieve.chromium"))) {
                throw new IllegalStateException(message);
            }
            Assumptions.abort("skipped: " + message);
        }
        return test.getRoot()
                .getStore(Namespace.create(BrowserExtension.class))
                .computeIfAbsent(Browser.class, key -> open(program), Browser.class);
    }

    private static Browser open(Path program) {
        try {
            return Browser.open(program);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
